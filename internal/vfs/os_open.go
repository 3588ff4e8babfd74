package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func (o osFS) Open(name string, write bool) (File, error) {
	if o.devices {
		fd, err := openFD(name, openFlag(write), 0)
		if err != nil {
			return nil, err
		}
		return newFile(fd, name), nil
	}
	return openRegular(name, openFlag(write), os.Stat)
}

func (osFS) OpenNoFollow(name string, write bool) (File, error) {
	return openRegular(name, openFlag(write)|syscall.O_NOFOLLOW, os.Lstat)
}

// readStart opens no os.File, and asks nothing about the file: that takes most of the time.
func (osFS) readStart(name string, b []byte) (int, error) {
	fd, err := openFD(name, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return 0, err
	}
	n, err := syscall.Pread(fd, b, 0)
	_ = syscall.Close(fd)
	return n, err
}

func openFlag(write bool) int {
	if write {
		return os.O_RDWR
	}
	return os.O_RDONLY
}

// openRegular opens an existing file and returns an error unless it is a regular file. describe
// returns the information about the file that the flags open.
func openRegular(name string, flag int, describe func(string) (fs.FileInfo, error)) (File, error) {
	fd, err := openNonblocking(name, flag)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		if info, statErr := describe(name); statErr == nil && !info.Mode().IsRegular() {
			err = errIrregular(name, info.Mode())
		}
		return nil, err
	}
	f := newFile(fd, name)
	var stat syscall.Stat_t
	if f.stat(&stat) == nil && stat.Mode&syscall.S_IFMT == syscall.S_IFREG {
		f.inode = inodeOf(&stat)
		return f, nil
	}
	info, err := f.Stat()
	if err == nil {
		err = errIrregular(name, info.Mode())
	}
	_ = f.File.Close()
	return nil, err
}

// leaseTimeout is longer than the time for which the system lets a process keep the lease of a file
// that another process wants to open.
const leaseTimeout = time.Minute

// openNonblocking opens a file without waiting for the other end of a FIFO or for a device. It
// waits only until another process, such as a file server, gives up its lease of the file.
func openNonblocking(name string, flag int) (int, error) {
	fd, err := openFD(name, flag|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	for end := time.Now().Add(leaseTimeout); errors.Is(err, syscall.EAGAIN) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
		fd, err = openFD(name, flag|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		return -1, err
	}
	// Reads and writes block again.
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, 0); err != nil {
		_ = syscall.Close(fd)
		return -1, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return fd, nil
}

// errIrregular returns the error for a name that does not refer to a regular file.
func errIrregular(name string, mode fs.FileMode) error {
	if mode&fs.ModeSymlink != 0 {
		target, err := filepath.EvalSymlinks(name)
		if err != nil {
			target, _ = os.Readlink(name) // the link is dangling
		}
		return &LinkError{Name: name, Target: target}
	}
	kind := "something else"
	switch {
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a FIFO"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w but %s", ErrNotRegular, kind)}
}
