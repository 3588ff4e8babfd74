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

func openFlag(write bool) int {
	if write {
		return os.O_RDWR
	}
	return os.O_RDONLY
}

// openRegular opens a file that exists and refuses everything but a regular file. describe tells
// about what the flags open.
func openRegular(name string, flag int, describe func(string) (fs.FileInfo, error)) (File, error) {
	fd, err := openAtOnce(name, flag)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		if info, statErr := describe(name); statErr == nil && !info.Mode().IsRegular() {
			err = irregular(name, info.Mode())
		}
		return nil, err
	}
	f := newFile(fd, name)
	var stat syscall.Stat_t
	if f.stat(&stat) == nil && stat.Mode&syscall.S_IFMT == syscall.S_IFREG {
		return f, nil
	}
	info, err := f.Stat()
	if err == nil {
		err = irregular(name, info.Mode())
	}
	_ = f.File.Close()
	return nil, err
}

// leasePatience is longer than the system lets others keep a lease of a file that somebody wants to open.
const leasePatience = time.Minute

// openAtOnce does not wait for the other end of a FIFO, nor for a device. It does wait until another
// process gives up its lease of the file, as a file server may have one.
func openAtOnce(name string, flag int) (int, error) {
	fd, err := openFD(name, flag|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	for end := time.Now().Add(leasePatience); errors.Is(err, syscall.EAGAIN) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
		fd, err = openFD(name, flag|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		return -1, err
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, 0); err != nil { // reading and writing wait again
		_ = syscall.Close(fd)
		return -1, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return fd, nil
}

// irregular returns the error for a name that stands for something else than a regular file.
func irregular(name string, mode fs.FileMode) error {
	if mode&fs.ModeSymlink != 0 {
		target, err := filepath.EvalSymlinks(name)
		if err != nil {
			target, _ = os.Readlink(name) // it leads nowhere
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
