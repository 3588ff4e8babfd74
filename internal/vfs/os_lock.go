package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Lock uses flock: it belongs to the open file, so that two openings in one process
// exclude each other too, and it is gone with the process: stale locks cannot exist. A
// mark beside it excludes nobody but tells others that the lock is taken.
func (f osFile) Lock() error { return f.flock(unix.LOCK_EX, unix.F_WRLCK) }

func (f osFile) LockShared() error { return f.flock(unix.LOCK_SH, unix.F_RDLCK) }

func (f osFile) flock(how int, mark int16) error {
	f.locked.Store(true)
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return fmt.Errorf("%s: %w%s", f.Name(), ErrLocked, f.holder())
	case err != nil:
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	f.mark(mark)
	return nil
}

func (f osFile) Unlock() error {
	// First the mark, so that the next holder's does not meet it.
	f.mark(unix.F_UNLCK)
	if err := unix.Flock(int(f.Fd()), unix.LOCK_UN); err != nil {
		return &fs.PathError{Op: "unlock", Path: f.Name(), Err: err}
	}
	return nil
}

// Close gives the locks back before it closes: those of an opening the system takes away only with its last
// descriptor, and a process that another goroutine is just starting has one until it runs its program.
func (f osFile) Close() error {
	if !f.locked.Load() {
		return f.File.Close()
	}
	_ = unix.FcntlFlock(f.Fd(), setMark, &unix.Flock_t{Type: unix.F_UNLCK}) // also ranges
	_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
	return f.File.Close()
}

// mark sets or takes away the mark, a record lock on the first byte, which others can ask
// for without taking it. Where the file system has none, Locked reports false.
func (f osFile) mark(kind int16) {
	_ = unix.FcntlFlock(f.Fd(), setMark, &unix.Flock_t{Type: kind, Len: 1})
}

// marked returns the lock on the first byte that an exclusive one would have to wait for,
// one of type F_UNLCK for none.
func (f osFile) marked() unix.Flock_t {
	lock := unix.Flock_t{Type: unix.F_WRLCK, Len: 1}
	if err := unix.FcntlFlock(f.Fd(), getMark, &lock); err != nil {
		return unix.Flock_t{Type: unix.F_UNLCK}
	}
	return lock
}

// Locked asks for the mark: trying the lock itself might refuse it to a writer.
func (f osFile) Locked() bool { return f.marked().Type != unix.F_UNLCK }

// holder names the process that has the lock, as far as the system tells.
func (f osFile) holder() string {
	pid := f.holderPid()
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
