//go:build !mpi

package main

import (
	"fmt"
	"os"
)

// serveJob only fails: a process of the job DRX-MP needs a build with -tags mpi, see
// peers.buildJob.
func serveJob([]string) {
	fmt.Fprintln(os.Stderr, "bench: built without MPI")
	os.Exit(1)
}
