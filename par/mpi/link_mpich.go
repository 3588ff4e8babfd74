//go:build mpi && cgo && mpich

package mpi

// #cgo pkg-config: mpich
import "C"

import "strings"

// Command is what starts programs built like this one, by its name in Debian.
const Command = "mpirun.mpich"

// fileName returns a name as MPI-IO wants it: that of MPICH takes what precedes a colon for the type
// of the file system, and so must be given one.
func fileName(name string) string {
	if strings.Contains(name, ":") {
		return "ufs:" + name
	}
	return name
}

// finalizesLeftovers reports whether MPI_Finalize copes with what a failed program has left: that
// of MPICH 4.0 ends the process by an assertion where it is a window, and mpirun does not need it.
const finalizesLeftovers = false
