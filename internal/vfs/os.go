package vfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// OS is the file system of the operating system.
var OS FS = osFS{}

type osFS struct{}

type osFile struct{ *os.File }

func (osFS) Create(name string) (File, error) {
	return wrapOS(os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666))
}

func (osFS) Open(name string, write bool) (File, error) {
	flag := os.O_RDONLY
	if write {
		flag = os.O_RDWR
	}
	return wrapOS(os.OpenFile(name, flag, 0))
}

func wrapOS(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
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
