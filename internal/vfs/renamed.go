package vfs

import (
	"errors"
	"io/fs"
)

// Renamed returns an open file under the name that a Rename has given it, for Name and for errors.
func Renamed(f File, name string) File { return renamedFile{f, name} }

type renamedFile struct {
	File
	name string
}

// named replaces the old name in an error by the new one.
func (f renamedFile) named(err error) error {
	if path := (*fs.PathError)(nil); err != nil && errors.As(err, &path) && path.Path == f.File.Name() {
		path.Path = f.name
	}
	return err
}

func (f renamedFile) Name() string { return f.name }

// Original returns the file itself.
func (f renamedFile) Original() File { return f.File }

func (f renamedFile) Identity() (any, error) {
	id, err := f.File.Identity()
	return id, f.named(err)
}

func (f renamedFile) Access() (Access, error) {
	a, err := f.File.Access()
	return a, f.named(err)
}

func (f renamedFile) ReadAt(b []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(b, off)
	return n, f.named(err)
}

func (f renamedFile) WriteAt(b []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(b, off)
	return n, f.named(err)
}

func (f renamedFile) Size() (int64, error) {
	n, err := f.File.Size()
	return n, f.named(err)
}

func (f renamedFile) Allocated() (int64, error) {
	n, err := f.File.Allocated()
	return n, f.named(err)
}

func (f renamedFile) Data(off int64) (from, to int64, err error) {
	from, to, err = f.File.Data(off)
	return from, to, f.named(err)
}

func (f renamedFile) LockRange(off, n int64) (func() error, error) {
	unlock, err := f.File.LockRange(off, n)
	return func() error { return f.named(unlock()) }, f.named(err)
}

func (f renamedFile) TryLockRange(off, n int64, shared bool) (func() error, error) {
	unlock, err := f.File.TryLockRange(off, n, shared)
	return func() error { return f.named(unlock()) }, f.named(err)
}

func (f renamedFile) Punch(off, n int64) error  { return f.named(f.File.Punch(off, n)) }
func (f renamedFile) Truncate(size int64) error { return f.named(f.File.Truncate(size)) }
func (f renamedFile) Sync() error               { return f.named(f.File.Sync()) }
func (f renamedFile) Lock() error               { return f.named(f.File.Lock()) }
func (f renamedFile) LockShared() error         { return f.named(f.File.LockShared()) }
func (f renamedFile) Unlock() error             { return f.named(f.File.Unlock()) }
func (f renamedFile) Close() error              { return f.named(f.File.Close()) }

// Locks returns a lock whose errors have the new name.
func (f renamedFile) Locks(n int) Locker { return renamedLock{f.File.Locks(n), f} }

type renamedLock struct {
	Locker
	file renamedFile
}

func (l renamedLock) Lock() error       { return l.file.named(l.Locker.Lock()) }
func (l renamedLock) LockShared() error { return l.file.named(l.Locker.LockShared()) }
func (l renamedLock) Unlock() error     { return l.file.named(l.Locker.Unlock()) }

func (f renamedFile) Map(off int64, n int) (Mapping, error) {
	m, err := f.File.Map(off, n)
	if r, ok := m.(interface{ rename(name string) }); ok {
		r.rename(f.name)
	}
	return m, f.named(err)
}
