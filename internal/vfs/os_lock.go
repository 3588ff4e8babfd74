package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Lock uses flock. Such a lock belongs to the open file, so two openings in one process exclude
// each other as well, and it ends with the process, so there are no stale locks. In addition it
// sets a mark, which excludes nobody but shows others that the lock is taken.
func (f osFile) Lock() error { return f.flock(unix.LOCK_EX, unix.F_WRLCK) }

func (f osFile) LockShared() error { return f.flock(unix.LOCK_SH, unix.F_RDLCK) }

func (f osFile) flock(how int, mark int16) error {
	f.locked.Store(true)
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return &lockedError{f.Name(), f.holderPid()}
	case err != nil:
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	f.mark(mark)
	return nil
}

func (f osFile) Unlock() error {
	// Remove the mark first, so that it does not conflict with the mark of the next holder.
	f.mark(unix.F_UNLCK)
	if err := unix.Flock(int(f.Fd()), unix.LOCK_UN); err != nil {
		return &fs.PathError{Op: "unlock", Path: f.Name(), Err: err}
	}
	return nil
}

// Close releases the locks before it closes the file. The system would release them only with the
// last descriptor, and a child process that another goroutine is starting has one until it executes
// its program.
func (f osFile) Close() error {
	if !f.locked.Load() {
		return f.File.Close()
	}
	_ = unix.FcntlFlock(f.Fd(), setMark, &unix.Flock_t{Type: unix.F_UNLCK}) // range locks as well
	_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
	return f.File.Close()
}

// mark sets or removes the mark, a record lock on the first byte, which others can query without
// taking it. On a file system without record locks, Locked returns false.
func (f osFile) mark(kind int16) {
	_ = unix.FcntlFlock(f.Fd(), setMark, &unix.Flock_t{Type: kind, Len: 1})
}

// marked returns the lock on the first byte that conflicts with an exclusive one. Its type is
// F_UNLCK if there is none.
func (f osFile) marked() unix.Flock_t {
	lock := unix.Flock_t{Type: unix.F_WRLCK, Len: 1}
	if err := unix.FcntlFlock(f.Fd(), getMark, &lock); err != nil {
		return unix.Flock_t{Type: unix.F_UNLCK}
	}
	return lock
}

// Locked queries the mark. Trying the lock itself could make a concurrent Lock of a writer fail.
func (f osFile) Locked() bool { return f.marked().Type != unix.F_UNLCK }

// A lockedError says that another opening has a lock. It looks for the process only when it is
// formatted: whoever waits for a lock drops most of them.
type lockedError struct {
	file string
	pid  func() int // 0 or less if unknown
}

func (e *lockedError) Error() string { return e.file + ": " + ErrLocked.Error() + holder(e.pid()) }

func (e *lockedError) Unwrap() error { return ErrLocked }

// holder returns a phrase with a process that has a lock, empty if it is unknown.
func holder(pid int) string {
	switch {
	case pid <= 0:
		return ""
	case pid == os.Getpid():
		return fmt.Sprintf(", this process (%d)", pid)
	}
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return fmt.Sprintf(", process %d", pid)
	}
	return fmt.Sprintf(", process %d (%s)", pid, strings.TrimSpace(string(name)))
}
