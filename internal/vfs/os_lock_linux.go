package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A mark is a lock of the open file description, which ends only when that opening is closed. A
// record lock of the process would end when the process closes any opening of the file.
const (
	setMark = unix.F_OFD_SETLK
	getMark = unix.F_OFD_GETLK
)

// holderPid returns a function that returns a process that has the lock, or 0 if the system does
// not tell: in another container, over a network, or if device numbers of files differ from those
// of their file system. The function does not need the file to be open.
func (f osFile) holderPid() func() int {
	id, err := f.Identity()
	return func() int {
		locks, readErr := os.ReadFile("/proc/locks")
		if err != nil || readErr != nil {
			return 0
		}
		return flockHolder(string(locks), id.(inode))
	}
}

// flockHolder returns the first process that has a flock on a file in a text like that of
// /proc/locks, 0 for none. A lock is a line of that text, see proc_locks(5):
//
//	1: FLOCK  ADVISORY  WRITE 4242 fd:01:1234 0 EOF
//
// with the device in two hexadecimal numbers and the inode in decimal. A lock that waits for
// another one has an arrow before its kind.
func flockHolder(locks string, file inode) int {
	name := file.procName()
	for line := range strings.Lines(locks) {
		fields := strings.Fields(line)
		if len(fields) < 6 || fields[1] != "FLOCK" || fields[5] != name {
			continue
		}
		if pid, err := strconv.Atoi(fields[4]); err == nil && pid > 0 {
			return pid
		}
	}
	return 0
}

// procName returns the device and the number of a file as /proc has them.
func (i inode) procName() string {
	return fmt.Sprintf("%02x:%02x:%d", unix.Major(i.device), unix.Minor(i.device), i.number)
}

// rangePid is holderPid for a lock on n bytes from off.
func (f osFile) rangePid(off, n int64) func() int {
	id, err := f.Identity()
	return func() int {
		if err != nil {
			return 0
		}
		return rangeHolder(id.(inode), off, n)
	}
}

// rangeHolder returns a process with an open file whose description has a lock on one of n bytes
// from off of a file, 0 for none. /proc/locks has no process for such a lock, but each process
// lists the locks of its open files, to those who may see them.
func rangeHolder(file inode, off, n int64) int {
	infos, _ := filepath.Glob("/proc/[0-9]*/fdinfo/*") // the pattern is good
	for _, name := range infos {
		info, err := os.ReadFile(name)
		if err != nil || !hasRangeLock(string(info), file, off, n) { // it may be gone
			continue
		}
		if pid, err := strconv.Atoi(strings.Split(name, "/")[2]); err == nil {
			return pid
		}
	}
	return 0
}

// hasRangeLock reports whether a text like that of /proc/PID/fdinfo/FD has a lock of the open file
// description on one of n bytes from off of a file:
//
//	lock:	1: OFDLCK  ADVISORY  WRITE -1 fd:01:1234 128 EOF
func hasRangeLock(info string, file inode, off, n int64) bool {
	name := file.procName()
	for line := range strings.Lines(info) {
		fields := strings.Fields(line)
		if len(fields) < 9 || fields[0] != "lock:" || fields[2] != "OFDLCK" || fields[6] != name {
			continue
		}
		first, err := strconv.ParseInt(fields[7], 10, 64)
		last, endErr := strconv.ParseInt(fields[8], 10, 64)
		if fields[8] == "EOF" {
			last, endErr = math.MaxInt64, nil
		}
		if err == nil && endErr == nil && first < off+n && off <= last {
			return true
		}
	}
	return false
}

// rangeTimeout limits how long LockRange waits. Who has such a lock holds it while it makes a file
// longer, adds a name or changes a chunk, so only a process that was stopped, or a device that
// hangs, keeps it for so long.
var rangeTimeout = time.Minute

// LockRange uses a lock of the open file description. It excludes other openings in this process as
// well, and ends with the process. It asks again and again, because the system's own wait has no
// end.
func (f osFile) LockRange(off, n int64) (func() error, error) {
	f.locked.Store(true)
	end := time.Now().Add(rangeTimeout)
	for wait := 20 * time.Microsecond; ; wait = min(2*wait, 2*time.Millisecond) {
		err := f.setRange(unix.F_WRLCK, off, n)
		switch {
		case err == nil:
			return func() error { return f.setRange(unix.F_UNLCK, off, n) }, nil
		case !errors.Is(err, ErrLocked):
			return nil, err
		case time.Now().After(end):
			return nil, fmt.Errorf("%w; waited %v for its lock on %d bytes from %d", err, rangeTimeout, n, off)
		}
		time.Sleep(wait)
	}
}

// TryLockRange uses a lock of the open file description, as LockRange does.
func (f osFile) TryLockRange(off, n int64, shared bool) (func() error, error) {
	f.locked.Store(true)
	kind := int16(unix.F_WRLCK)
	if shared {
		kind = unix.F_RDLCK
	}
	if err := f.setRange(kind, off, n); err != nil {
		return nil, err
	}
	return func() error { return f.setRange(unix.F_UNLCK, off, n) }, nil
}

// setRange locks or unlocks n bytes from off without waiting.
func (f osFile) setRange(kind int16, off, n int64) error {
	for {
		err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: kind, Start: off, Len: n})
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES):
			return &lockedError{f.Name(), f.rangePid(off, n)}
		case !errors.Is(err, unix.EINTR):
			return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
		}
	}
}
