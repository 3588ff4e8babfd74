// Package ga gives the arrays of the library Global Arrays, which a program in C or Fortran has
// made, to Go: as arrays whose elements every process reaches by one-sided calls. It is compiled
// with the build tags ga and mpi, against Global Arrays 5.8 for Open MPI. An [Array] implements
// pexta.GlobalArray.
//
// The package starts neither MPI nor Global Arrays; the program has done that. Every call must come
// from the thread on which the program calls MPI, as Global Arrays calls it: a goroutine that C has
// called is on its caller's thread.
//
// A program that contains this package is linked with Global Arrays by whoever links it: it is
// meant for archives (go build -buildmode=c-archive), see cmd/libpexta.
//
// # Order of dimensions
//
// Extents and indices are as in the C interface of Global Arrays: from 0, and the last dimension
// varies fastest.
package ga
