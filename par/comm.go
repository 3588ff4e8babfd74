package par

import (
	"time"

	"drx/dtype"
)

// A Comm is a group of procs that call each other, as one of them sees it: what MPI calls a
// communicator. Procs are numbered from 0 to Procs() - 1.
//
// All methods but Proc, Procs, Send and Recv are collective: every proc of the group calls
// them, in the same order, and with the same arguments where the description says so; all get
// an error, the same one, if that is not so or if one of them has one. One goroutine of a proc
// at a time may be in a collective call on one Comm (ErrBusy); calls on different Comms, and
// Send and Recv, may go on at once. Buffers belong to the call until it returns.
type Comm interface {
	// Proc returns the number of this proc.
	Proc() int
	// Procs returns how many there are.
	Procs() int
	// Member returns the number in the whole program of a proc of this group, -1 for one that
	// does not exist.
	Member(proc int) int

	// Barrier returns when all procs have called it.
	Barrier() error
	// Agree returns the same error on all procs: that of the first proc that has one, as a
	// *ProcError, or ErrDisagree if what, which names the call and its arguments, differs. It is
	// nil if all agree and none has an error. What is what makes a function of several
	// steps collective: agree, do one's part, agree on its error.
	Agree(what string, err error) error
	// Broadcast copies the buffer of the proc root to those of all others, which are as long.
	Broadcast(buf []byte, root int) error
	// Gather returns to the proc root the bytes that each proc gives, by their numbers, and
	// nil to all others. They may differ in length.
	Gather(data []byte, root int) ([][]byte, error)
	// AllGather returns to all procs the bytes that each gives, which may differ in length.
	AllGather(data []byte) ([][]byte, error)
	// AllToAll sends data[p] to proc p, for all p, and returns what each has sent here. They
	// may differ in length, and be nil.
	AllToAll(data [][]byte) ([][]byte, error)
	// AllReduce replaces the elements of all procs' buffers, equally many of type t, by their
	// sum, or another Op, over all procs. Sums of floats may depend on the order, which is the
	// same from run to run only with goroutine procs. The error wraps dtype.ErrDType where
	// op.Check does. AllReduce as a function takes any slice of numbers.
	AllReduce(buf []byte, t dtype.DType, op Op) error
	// Split returns a group for the procs that give the same color, numbered by key and among
	// equal keys as here; nil where the color is negative. Close it: a program that ends well
	// with a group open fails with ErrDisagree, as others might wait in it.
	Split(color, key int) (Comm, error)

	// Send sends a message to a proc, itself not excluded, with a tag of 0 to MaxTag. It may
	// return at once or when the message is being received: programs must not rely on either.
	Send(data []byte, to, tag int) error
	// Recv waits for a message from a proc with a tag, or from or with Any, and copies it to
	// the front of the buffer. Messages from one proc with one tag come in order. One that is
	// longer than the buffer is lost, and the error wraps ErrSize. If nobody is left to send it
	// goroutine procs get ErrDisagree; those of MPI wait until Options.Timeout.
	Recv(buf []byte, from, tag int) (Message, error)

	// Window opens size bytes of memory of this proc, zero at first, for all procs; the sizes
	// may differ.
	Window(size int) (Window, error)
	// OpenFile opens a file for all procs: flag is os.O_RDONLY or os.O_RDWR, with os.O_CREATE,
	// os.O_EXCL and os.O_TRUNC, and as the name the same everywhere. Hints go to MPI-IO
	// (cb_nodes, striping_unit, ...), may be nil and have no effect on what is read and
	// written; they are the same everywhere too.
	OpenFile(name string, flag int, hints map[string]string) (File, error)
	// Close gives up a group that Split returned; close its windows and files before. Who waits in
	// Recv on it gets ErrClosed. The group of the program is closed by who opened it: Close
	// returns ErrArgument.
	Close() error
}

// Any stands for every proc and every tag in Recv.
const Any = -1

// MaxTag is the largest tag, the one that every MPI has.
const MaxTag = 32767

// A Message says what Recv has received.
type Message struct {
	From, Tag int
	Len       int // bytes
}

// Options are those of a parallel program; the zero value is fine.
type Options struct {
	// Timeout is the longest time that a proc waits for others in one call; after it, the
	// program fails with ErrTimeout. Without it a proc waits for as long as the others live.
	// With MPI it also limits the start and the end of MPI, and the time that the data of one call take,
	// which nobody can tell from waiting: it must be longer than the longest of these.
	Timeout time.Duration
}
