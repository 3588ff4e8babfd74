package remote

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"drx/internal/errkind"
	"drx/internal/vfs"
)

// A lock is the lock file that some files share, and their locks inside this process.
type lock struct {
	fs     *FS
	key    string
	path   string
	users  int    // guarded by fs.mu
	inside vfs.FS // one in-memory file per file, which carries the locks inside this process

	mu    sync.Mutex // held while the lock file is acquired
	lease *lease     // nil until the lock file is acquired
}

func (l *lock) current() *lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lease
}

// get acquires the lock file, unless this process has it already.
func (l *lock) get(join bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lease != nil {
		return l.lease.check()
	}
	lease, previous, err := getLease(l.fs.FS, l.path, l.fs.host, join, l.fs.notice)
	if err != nil {
		return err
	}
	if l.lease = lease; previous != (Owner{}) {
		l.fs.notice(fmt.Sprintf("%s: previous over the lock of %v, whose last sign of life was at %s", l.path, previous, previous.Time.Format(time.RFC3339)))
	}
	go lease.keep()
	return nil
}

// check returns nil if this process may write.
func (l *lock) check() error {
	if lease := l.current(); lease != nil {
		return lease.check()
	}
	return nil
}

func (l *lock) isLost() bool {
	lease := l.current()
	return lease != nil && lease.lost.Load()
}

func (l *lock) release() {
	if lease := l.current(); lease != nil {
		lease.release()
	}
}

// isHeldElsewhere reports whether another process has the lock file.
func (l *lock) isHeldElsewhere() bool {
	if lease := l.current(); lease != nil {
		return lease.lost.Load()
	}
	o, _, err := readOwner(l.fs.FS, l.path)
	if err != nil {
		return false
	}
	alive, known := l.fs.host.Alive(o)
	return alive || !known
}

// A file is an open file on a file system whose locks or caches several machines do not share.
type file struct {
	vfs.File
	fs     *FS
	system vfs.System
	fresh  bool // each read goes to the file system, past the cache

	mu     sync.Mutex
	lock   *lock    // nil until needed
	inside vfs.File // of lock.inside; nil until this file enters the lock
}

// System returns what the file system does not guarantee.
func (f *file) System() vfs.System { return f.system }

// Refetch makes the next reads of a range come from the file system, and not from its cache.
func (f *file) Refetch(off, n int64) { vfs.Refetch(f.File, off, n) }

// held returns the lock of the file if this process has it, or has lost it, otherwise nil.
func (f *file) held() *lock {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lock == nil {
		f.lock = f.fs.lockOf(f.Name())
		if f.lock != nil && f.system.StaleCaches {
			vfs.Refetch(f.File, 0, -1) // from now on nobody else changes it
		}
	}
	return f.lock
}

// Confirm returns nil if this process has the lock of the file and may write, or has never had it.
func (f *file) Confirm() error {
	if l := f.held(); l != nil {
		return l.check()
	}
	return nil
}

// SystemOf returns what the file system of a file does not guarantee. It is the zero value for a
// file that this package does not wrap.
func SystemOf(f vfs.File) vfs.System {
	if r, is := vfs.Base(f).(*file); is {
		return r.system
	}
	return vfs.System{}
}

// Confirm returns an error if this process has lost the lock that writing to a file requires. What
// the process remembers of the array is then no longer valid.
func Confirm(f vfs.File) error {
	if c, is := vfs.Base(f).(interface{ Confirm() error }); is {
		return c.Confirm()
	}
	return nil
}

// Fence records that this process has lost the lock of a file because another process has
// committed, and returns the error for that. From then on, nothing that needs the lock is written.
func Fence(f vfs.File) error {
	e := &FencedError{Lock: f.Name(), Committed: true}
	r, is := vfs.Base(f).(*file)
	if !is {
		return e
	}
	if l := r.held(); l != nil && l.current() != nil {
		e.Lock = l.path
		l.current().outrun()
	}
	return e
}

