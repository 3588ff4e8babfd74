package par

import (
	"fmt"
	"os"

	"drx/dtype"
	"drx/internal/errkind"
)

// CheckProc returns an error that wraps ErrArgument unless proc is one of the numbers 0 to procs-1.
// The functions of this file are for implementations of Comm, so that all refuse the same
// arguments.
func CheckProc(proc, procs int) error {
	if proc < 0 || proc >= procs {
		return errkind.Errorf(ErrArgument, "proc %d: there are procs 0 to %d", proc, procs-1)
	}
	return nil
}

// LeftOpen returns the error for a proc that returns without another error while it has groups
// open: other procs may wait for it in one of them. It wraps ErrDisagree.
func LeftOpen(groups int) error {
	return fmt.Errorf("%w: the program ends here with groups open: %d", ErrDisagree, groups)
}

// MemberOf returns the number in the program of a proc of a group, or -1, given the numbers of the
// group's members: see Comm.Member.
func MemberOf(members []int, proc int) int {
	if CheckProc(proc, len(members)) != nil {
		return -1
	}
	return members[proc]
}

// CheckToAll checks that data has one element per proc; elements may be nil. The error wraps
// ErrArgument.
func CheckToAll(data [][]byte, procs int) error {
	if len(data) != procs {
		return errkind.Errorf(ErrArgument, "data for %d procs: there are %d", len(data), procs)
	}
	return nil
}

// CheckFlag checks the flag of OpenFile: os.O_RDONLY, or os.O_RDWR, possibly with os.O_CREATE,
// os.O_EXCL and os.O_TRUNC. The error wraps ErrArgument.
func CheckFlag(flag int) error {
	known := os.O_RDONLY | os.O_RDWR | os.O_CREATE | os.O_EXCL | os.O_TRUNC
	if flag&^known != 0 || (flag&os.O_RDWR == 0 && flag != os.O_RDONLY) {
		return errkind.Errorf(ErrArgument, "flag %#x: want open to read, or to read and write, nothing else", flag)
	}
	return nil
}

// CheckTransfer checks a one-sided call between a window of size bytes and a buffer. The error
// wraps ErrArgument, or ErrSize if the layouts differ in size.
func CheckTransfer(there Layout, size int, here Layout, buf []byte) error {
	if err := there.Check(size); err != nil {
		return fmt.Errorf("in the window: %w", err)
	}
	if err := here.Check(len(buf)); err != nil {
		return fmt.Errorf("in the buffer: %w", err)
	}
	if there.Size() != here.Size() {
		return errkind.Errorf(ErrSize, "%d bytes in the window, %d in the buffer: they must be as many", there.Size(), here.Size())
	}
	return nil
}

// CheckAccumulate checks the elements of an Accumulate. The error is that of op.Check, or wraps
// ErrArgument if a layout splits elements.
func CheckAccumulate(there, here Layout, t dtype.DType, op Op) error {
	if err := op.Check(t); err != nil {
		return err
	}
	if err := there.CheckElements(t.Size()); err != nil {
		return fmt.Errorf("in the window: %w", err)
	}
	if err := here.CheckElements(t.Size()); err != nil {
		return fmt.Errorf("in the buffer: %w", err)
	}
	return nil
}
