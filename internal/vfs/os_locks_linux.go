package vfs

import "golang.org/x/sys/unix"

// firstLock is the byte that lock 0 of a file would lock. It is beyond the end of any file, and
// beyond what LockRange is used for.
const firstLock = 1 << 61

// An osLock is a lock of the open file description on one byte.
type osLock struct {
	file osFile
	at   int64
}

// Locks returns lock number n.
func (f osFile) Locks(n int) Locker { return osLock{f, firstLock + int64(n)} }

func (l osLock) Lock() error { return l.set(unix.F_WRLCK) }

// LockShared takes the lock on a file that may be open for reading only.
func (l osLock) LockShared() error { return l.set(unix.F_RDLCK) }

func (l osLock) Unlock() error { return l.set(unix.F_UNLCK) }

func (l osLock) set(kind int16) error {
	l.file.locked.Store(true)
	return l.file.setRange(kind, l.at, 1)
}

// Locked asks for the lock without taking it.
func (l osLock) Locked() bool {
	lock := unix.Flock_t{Type: unix.F_WRLCK, Start: l.at, Len: 1}
	err := unix.FcntlFlock(l.file.Fd(), unix.F_OFD_GETLK, &lock)
	return err == nil && lock.Type != unix.F_UNLCK
}
