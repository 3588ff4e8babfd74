package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A mark is a lock of the open file description, which ends only when that opening is closed. A
// record lock of the process would end when the process closes any opening of the file.
const (
	setMark = unix.F_OFD_SETLK
	getMark = unix.F_OFD_GETLK
)

// holderPid returns a process that has the lock, or 0 if the system does not tell: in another
// container, over a network, or if device numbers of files differ from those of their file system.
func (f osFile) holderPid() int {
	id, err := f.Identity()
	if err != nil {
		return 0
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0
	}
	return flockHolder(string(locks), id.(inode))
}

// flockHolder returns the first process that has a flock on a file in a text like that of
// /proc/locks, 0 for none. A lock is a line of that text, see proc_locks(5):
//
//	1: FLOCK  ADVISORY  WRITE 4242 fd:01:1234 0 EOF
//
// with the device in two hexadecimal numbers and the inode in decimal. A lock that waits for
// another one has an arrow before its kind.
func flockHolder(locks string, file inode) int {
	place := fmt.Sprintf("%02x:%02x:%d", unix.Major(file.device), unix.Minor(file.device), file.number)
	for line := range strings.Lines(locks) {
		fields := strings.Fields(line)
		if len(fields) < 6 || fields[1] != "FLOCK" || fields[5] != place {
			continue
		}
		if pid, err := strconv.Atoi(fields[4]); err == nil && pid > 0 {
			return pid
		}
	}
	return 0
}

// LockRange uses a lock of the open file description. It excludes other openings in this process as
// well, and ends with the process.
func (f osFile) LockRange(off, n int64) (func() error, error) {
	f.locked.Store(true)
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
