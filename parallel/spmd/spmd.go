// Package spmd starts the procs of a parallel program: processes of MPI if the user started it by
// mpirun, otherwise goroutines of one process. The program is the same.
//
//	mpirun -n 4 prog        built with -tags mpi
//	prog -procs 4
package spmd

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"drx/internal/errkind"
	"drx/parallel/mpi"
	"drx/parallel/par"
)

// Main is the main function of a parallel program. It calls f on every proc, and ends the process
// with status 0, or 1 if a proc has failed. If the program has not parsed its flags yet, Main adds
// the flags -procs and -timeout and parses them; -timeout overrides the option.
func Main(f func(par.Comm) error, o ...par.Options) {
	procs := 0
	if !flag.Parsed() {
		flag.IntVar(&procs, "procs", 0, "start so many procs as goroutines, instead of mpirun -n")
		timeout := flag.Duration("timeout", 0, "give up when a proc has waited for others for so long; 0 is for ever")
		flag.Parse()
		if *timeout > 0 {
			o = append(o, par.Options{Timeout: *timeout})
		}
	}
	Exit(Run(procs, f, o...))
}

// Run calls f on every proc. If mpirun has started this process, it is one proc, and procs must be
// 0. Otherwise procs is the number of goroutine procs; 0 is one. The error is that of mpi.Run or
// par.Run, or wraps par.ErrNotBuilt if mpirun has started a program that was built without MPI. Run
// is for programs with flags of their own; they call Exit at the end.
func Run(procs int, f func(par.Comm) error, o ...par.Options) error {
	if !mpi.Launched() {
		if procs == 0 {
			procs = 1
		}
		return par.Run(procs, f, o...)
	}
	if procs != 0 {
		return errkind.Errorf(par.ErrArgument, "%d procs: mpirun has started this process and says how many", procs)
	}
	return mpi.Run(f, o...)
}

// Exit ends the process with status 0, or 1 if there is an error. The process that the error comes
// from prints it. Exit ends MPI before, unless the program has failed: then MPI might wait for
// operations that still go on.
func Exit(err error) {
	if err == nil {
		err = mpi.Finalize()
	}
	if err == nil {
		os.Exit(0)
	}
	Report(filepath.Base(os.Args[0]), err)
	os.Exit(1)
}

// patience is the time that other processes wait for the process of an error to print it.
const patience = 3 * time.Second

// Report prints an error on the error output, after the name of the program, in the process that it
// comes from. It is for programs that end with a status of their own. mpirun kills all processes
// when one has ended, so the other processes wait; if they are not killed in time they print the
// error themselves.
func Report(program string, err error) {
	if !mpi.Owns(err) {
		time.Sleep(patience)
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", program, err)
}
