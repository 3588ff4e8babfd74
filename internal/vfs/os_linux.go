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

// Data asks the file system for its holes. It moves the file's offset, which no other method uses.
func (f osFile) Data(off int64) (from, to int64, err error) {
	if from, err = f.Seek(off, seekData); err == nil {
		to, err = f.Seek(from, seekHole)
	}
	if errors.Is(err, syscall.ENXIO) {
		err = io.EOF
	}
	return from, to, err
}

// Punch asks the file system for a hole. A file system without holes leaves the bytes.
func (f osFile) Punch(off, n int64) error {
	err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, off, n)
	if err != nil && !errors.Is(err, unix.EOPNOTSUPP) && !errors.Is(err, unix.ENOSYS) {
		return &fs.PathError{Op: "punch", Path: f.Name(), Err: err}
	}
	return nil
}

// MayGrowTo asks the system for a hole in the last of size bytes. If they are more than the file
// has, there is nothing to do, but the system first compares the offset with the limit of the file
// system.
func (f osFile) MayGrowTo(size int64) bool {
	if now, err := f.Size(); err != nil || size <= now {
		return true
	}
	err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, size-1, 1)
	return !errors.Is(err, unix.EFBIG)
}

// Allocate saves the system from allocating page by page, which takes a third of the time of a
// write to its cache on ext4. Errors are ignored: if there is no space, the write fails, and
// without support for the call the write works anyway.
func (f osFile) Allocate(off, n int64) {
	_ = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, off, n)
}

// copyRange asks the system to copy the bytes. On file systems that can share them, such as Btrfs
// and XFS, none are moved.
func (f osFile) copyRange(from File, in, off, n int64) error {
	source, ok := from.(osFile)
	if !ok {
		return errors.ErrUnsupported
	}
	for n > 0 {
		read, written := in, off
		done, err := unix.CopyFileRange(int(source.Fd()), &read, int(f.Fd()), &written, int(min(n, 1<<30)), 0)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG) || errors.Is(err, unix.EIO):
			return &fs.PathError{Op: "copy", Path: f.Name(), Err: err}
		case err != nil || done == 0: // not on this file system, or not between these two
			return errors.ErrUnsupported
		}
		RangesCopied.Add(1)
		in, off, n = in+int64(done), off+int64(done), n-int64(done)
	}
	return nil
}
