// Package ga wraps arrays of the library Global Arrays, created by a program in C or Fortran, for
// Go: every process reaches all elements by one-sided calls. It is compiled with the build tags ga
// and mpi, against Global Arrays 5.8 for Open MPI. An [Array] implements pexta.GlobalArray.
//
// The package starts neither MPI nor Global Arrays; the program has done that. Every call must come
// from the thread on which the program calls MPI, because Global Arrays calls it too: a goroutine
// called by C is on its caller's thread.
//
// A program that contains this package is linked with Global Arrays by whoever links it: it is
// meant for archives (go build -buildmode=c-archive), see cmd/libpexta.
//
// # Order of dimensions
//
// Extents and indices are as in the C interface of Global Arrays: from 0, and the last dimension
// varies fastest.
package ga
