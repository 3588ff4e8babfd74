//go:build mpi && cgo && !mpich

package mpi

// #cgo pkg-config: ompi-c
import "C"

// Command is the program that starts programs built like this one, by its name in Debian.
const Command = "mpirun.openmpi"

// fileName returns a name as MPI-IO expects it.
func fileName(name string) string { return name }

// finalizesLeftovers reports whether MPI_Finalize works after a program has failed. mpirun counts a
// process that ends without it as failed.
const finalizesLeftovers = true
