package vfstest

import (
	"io"
	"math"
	"slices"

	"drx/internal/vfs"
)

// A crashFile is an opening of a file. It embeds an opening of the empty file of its node, with the
// same name, which has the locks.
type crashFile struct {
	vfs.File
	crash  *Crash
	node   *crashNode
	write  bool
	closed bool // guarded by crash.mu
}

// check returns an error for operations that the operating system would reject, see vfs.CheckOp,
// and for every operation after the crash.
func (f *crashFile) check(op string, at int64) error {
	if err := vfs.CheckOp(op, f.Name(), at, f.closed, false); err != nil {
		return err
	}
	return f.crash.alive()
}

// step is check for operations that change something: they are counted.
func (f *crashFile) step(op string, at int64) error {
	if err := vfs.CheckOp(op, f.Name(), at, f.closed, !f.write); err != nil {
		return err
	}
	return f.crash.step()
}

func (f *crashFile) Identity() (any, error) {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	return f.node, f.check("stat", 0)
}

func (f *crashFile) Access() (vfs.Access, error) {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	if err := f.check("stat", 0); err != nil {
		return vfs.Access{}, err
	}
	return f.File.Access()
}

func (f *crashFile) ReadAt(b []byte, off int64) (int, error) {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	if err := f.check("read", off); err != nil {
		return 0, err
	}
	n := f.node.now.readAt(b, off)
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *crashFile) WriteAt(b []byte, off int64) (int, error) {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	if err := f.step("write", min(off, math.MaxInt64-int64(len(b))-off)); err != nil {
		return 0, err
	}
	for done := 0; done < len(b); {
		at := off + int64(done)
		part := b[done:min(len(b), done+crashSector-int(at%crashSector))]
		f.change(change{off: at, data: slices.Clone(part)})
		done += len(part)
	}
	return len(b), nil
}

func (f *crashFile) change(h change) {
	f.node.now.apply(h)
	f.node.pending = append(f.node.pending, h)
}

func (f *crashFile) Truncate(size int64) error {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	if err := f.step("truncate", size); err != nil {
		return err
	}
	f.change(change{off: size, length: true})
	return nil
}

// Allocate has no visible effect.
func (f *crashFile) Allocate(int64, int64) {}

// Punch writes zeros: like any write it may reach the disk completely, in part or not at all.
func (f *crashFile) Punch(off, n int64) error {
	size, err := f.Size()
	if n = min(n, size-off); err != nil || n <= 0 {
		return err
	}
	_, err = f.WriteAt(make([]byte, n), off)
	return err
}

// Sync counts as a change of the disk, even by a file open for reading.
func (f *crashFile) Sync() error {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	if err := vfs.CheckOp("sync", f.Name(), 0, f.closed, false); err != nil {
		return err
	}
	if err := f.crash.step(); err != nil {
		return err
	}
	f.node.durable = f.node.now.clone()
	f.node.pending = nil
	return nil
}

func (f *crashFile) Size() (int64, error) {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	return f.node.now.size, f.check("size", 0)
}

// Allocated returns the size: a Crash has no holes.
func (f *crashFile) Allocated() (int64, error) { return f.Size() }

func (f *crashFile) Data(off int64) (from, to int64, err error) {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	size := f.node.now.size
	if err = f.check("seek", off); err == nil && off >= size {
		err = io.EOF
	}
	return off, size, err
}

func (f *crashFile) Lock() error { return crashLock{f.File, f}.Lock() }

func (f *crashFile) LockShared() error { return crashLock{f.File, f}.LockShared() }

func (f *crashFile) Unlock() error { return crashLock{f.File, f}.Unlock() }

// Locks returns lock number n.
func (f *crashFile) Locks(n int) vfs.Locker { return crashLock{f.File.Locks(n), f} }

// A crashLock is a lock that cannot be acquired after the crash.
type crashLock struct {
	vfs.Locker
	file *crashFile
}

func (l crashLock) alive() error {
	l.file.crash.mu.Lock()
	defer l.file.crash.mu.Unlock()
	return l.file.crash.alive()
}

func (l crashLock) Lock() error {
	if err := l.alive(); err != nil {
		return err
	}
	return l.Locker.Lock()
}

func (l crashLock) LockShared() error {
	if err := l.alive(); err != nil {
		return err
	}
	return l.Locker.LockShared()
}

// Unlock releases the lock also when it returns an error.
func (l crashLock) Unlock() error {
	if err := l.Locker.Unlock(); err != nil {
		return err
	}
	return l.alive()
}

// Close closes the file and releases its locks, even after the crash.
func (f *crashFile) Close() error {
	f.crash.mu.Lock()
	defer f.crash.mu.Unlock()
	f.closed = true
	return f.File.Close()
}
