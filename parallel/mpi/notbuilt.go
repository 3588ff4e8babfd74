//go:build !mpi || !cgo

package mpi

import "drx/parallel/par"

// Built reports whether MPI is compiled in.
const Built = false

// Command is the program that starts programs built with the tag mpi, by its name in Debian.
const Command = "mpirun.openmpi"

// Run returns par.ErrNotBuilt: this program was built without the tag mpi, or without cgo.
func Run(func(par.Comm) error, ...par.Options) error { return par.ErrNotBuilt }

// Finalize does nothing.
func Finalize() error { return nil }

// Adopt returns par.ErrNotBuilt.
func Adopt(Handle, ...par.Options) (par.Comm, error) { return nil, par.ErrNotBuilt }

// Fail does nothing.
func Fail(par.Comm, error) {}
