package vfs

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	seekData = 3
	seekHole = 4
)

// Data asks the file system where its holes are. The file's own offset, which seeking
// moves, is used by nothing else here.
func (f osFile) Data(off int64) (from, to int64, err error) {
	if from, err = f.Seek(off, seekData); err == nil {
		to, err = f.Seek(from, seekHole)
	}
	if errors.Is(err, syscall.ENXIO) {
		err = io.EOF
	}
	return from, to, err
}

// Punch asks the file system for a hole; one that knows none leaves the bytes.
func (f osFile) Punch(off, n int64) error {
	err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, off, n)
	if err != nil && !errors.Is(err, unix.EOPNOTSUPP) && !errors.Is(err, unix.ENOSYS) {
		return &fs.PathError{Op: "punch", Path: f.Name(), Err: err}
	}
	return nil
}

// LockRange uses a lock of the open file description: it excludes other openings in this
// process too, and is gone with the process.
func (f osFile) LockRange(off, n int64) (func() error, error) {
	set := func(kind int16) error {
		lock := unix.Flock_t{Type: kind, Start: off, Len: n}
		for {
			err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLKW, &lock)
			if err == nil {
				return nil
			}
			if !errors.Is(err, unix.EINTR) {
				return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
			}
		}
	}
	return func() error { return set(unix.F_UNLCK) }, set(unix.F_WRLCK)
}
