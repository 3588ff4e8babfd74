package par

import (
	"errors"
	"fmt"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/parallel/internal/call"
)

// Sentinel errors, for errors.Is.
var (
	// ErrFailed is returned by every call that waits for others, or might have to, once a proc has
	// failed: its function has returned an error or panicked, or it has waited too long. The program
	// is over and can only return.
	ErrFailed = errors.New("a proc has failed")
	// ErrDisagree is returned when procs that should make the same call make different ones, or the
	// same with different arguments, or when one of them has ended.
	ErrDisagree = call.ErrDisagree
	// ErrTimeout is returned when a proc has waited for others longer than Options.Timeout.
	ErrTimeout = errors.New("waited too long")
	// ErrArgument is returned for invalid arguments: a proc that does not exist, a layout outside
	// of its buffer, pieces out of order.
	ErrArgument = errors.New("wrong argument")
	// ErrSize is returned when a message is longer than its buffer, or two layouts differ in their
	// number of bytes.
	ErrSize = errors.New("wrong size")
	// ErrBusy is returned when a proc begins a collective call while another of its goroutines is
	// in one on the same Comm or File.
	ErrBusy = errors.New("a collective call is going on")
	// ErrClosed is returned by calls on a group, window or file that was closed.
	ErrClosed = errors.New("is closed")
	// ErrThread is returned when a thread that must not call MPI would have to, see mpi.Adopt.
	ErrThread = errors.New("this thread must not call MPI")
	// ErrNotBuilt is returned by package mpi when it was built without the tag mpi.
	ErrNotBuilt = errors.New("built without MPI: go build -tags mpi")
)

func init() {
	Register(ErrFailed, ErrTimeout, ErrArgument, ErrSize, ErrBusy, ErrClosed, ErrThread, ErrNotBuilt, dtype.ErrDType, vfs.ErrLocked)
}

// Register makes errors.Is find sentinels also in errors from other processes. Packages call it in
// init functions, for their own sentinels. The sentinels of this package and of io/fs, and io.EOF,
// are registered.
func Register(sentinels ...error) { call.Register(sentinels...) }

// A ProcError is an error together with the proc that it comes from. Collective calls return the
// same one on all procs. On other procs Err may be a text from another process, which wraps the
// registered sentinels.
type ProcError struct {
	Proc int // in the whole program, even if the error comes from a part of it
	Err  error
}

// Error returns one line that begins with the proc.
func (e *ProcError) Error() string { return fmt.Sprintf("proc %d: %v", e.Proc, e.Err) }

// Unwrap returns the error without the proc.
func (e *ProcError) Unwrap() error { return e.Err }

// Blame returns err as an error of the given proc, unless err already names a proc. It is for
// implementations of Comm.
func Blame(proc int, err error) error {
	var known *ProcError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &ProcError{proc, err}
}

// Guard calls f in a goroutine of its own and returns its error. A panic, and the end of the
// goroutine, become errors of one line.
func Guard(f func() error) error { return call.Guard(f) }
