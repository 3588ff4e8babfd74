// Package par runs one function in several procs that call each other: SPMD programs. A proc is
// what MPI calls a process or a rank. A Comm is a group of procs, with the usual collective
// calls; a Window is memory that all procs of a group reach by one-sided get, put and accumulate; a
// File is a file that all of them read and write together.
//
//	err := par.Run(4, func(c par.Comm) error {
//		sum := []int64{int64(c.Proc())}
//		return par.AllReduce(c, sum, par.Sum)
//	})
//
// There are two implementations, and one test suite for both (package partest). Run makes procs of
// goroutines: nothing need be installed, and a program and its tests run anywhere. Package
// parallel/mpi makes a proc of each process that mpirun has started. Package parallel/spmd chooses
// between them by how the program was started. A program does not depend on the choice as long as
// its procs share no variables.
//
// # Errors
//
// There are four kinds of failure, and none of them makes a proc wait for ever:
//
//  1. A proc has an error in a collective call: a wrong argument, a file that does not exist. All
//     procs return the same *ProcError, which names the proc. The call is over and the program goes
//     on. Data may have been copied in part.
//  2. Procs make different calls, or the same call with different arguments that should be equal.
//     All return ErrDisagree, which names the calls and the procs. The program goes on.
//  3. A proc fails: the function of the program returns an error, or panics. All calls of other
//     procs that wait, or are made later, return ErrFailed, which names the proc. All that is left
//     to do is to return.
//  4. A proc does not come: it computes for ever, or waits for something else. Only after some
//     time it differs from a slow proc. Options.Timeout makes it a failure.
//
// Therefore every collective call begins with a barrier, in which the procs compare the calls they
// are about to make. Comm.Agree is this barrier, for functions that are built on this package.
package par
