//go:build !mpi

package main

import (
	"fmt"
	"os"
)

// serveJob is a process of the job DRX-MP, which takes a build with -tags mpi: roster.buildJob
// makes one.
func serveJob([]string) {
	fmt.Fprintln(os.Stderr, "bench: built without MPI")
	os.Exit(1)
}