// ReadAt reads bytes, and always from the file system, even while this process has the lock and
// nobody else writes: a server that identifies files by name may confuse a file with the one it has
// replaced. A process that still has the old file open then brings the old bytes into the cache.
// The cached end of the file can be old, too.
func (f *file) ReadAt(b []byte, off int64) (int, error) {
	if f.fresh && len(b) > 0 {
		vfs.Refetch(f.File, off, int64(len(b)))
	}
	n, err := f.File.ReadAt(b, off)
	if errors.Is(err, io.EOF) && f.system.StaleCaches {
		vfs.Refetch(f.File, off, -1)
		n, err = f.File.ReadAt(b, off)
	}
	return n, gone(err)
}

// gone gives the error of an open file that another machine has removed the kind fs.ErrNotExist.
func gone(err error) error {
	if errors.Is(err, syscall.ESTALE) {
		return errkind.Of(fs.ErrNotExist, err)
	}
	return err
}

// Size returns the length.
func (f *file) Size() (int64, error) {
	if f.system.StaleCaches {
		vfs.Refetch(f.File, 0, 0)
	}
	n, err := f.File.Size()
	return n, gone(err)
}

// Data returns the next range at or after off that may hold bytes other than zeros.
func (f *file) Data(off int64) (from, to int64, err error) {
	if f.system.StaleCaches {
		vfs.Refetch(f.File, 0, 0)
	}
	return f.File.Data(off)
}

// WriteAt writes bytes.
func (f *file) WriteAt(b []byte, off int64) (int, error) {
	if err := f.Confirm(); err != nil {
		return 0, err
	}
	return f.File.WriteAt(b, off)
}

