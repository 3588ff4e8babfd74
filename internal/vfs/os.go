package vfs

import (
	"errors"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
)

// OS is the file system of the operating system.
var OS FS = osFS{}

// Devices is OS, except that Open also opens files that are not regular, such as devices, for
// programs that open any file that their users name.
var Devices FS = osFS{devices: true}

type osFS struct{ devices bool }

type osFile struct {
	*os.File
	locked *atomic.Bool // locks were taken or tried, so that Close must release them
	inode  inode        // zero if it is not known yet
}

func newFile(fd int, name string) osFile {
	return osFile{File: os.NewFile(uintptr(fd), name), locked: new(atomic.Bool)}
}

func (osFS) Create(name string) (File, error) { return createFile(name, 0o666) }

func createFile(name string, perm uint32) (File, error) {
	fd, err := openFD(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	return newFile(fd, name), nil
}

// openFD is os.OpenFile, except that it does not register the file with the runtime's poller. For a
// regular file that fails, after five system calls that take longer than opening it.
func openFD(name string, flag int, perm uint32) (int, error) {
	for {
		fd, err := syscall.Open(name, flag|syscall.O_CLOEXEC, perm)
		if err == nil {
			return fd, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return -1, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

func (osFS) Remove(name string) error { return os.Remove(name) }

func (osFS) Rename(from, to string) error { return os.Rename(from, to) }

func (osFS) Link(from, to string) error { return os.Link(from, to) }

// Identity calls stat directly: os.Stat is slower, and each opening of an array needs several
// identities.
func (osFS) Identity(name string) (any, error) {
	for {
		var stat syscall.Stat_t
		err := syscall.Stat(name, &stat)
		if err == nil {
			return inodeOf(&stat), nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
		}
	}
}

func (f osFile) Identity() (any, error) {
	if f.inode != (inode{}) {
		return f.inode, nil
	}
	var stat syscall.Stat_t
	if err := f.stat(&stat); err != nil {
		return nil, err
	}
	return inodeOf(&stat), nil
}

// stat calls fstat directly: f.Stat takes twice the time.
func (f osFile) stat(stat *syscall.Stat_t) error {
	if syscall.Fstat(int(f.Fd()), stat) == nil {
		return nil
	}
	info, err := f.Stat()
	if err == nil {
		*stat = *info.Sys().(*syscall.Stat_t)
	}
	return err
}

// An inode is the identity of a file.
type inode struct{ device, number uint64 }

func inodeOf(stat *syscall.Stat_t) inode { return inode{uint64(stat.Dev), stat.Ino} }

func (osFS) List(dir string) (files, folders []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		} else {
			files = append(files, e.Name())
		}
	}
	return files, folders, err
}

func (osFS) Mkdir(dir string) error { return os.Mkdir(dir, 0o777) }

func (osFS) SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	// Some file systems cannot sync a directory and return these errors.
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

func (f osFile) Size() (int64, error) {
	var stat syscall.Stat_t
	err := f.stat(&stat)
	return stat.Size, err
}

func (f osFile) Allocated() (int64, error) {
	var stat syscall.Stat_t
	err := f.stat(&stat)
	return int64(stat.Blocks) * 512, err
}
