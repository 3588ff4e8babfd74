// Package mpi makes a proc of each process of an MPI program: the implementation of par.Comm
// for clusters. It is compiled with the build tag mpi, against Open MPI or, with the tags mpi and
// mpich, against MPICH. Without them it is there too, and Run returns par.ErrNotBuilt. Programs
// use package par/spmd, which calls it when mpirun has started them.
//
// # How it works
//
// A proc that waits inside of MPI cannot be told anything. So wherever a proc may have to wait
// for one that does not come, it starts a non-blocking operation and tests it in turns with a
// receive on a communicator of its own, the alarm, on which a proc that fails sends the
// reason to all others:
//
//	meeting (Agree)    MPI_Iallreduce   tested   3 numbers: of the call's name h, -h, and whether
//	                                             a proc has an error; their minima tell whether
//	                                             all agree. If not, MPI_Iallgather of the reasons.
//	Send, Recv         MPI_Isend, MPI_Improbe, MPI_Imrecv   tested
//	data of a call     MPI_Bcast, MPI_Allgatherv, MPI_Alltoallw, MPI_Allreduce, MPI_File_*_all, ...
//	                   block; every one comes after a meeting, when all procs are there
//	windows            MPI_Win_allocate and one MPI_Win_lock_all; get, put and accumulate are
//	                   completed by MPI_Win_flush or MPI_Win_flush_local before they return
//	files              one handle for collective calls, whose file view is set by each of
//	                   them (hindexed), and one of MPI_COMM_SELF for ReadAt and WriteAt
//
// A process that is stopped (SIGSTOP), or whose machine does not answer, keeps the others inside of MPI: as it
// starts and ends, in what blocks after a meeting, and now and then in what only tests. So with a timeout
// every call of MPI that depends on others has a timer, which calls no MPI (see watch): if it fires, Run
// returns an error and leaves the call behind. The process has to end then. mpirun ends the others, and kills
// those that are stopped: the job is over within the timeout and about 5 seconds. Without a timeout it
// waits for as long as all processes live. A process that is stopped after it has ended MPI, of which nobody waits
// for anything, is up to mpirun alone (its option --timeout).
//
// A killed process ends the job: mpirun sees to that. An error that MPI itself returns while data
// move is not compared with what it returns elsewhere: a proc that gets one should fail.
package mpi

import (
	"errors"
	"os"
	"strconv"

	"drx/par"
)

// Launched reports whether mpirun, or something like it, has started this process.
func Launched() bool {
	_, launched := number()
	return launched
}

// Owns reports whether it is up to this process to tell an error that Run has returned: it is
// that of its own proc, or of none.
func Owns(err error) bool {
	var whose *par.ProcError
	me, launched := number()
	return !launched || !errors.As(err, &whose) || whose.Proc == me
}

// number returns the number of this process, as its environment says.
func number() (int, bool) {
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"} {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n, true
		}
	}
	return 0, false
}