// Truncate sets the length.
func (f *file) Truncate(size int64) error {
	if err := f.Confirm(); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

// Punch makes a hole.
func (f *file) Punch(off, n int64) error {
	if err := f.Confirm(); err != nil {
		return err
	}
	return f.File.Punch(off, n)
}

// Sync makes durable what was written.
func (f *file) Sync() error {
	if err := f.Confirm(); err != nil {
		return err
	}
	return f.File.Sync()
}

// Map maps a range of the file. It fails where the pages of one machine miss the changes of others.
func (f *file) Map(off int64, n int) (vfs.Mapping, error) {
	if f.system.StaleCaches {
		return nil, errkind.Errorf(errors.ErrUnsupported, "map %s: mapped pages of %s may be old", f.Name(), f.system.Name)
	}
	return f.File.Map(off, n)
}

// locking acquires the lock file and returns the file that carries the locks inside this process.
// With join, it shares the lock file with the process that already has it.
func (f *file) locking(join bool) (vfs.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.inside == nil {
		l := f.fs.enter(f.Name())
		if err := l.get(join); err != nil {
			f.fs.leave(l)
			return nil, err
		}
		inside, err := l.inside.Open(f.Name(), true)
		if err != nil {
			if inside, err = l.inside.Create(f.Name()); err != nil {
				inside, err = l.inside.Open(f.Name(), true) // another goroutine was faster
			}
		}
		if err != nil {
			f.fs.leave(l)
			return nil, err
		}
		if f.system.StaleCaches {
			vfs.Refetch(f.File, 0, -1) // it may have changed before this process got the lock
		}
		f.lock, f.inside = l, inside
	}
	return f.inside, f.lock.check()
}

// Lock gets the lock.
func (f *file) Lock() error { return f.Locks(0).Lock() }

// LockShared acquires the lock, which other processes of the same writer may share.
func (f *file) LockShared() error { return f.Locks(0).LockShared() }

// Unlock releases the lock inside this process. The lock file stays until Close.
func (f *file) Unlock() error { return f.Locks(0).Unlock() }

// Locked reports whether another open file has the lock.
func (f *file) Locked() bool { return f.Locks(0).Locked() }

// Locks returns a lock by its number, 0 for the file's own.
func (f *file) Locks(n int) vfs.Locker {
	if !f.system.LocalLocks {
		if n == 0 {
			return f.File
		}
		return f.File.Locks(n)
	}
	return numberedLock{f, n}
}

// A numberedLock is one lock of a file.
type numberedLock struct {
	file *file
	n    int
}

func (l numberedLock) do(join bool, f func(vfs.Locker) error) error {
	inside, err := l.file.locking(join)
	switch {
	case err != nil:
		return err
	case l.n == 0:
		return f(inside)
	}
	return f(inside.Locks(l.n))
}

func (l numberedLock) Lock() error       { return l.both(false, vfs.Locker.Lock) }
func (l numberedLock) LockShared() error { return l.both(true, vfs.Locker.LockShared) }

// both acquires the lock inside this process and the lock of the system. The latter keeps out
// processes of this machine that use no lock files; a system without locks is skipped.
func (l numberedLock) both(join bool, get func(vfs.Locker) error) error {
	if err := l.do(join, get); err != nil {
		return err
	}
	err := get(l.system())
	if errors.Is(err, vfs.ErrLocked) {
		_ = l.do(false, vfs.Locker.Unlock)
		return err
	}
	return nil
}

// system returns the system's lock.
func (l numberedLock) system() vfs.Locker {
	if l.n == 0 {
		return l.file.File
	}
	return l.file.File.Locks(l.n)
}

func (l numberedLock) Unlock() error {
	l.file.mu.Lock()
	locked := l.file.inside != nil
	l.file.mu.Unlock()
	if !locked {
		return nil
	}
	_ = l.system().Unlock() // does nothing on a system without locks
	return l.do(false, vfs.Locker.Unlock)
}

func (l numberedLock) Locked() bool {
	held := l.file.held()
	if l.system().Locked() {
		return true
	}
	if held == nil || held.current() == nil {
		none := &lock{fs: l.file.fs, path: l.file.fs.names.Lock(l.file.Name())}
		return none.isHeldElsewhere()
	}
	if held.isHeldElsewhere() {
		return true
	}
	locked := false
	inside, err := held.inside.Open(l.file.Name(), false)
	if l.file.mu.Lock(); l.file.inside != nil {
		inside, err = l.file.inside, nil
	}
	l.file.mu.Unlock()
	if err == nil {
		locked = inside.Locks(l.n).Locked()
	}
	return locked
}

// rangeTimeout limits how long LockRange waits.
const rangeTimeout = time.Minute

// LockRange waits for the lock on a range.
func (f *file) LockRange(off, n int64) (func() error, error) {
	if !f.system.LocalLocks {
		return f.File.LockRange(off, n)
	}
	for end := f.fs.host.Now().Add(rangeTimeout); ; f.fs.host.Sleep(10 * time.Millisecond) {
		inside, err := f.locking(false)
		if err == nil {
			return bothRanges(inside.LockRange, f.File.LockRange, off, n)
		}
		if !errors.Is(err, vfs.ErrLocked) || f.fs.host.Now().After(end) {
			return nil, err
		}
	}
}

// TryLockRange is LockRange without waiting.
func (f *file) TryLockRange(off, n int64, shared bool) (func() error, error) {
	if !f.system.LocalLocks {
		return f.File.TryLockRange(off, n, shared)
	}
	inside, err := f.locking(false)
	if err != nil {
		return nil, err
	}
	try := func(of vfs.File) func(off, n int64) (func() error, error) {
		return func(off, n int64) (func() error, error) { return of.TryLockRange(off, n, shared) }
	}
	return bothRanges(try(inside), try(f.File), off, n)
}

// bothRanges is numberedLock.both for the lock on a range.
func bothRanges(inside, system func(off, n int64) (func() error, error), off, n int64) (func() error, error) {
	unlock, err := inside(off, n)
	if err != nil {
		return nil, err
	}
	release, err := system(off, n)
	switch {
	case errors.Is(err, vfs.ErrLocked):
		return nil, errors.Join(err, unlock())
	case err != nil:
		return unlock, nil
	}
	return func() error { return errors.Join(release(), unlock()) }, nil
}

// Close releases the locks and closes the file. The last file to close removes the lock file.
func (f *file) Close() error {
	err := f.File.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.inside != nil {
		_ = f.inside.Close()
		f.inside = nil
		f.fs.leave(f.lock)
	}
	return err
}
