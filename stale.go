package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/remote"
	"drx/internal/vfs"
)

// staleTries is how often whileStale calls, and staleWait how long it waits before it calls again.
// Most file systems forget the length and the names of files after a second.
const (
	staleTries = 3
	staleWait  = 600 * time.Millisecond
)

// whileStale calls f, which reads an array, again after it found the array damaged with err, where
// the file system may have shown old bytes. If f still finds damage, but the log, whose length
// logSize returns, has become longer meanwhile, the error wraps ErrStale instead of ErrCorrupt.
func whileStale(err error, logSize func() int64, f func() error) error {
	before := logSize()
	for range staleTries {
		time.Sleep(staleWait)
		if err = f(); !errors.Is(err, ErrCorrupt) {
			return err
		}
	}
	if logSize() == before {
		return err
	}
	return errkind.Errorf(ErrStale, "%v; but others have committed meanwhile, and %v: try again", err, ErrStale)
}

// logSize returns the length of the log, 0 if it is unknown.
func (a *Array) logSize() int64 {
	n, _ := a.file.Size()
	return n
}

// openAgain is open after it has returned an error of damage that the file system may only show.
func openAgain(name string, o Options, commit int, err error) (a *Array, _ error) {
	err = whileStale(err, func() int64 { return logSizeOf(o.filesystem(), name) }, func() (err error) {
		a, err = open(name, o, commit)
		return err
	})
	return a, err
}

// logSizeOf is logSize for the name of an array.
func logSizeOf(fsys vfs.FS, name string) int64 {
	f, err := fsys.Open(fileset.Log(name), false)
	if err != nil {
		return 0
	}
	defer f.Close()
	n, _ := f.Size()
	return n
}

// mayBeStale reports whether the file system of an array may return old bytes of its files.
func mayBeStale(fsys vfs.FS, name string) bool {
	for _, file := range []string{fileset.Log(name), fileset.Data(name)} {
		f, err := fsys.Open(file, false)
		if err != nil {
			continue
		}
		stale := remote.SystemOf(f).StaleCaches
		_ = f.Close()
		if stale {
			return true
		}
	}
	return false
}

// A Locks is the kind of locks with which writers exclude each other.
type Locks uint8

// The values of Locks. On NFS, SMB, FUSE and other file systems that several machines use, or one
// machine through several mounts, a lock of the system may keep out only those of one machine or
// mount. There a writer keeps a lock file beside the array, with a sign of life every two seconds.
// Whoever finds such a file of a process that is dead, or has given no sign for 30 seconds, may
// take the lock over; the writer before, if it lives, then gets ErrFenced and writes nothing more.
// Processes cannot share an array there (Options.Shared).
const (
	LocksAuto   Locks = iota // lock files where the system's locks may be local
	LocksSystem              // the system's locks: they are good, or all processes use one mount
	LocksFile                // lock files everywhere
)

// lockNames are the names of the values of Locks.
var lockNames = []string{"auto", "system", "file"}

// String returns "auto", "system" or "file".
func (l Locks) String() string {
	if int(l) >= len(lockNames) {
		return fmt.Sprintf("locks %d", uint8(l))
	}
	return lockNames[l]
}

// ParseLocks parses a text that String returns.
func ParseLocks(name string) (Locks, error) {
	l := slices.Index(lockNames, name)
	if l < 0 {
		return 0, errkind.Errorf(fs.ErrInvalid, "locks %q: want auto, system or file", name)
	}
	return Locks(l), nil
}

// SetLocks sets the kind of locks for all arrays that this process opens from now on, and returns
// the previous kind.
func SetLocks(l Locks) (before Locks) { return Locks(fileset.SetLocks(remote.Mode(l))) }

// SetLockNotice makes this process call notice, with a sentence, when it takes over the lock file
// of a process that is dead or seems so, and when it waits for more than a second to find out
// whether it is. That wait is at most half a minute.
func SetLockNotice(notice func(text string)) { fileset.SetLockNotice(notice) }
