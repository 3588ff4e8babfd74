package vfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// OS is the file system of the operating system.
var OS FS = osFS{}

// Devices is OS, but that Open also opens what is not a regular file, such as a device: for
// programs that open whatever their users name.
var Devices FS = osFS{devices: true}

type osFS struct{ devices bool }

type osFile struct{ *os.File }

func (osFS) Create(name string) (File, error) { return createFile(name, 0o666) }

func createFile(name string, perm uint32) (File, error) {
	fd, err := openFD(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	return osFile{os.NewFile(uintptr(fd), name)}, nil
}

// openFD is os.OpenFile, but that it does not try whether the runtime can wait for the file, as it
// can for pipes: the five system calls to learn that it cannot take longer than opening it.
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

func (osFS) Identity(name string) (any, error) { return identity(os.Stat(name)) }

func (f osFile) Identity() (any, error) { return identity(f.Stat()) }

// An inode is the identity of a file.
type inode struct{ device, number uint64 }

func identity(info fs.FileInfo, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	stat := info.Sys().(*syscall.Stat_t)
	return inode{uint64(stat.Dev), stat.Ino}, nil
}

func (osFS) SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	// Some file systems cannot sync a directory and say so.
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f osFile) Allocated() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(stat.Blocks) * 512, nil
	}
	return info.Size(), nil
}
