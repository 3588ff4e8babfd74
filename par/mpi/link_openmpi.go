//go:build mpi && cgo && !mpich

package mpi

// #cgo pkg-config: ompi-c
import "C"

// Command is what starts programs built like this one, by its name in Debian.
const Command = "mpirun.openmpi"

// fileName returns a name as MPI-IO wants it.
func fileName(name string) string { return name }

// finalizesLeftovers reports whether MPI_Finalize copes with what a failed program has left. mpirun
// takes a process that ends without it for a failed one.
const finalizesLeftovers = true
