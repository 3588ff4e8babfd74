// Package mpi is the implementation of par.Comm for clusters: a proc is a process of an MPI
// program. It is compiled with the build tag mpi, against Open MPI or, with the tags mpi and mpich,
// against MPICH. Without these tags Run returns par.ErrNotBuilt. Programs use package
// parallel/spmd, which calls this package when mpirun has started them.
//
// # How it works
//
// A proc that waits inside of MPI cannot be informed of a failure. So wherever a proc may have to
// wait for one that never arrives, it starts a non-blocking operation and tests it repeatedly, in
// turn with a receive on a communicator of its own, the alarm. A proc that fails sends the reason
// to all others there:
//
//	barrier (Agree)    MPI_Iallreduce, tested, of 3 numbers: the hash h of the call's name, -h,
//	                   and whether a proc has an error; their minima tell whether all agree. If
//	                   not, MPI_Iallgather of the reasons.
//	data of a call     MPI_Bcast, MPI_Allgatherv, MPI_Alltoallw, MPI_Allreduce,
//	                   MPI_File_*_all, ...: blocking, but only after a barrier, when all procs
//	                   have come
//	windows            MPI_Win_allocate and one MPI_Win_lock_all; get, put and accumulate are
//	                   completed by MPI_Win_flush or MPI_Win_flush_local before they return
//	files              one handle for collective calls, which set its file view (hindexed),
//	                   and one of MPI_COMM_SELF for what each proc does by itself
//
// A process that is stopped (SIGSTOP), or whose machine does not answer, blocks the others inside
// of MPI: when MPI starts and ends, in blocking calls after a barrier, and sometimes in calls that
// only test. So with a timeout every call of MPI that depends on others has a timer, which itself
// calls no MPI (see watch). When the timer fires, Run returns an error and abandons the call. The
// process must end then. mpirun ends the others, and kills those that are stopped: the job is over
// within the timeout and about 5 seconds. Without a timeout Run waits for as long as all processes
// live. If a process is stopped after it has ended MPI, when nobody waits for it any more, only
// mpirun can end it (option --timeout).
//
// # Programs that have started MPI themselves
//
// Adopt makes a group of a communicator of such a program, a library's caller in C or Fortran. It
// neither starts nor ends MPI and never uses MPI_COMM_WORLD. Every call of MPI is made on the
// thread that calls the method, so a goroutine must not move to another thread meanwhile: one that
// C has called is locked to the caller's thread by the Go runtime, any other calls
// runtime.LockOSThread first. Below MPI_THREAD_MULTIPLE only the thread that has called Adopt may
// call MPI. All other goroutines get par.ErrThread where they would call it, before they do:
//
//	may be called by any goroutine     Proc, Procs, Member; Window.Local, Window.Size; File.Name
//	par.ErrThread on other threads     all other methods
//
// In package drxmp, StartReadAll and StartWriteAll need MPI_THREAD_MULTIPLE for that reason. Read,
// Write, StartRead, StartWrite and Parts involve only this process: they call no MPI, and any
// goroutine may call them.
//
// If a process is killed, mpirun ends the job. An error that MPI itself returns while data move is
// not compared with what it returns on other procs: a proc that gets one should fail.
package mpi

import (
	"errors"
	"os"
	"strconv"

	"drx/parallel/par"
)

// Launched reports whether mpirun, or a program like it, has started this process.
func Launched() bool {
	_, launched := number()
	return launched
}

// A Handle is a communicator as Fortran has it, an integer: MPI_Comm_c2f(comm) in C. For C++ and Go
// it has the same type whatever the MPI is.
type Handle int32

// Owns reports whether this process should print an error that Run has returned: the error comes
// from its own proc, or from none.
func Owns(err error) bool {
	var whose *par.ProcError
	me, launched := number()
	return !launched || !errors.As(err, &whose) || whose.Proc == me
}

// number returns the number of this process from its environment.
func number() (int, bool) {
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"} {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n, true
		}
	}
	return 0, false
}
