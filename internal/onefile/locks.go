package onefile

import (
	"errors"

	"drx/internal/vfs"
)

// The locks of the views are locks of the file: that of the log is the file's own, the others have
// the numbers of their members. Where the system has no numbered locks, only that of the log
// exists, so that no processes can share an array.

// lock returns the lock of the view.
func (v *view) lock() vfs.Locker {
	if v.member == logMember {
		return v.File()
	}
	return v.File().Locks(int(v.member))
}

// Lock acquires the lock. A process that has that of the principal array, not shared, is the only
// one that changes the file.
func (v *view) Lock() error {
	if err := v.check("lock", 0, false); err != nil {
		return err
	}
	err := v.lock().Lock()
	if errors.Is(err, errors.ErrUnsupported) && v.member != logMember && v.base == logStream {
		err = nil
	}
	if err == nil && v.member == dataMember {
		return v.own()
	}
	return err
}

// own records that no other process changes the file any more. It first reads how the file has
// grown.
func (v *view) own() error {
	if v.alone.Load() || v.streams.Load() == nil {
		v.alone.Store(true)
		return nil
	}
	err := v.reread()
	v.alone.Store(err == nil)
	return err
}

// LockShared acquires the lock in shared mode.
func (v *view) LockShared() error {
	if err := v.check("lock", 0, false); err != nil {
		return err
	}
	return v.lock().LockShared()
}

// Unlock releases the lock.
func (v *view) Unlock() error {
	if err := v.check("unlock", 0, false); err != nil {
		return err
	}
	if v.member == dataMember {
		v.alone.Store(false)
	}
	return v.lock().Unlock()
}

// Locked reports whether another open file has the lock.
func (v *view) Locked() bool { return v.lock().Locked() }

// Locks returns no usable lock: a view has only one, its own.
func (v *view) Locks(int) vfs.Locker { return noLock{} }

type noLock struct{}

func (noLock) Lock() error       { return errors.ErrUnsupported }
func (noLock) LockShared() error { return errors.ErrUnsupported }
func (noLock) Unlock() error     { return errors.ErrUnsupported }
func (noLock) Locked() bool      { return false }

// Ranges are locked far behind the end of the file, separately for each array and each member. The
// array in streams 0 and 1 has more of them than one of several.
const (
	firstRange = 1 << 60
	rangeBits  = 58 // of a member
	laterRange = 1 << 62
	laterBits  = 44 // of a member of one of several arrays
)

// LockRange locks a range of the member. Offsets beyond the last one with its own lock share that
// lock; no entry is that far.
func (v *view) LockRange(off, n int64) (func() error, error) {
	return v.File().LockRange(v.lockedRange(off, n))
}

// TryLockRange is LockRange without waiting, also for a shared lock.
func (v *view) TryLockRange(off, n int64, shared bool) (func() error, error) {
	first, n := v.lockedRange(off, n)
	return v.File().TryLockRange(first, n, shared)
}

// lockedRange returns where in the file the lock of a range of the member is.
func (v *view) lockedRange(off, n int64) (first, length int64) {
	first, bits := int64(firstRange), rangeBits
	if v.base != logStream {
		first, bits = laterRange+int64(v.base)<<(laterBits+1), laterBits
	}
	last := int64(1)<<bits - 1
	off = min(off, last)
	return first + int64(v.member)<<bits + off, min(n, last+1-off)
}
