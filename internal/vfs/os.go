package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
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

// Lock uses flock: it belongs to the open file, so that two openings in one process
// exclude each other too, and it is gone with the process: stale locks cannot exist. A
// POSIX lock beside it excludes nobody but tells others who has the file.
func (f osFile) Lock() error {
	if err := f.flock(unix.LOCK_EX); err != nil {
		return err
	}
	own := unix.Flock_t{Type: unix.F_WRLCK}
	_ = unix.FcntlFlock(f.Fd(), unix.F_SETLK, &own) // for the name only
	return nil
}

func (f osFile) LockShared() error { return f.flock(unix.LOCK_SH) }

func (f osFile) flock(how int) error {
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return fmt.Errorf("%s: %w%s", f.Name(), ErrLocked, f.holder())
	case err != nil:
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return nil
}

func (f osFile) Unlock() error {
	none := unix.Flock_t{Type: unix.F_UNLCK}
	_ = unix.FcntlFlock(f.Fd(), unix.F_SETLK, &none)
	if err := unix.Flock(int(f.Fd()), unix.LOCK_UN); err != nil {
		return &fs.PathError{Op: "unlock", Path: f.Name(), Err: err}
	}
	return nil
}

// holder names the process that has the lock, as far as the system tells.
func (f osFile) holder() string {
	pid := f.holderPid()
	if pid == 0 {
		return fmt.Sprintf(", perhaps this process (%d)", os.Getpid())
	}
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return fmt.Sprintf(", process %d", pid)
	}
	return fmt.Sprintf(", process %d (%s)", pid, strings.TrimSpace(string(name)))
}

// holderPid returns the process, other than this one, that has the POSIX lock, or 0.
func (f osFile) holderPid() int {
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &lock); err != nil || lock.Type == unix.F_UNLCK {
		return 0
	}
	return int(lock.Pid)
}

// Locked asks for the POSIX lock: trying the other one might refuse it to a writer.
func (f osFile) Locked() bool { return f.holderPid() != 0 }
