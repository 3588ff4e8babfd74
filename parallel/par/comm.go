package par

import (
	"time"

	"drx/dtype"
)

// A Comm is a group of procs, as one of them sees it; MPI calls it a communicator. Procs are
// numbered from 0 to Procs() - 1.
//
// All methods but Proc, Procs and Member are collective: every proc of the group calls them, in the
// same order, and with equal arguments where the description says so. Otherwise, or if one proc has
// an error, all procs get the same error. Only one goroutine of a proc may be in a collective call
// on a Comm at a time (ErrBusy). Calls on different Comms may run at the same time. A buffer must
// not be used by others until the call returns. There are no messages between two procs: use
// AllToAll and windows instead.
type Comm interface {
	// Proc returns the number of this proc.
	Proc() int
	// Procs returns the number of procs.
	Procs() int
	// Member returns the number in the whole program of a proc of this group, or -1 if there is no
	// such proc.
	Member(proc int) int

	// Barrier returns when all procs have called it.
	Barrier() error
	// Agree returns the same error on all procs: that of the first proc that has one, as a
	// *ProcError, or ErrDisagree if the procs differ in what, which names the call and its
	// arguments. It returns nil if the procs agree and none has an error. It makes functions of
	// several steps collective: agree, do the part of this proc, agree on the error of that part.
	Agree(what string, err error) error
	// Broadcast copies the buffer of the proc root to the buffers of all others, which have the
	// same length.
	Broadcast(buf []byte, root int) error
	// Gather returns the data of all procs, by their numbers, on the proc root, and nil on all
	// others. The data may differ in length.
	Gather(data []byte, root int) ([][]byte, error)
	// AllGather returns the data of all procs, by their numbers, on every proc. The data may differ
	// in length.
	AllGather(data []byte) ([][]byte, error)
	// AllToAll sends data[p] to each proc p, and returns what each proc has sent to this one, by
	// their numbers. The data may differ in length, and be nil.
	AllToAll(data [][]byte) ([][]byte, error)
	// AllReduce replaces the elements of all buffers, which have the same number of elements of
	// type t, by their sum, or another Op, over all procs. Sums of floats depend on the order of
	// the additions. With goroutine procs that is the same in every run; with MPI it may differ.
	// The error wraps dtype.ErrDType if op.Check fails. The function AllReduce accepts any slice of
	// numbers.
	AllReduce(buf []byte, t dtype.DType, op Op) error
	// Split divides the group: it returns a group of the procs that give the same color, numbered
	// by key, and by their present numbers if keys are equal. It returns nil if the color is
	// negative. Close the group: a program that ends well with a group open fails with ErrDisagree,
	// as other procs might wait in it.
	Split(color, key int) (Comm, error)

	// Window opens size bytes of memory of this proc, zeros at first, for all procs. The sizes may
	// differ.
	Window(size int) (Window, error)
	// OpenFile opens a file for all procs. flag is os.O_RDONLY or os.O_RDWR, possibly with
	// os.O_CREATE, os.O_EXCL and os.O_TRUNC. Hints are passed to MPI-IO (cb_nodes, striping_unit,
	// ...); they may be nil, and do not change what is read and written. All arguments are the same
	// on all procs.
	OpenFile(name string, flag int, hints map[string]string) (File, error)
	// Close closes a group that Split returned; close its windows and files before. The group
	// of the program is closed by whoever opened it: Close returns ErrArgument.
	Close() error
}

// Options control a parallel program. The zero value is valid.
type Options struct {
	// Timeout is the longest time that a proc waits for others in one call. After it the program
	// fails with ErrTimeout. 0 means no limit: a proc waits for as long as the others live. With
	// MPI the timeout also limits the start and the end of MPI, and the transfer time of one call,
	// which cannot be distinguished from waiting: it must exceed the longest of these.
	Timeout time.Duration
}
