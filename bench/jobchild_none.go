//go:build !mpi

package main

import (
	"fmt"
	"os"
)

// serveJob refuses: a process of the job DRX-MP needs a build with -tags mpi, which peers.buildJob
// makes.
func serveJob([]string) {
	fmt.Fprintln(os.Stderr, "bench: built without MPI")
	os.Exit(1)
}
