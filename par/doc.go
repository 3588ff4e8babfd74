// Package par runs one function in several procs that call each other: SPMD programs. A proc
// is what MPI calls a process or a rank. Comm is a group of procs with the usual collective
// calls and messages, Window is memory that all of them reach by one-sided get, put and accumulate,
// File is a file that all of them read and write together.
//
//	err := par.Run(4, func(c par.Comm) error {
//		sum := []int64{int64(c.Proc())}
//		return par.AllReduce(c, sum, par.Sum)
//	})
//
// There are two implementations, and one test suite for both (package partest). Run makes
// procs of goroutines: nothing need be installed, a program and its tests run anywhere. Package
// par/mpi makes a proc of each process that mpirun has started. Package par/spmd chooses between
// them by how the program was started. Nothing else in a program depends on the choice, as
// long as procs share no variables.
//
// # What goes wrong
//
// Four things are told apart, and none of them makes a proc wait for ever:
//
//  1. A proc has an error in a collective call: an argument is wrong, a file is not there. All procs
//     return the same *ProcError, which names the proc. The call is over and the program goes
//     on; what was to be copied may be copied in part.
//  2. Procs make different calls, or one call with different arguments that should be the same:
//     all return ErrDisagree, naming the calls and the procs. The program goes on.
//  3. A proc fails: the function of the program returns an error there, or panics. All that
//     wait for others, or begin to, return ErrFailed, naming the proc, and so does all they call
//     afterwards. What is left to do is to return.
//  4. A proc does not come: it computes for ever, or waits for a message that nobody sends.
//     Only time tells this from being slow. Options.Timeout makes it a failure.
//
// Therefore every collective call begins with a meeting, in which the procs compare what they are
// about to do; Comm.Agree is this meeting, for functions built on this package.
package par
