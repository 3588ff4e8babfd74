//go:build !linux

package vfs

import (
	"errors"

	"golang.org/x/sys/unix"
)

// A mark is a record lock of the process. It is lost when the process closes another opening of the
// file; there is no portable lock without this defect.
const (
	setMark = unix.F_SETLK
	getMark = unix.F_GETLK
)

// holderPid returns a function that returns the process, other than this one, that had the mark, or
// 0.
func (f osFile) holderPid() func() int {
	pid := int(f.marked().Pid)
	return func() int { return pid }
}

// Locks returns a lock that is not supported.
func (f osFile) Locks(int) Locker { return noLock{} }

type noLock struct{}

func (noLock) Lock() error       { return errors.ErrUnsupported }
func (noLock) LockShared() error { return errors.ErrUnsupported }
func (noLock) Unlock() error     { return errors.ErrUnsupported }
func (noLock) Locked() bool      { return false }

// LockRange is not supported.
func (f osFile) LockRange(int64, int64) (func() error, error) {
	return nil, errors.ErrUnsupported
}

// TryLockRange is not supported.
func (f osFile) TryLockRange(int64, int64, bool) (func() error, error) {
	return nil, errors.ErrUnsupported
}
