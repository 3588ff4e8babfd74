package pexta

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"drx"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/parallel/par"
)

// MaxRank is the largest number of dimensions of an array, the same as in Global Arrays.
const MaxRank = 7

// Types are the element types of arrays, the same as of Disk Resident Arrays: C's int, long, float
// and double, and complex numbers of two floats and of two doubles.
var Types = []dtype.DType{dtype.Int32, dtype.Int64, dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128}

// A Mode determines the access for which an array is opened.
type Mode uint8

// The modes.
const (
	ReadWrite Mode = iota // DRA_RW
	WriteOnly             // DRA_W
	ReadOnly              // DRA_R
)

// String returns the access that the mode allows.
func (m Mode) String() string {
	switch m {
	case ReadWrite:
		return "read and write"
	case WriteOnly:
		return "write"
	case ReadOnly:
		return "read"
	}
	return fmt.Sprintf("mode %d", uint8(m))
}

// writes reports whether the mode opens an array for writing, which excludes other writers.
func (m Mode) writes() bool { return m != ReadOnly }

func (m Mode) check() error {
	if m > ReadOnly {
		return errkind.Errorf(par.ErrArgument, "%v: want 0 to %d", m, ReadOnly)
	}
	return nil
}

// A Handle is the number of an open array. Handles are at least 1; 0 is none.
type Handle int

// A Request is the number of a request. Requests are at least 1.
type Request int

// Options control a Session. Zero and negative numbers mean the default.
type Options struct {
	// MaxArrays limits the number of arrays that are open at a time. By default there is no limit.
	MaxArrays int
	// MaxMemory limits the memory of this proc for elements, in bytes. The default is
	// DefaultMaxMemory; the minimum is MinMaxMemory.
	MaxMemory int64
	// Allocate returns memory for a buffer, and a function that frees it. By default buffers are Go
	// memory. Programs that pass them to a library that keeps their addresses, as MPI does, use C
	// memory.
	Allocate func(bytes int) (buf []byte, free func(), err error)
	// Goroutines is the number of goroutines that read and write files at the same time, on each
	// proc. The default is GOMAXPROCS divided by the number of procs, at least 1.
	Goroutines int
	// Durability determines how a commit survives a crash. It is the same on all procs. With
	// DurabilityNone, for arrays that nobody needs after the program, a killed program may also
	// leave uncommitted elements.
	Durability drx.Durability
}

// The default and the least Options.MaxMemory, in bytes.
const (
	DefaultMaxMemory = 64 << 20
	MinMaxMemory     = 64 << 10
)

// Sentinel errors, for errors.Is. Other errors wrap those of packages drx and par: wrong arguments
// par.ErrArgument, drx.ErrRank, drx.ErrBounds, drx.ErrDType, drx.ErrSize, drx.ErrReadOnly or
// drx.ErrOverflow.
var (
	// ErrHandle is returned for a handle without an array, and for requests whose global array was
	// withdrawn.
	ErrHandle = errors.New("no array has this handle")
	// ErrRequest is returned for a number that no request has had.
	ErrRequest = errors.New("no request has had this number")
	// ErrTooMany is returned if Options.MaxArrays arrays are open.
	ErrTooMany = errors.New("too many arrays are open")
	// ErrTerminated is returned by all calls after Terminate.
	ErrTerminated = errors.New("the session is terminated")
)

func init() { par.Register(ErrHandle, ErrRequest, ErrTooMany, ErrTerminated, fs.ErrNotExist) }

// complete returns the options with defaults filled in.
func (o Options) complete() Options {
	if o.MaxArrays < 0 {
		o.MaxArrays = 0
	}
	if o.MaxMemory <= 0 {
		o.MaxMemory = DefaultMaxMemory
	}
	o.MaxMemory = max(o.MaxMemory, MinMaxMemory)
	if o.Allocate == nil {
		o.Allocate = func(bytes int) ([]byte, func(), error) { return make([]byte, bytes), func() {}, nil }
	}
	return o
}

// goroutines returns the number of goroutines of a proc that use files at the same time.
func (o Options) goroutines(procs int) int {
	if o.Goroutines > 0 {
		return o.Goroutines
	}
	return max(1, runtime.GOMAXPROCS(0)/procs)
}

// allows returns an error unless the mode allows writing, or reading if write is not set.
func (m Mode) allows(write bool) error {
	switch {
	case write && m == ReadOnly:
		return fmt.Errorf("opened to %v: %w", m, drx.ErrReadOnly)
	case !write && m == WriteOnly:
		return errkind.Errorf(par.ErrArgument, "opened to %v: open it to read, or to read and write", m)
	}
	return nil
}
