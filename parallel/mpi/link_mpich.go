//go:build mpi && cgo && mpich

package mpi

// #cgo pkg-config: mpich
import "C"

import "strings"

// Command is the program that starts programs built like this one, by its name in Debian.
const Command = "mpirun.mpich"

// fileName returns a name as MPI-IO expects it. MPICH takes the text before a colon for the type of
// the file system, so the name gets one.
func fileName(name string) string {
	if strings.Contains(name, ":") {
		return "ufs:" + name
	}
	return name
}

// finalizesLeftovers reports whether MPI_Finalize works after a program has failed. That of MPICH
// 4.0 aborts the process if a window is left open, and mpirun does not need it.
const finalizesLeftovers = false
