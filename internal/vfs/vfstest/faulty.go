// Package vfstest has file systems for tests: among them one that fails on demand, and one that
// loses unsynced changes when it crashes.
package vfstest

import "drx/internal/vfs"

// An Op is an operation on a file system, for Faulty.Fail.
type Op string

// The operations for which a Faulty calls Fail.
const (
	OpCreate   Op = "create"
	OpOpen     Op = "open"
	OpRemove   Op = "remove"
	OpSyncDir  Op = "syncdir"
	OpList     Op = "list"
	OpRead     Op = "read"
	OpWrite    Op = "write"
	OpSize     Op = "size"
	OpTruncate Op = "truncate"
	OpSync     Op = "sync"
	OpLock     Op = "lock"
	OpData     Op = "data"
	OpRename   Op = "rename"
	OpLink     Op = "link"
	OpIdentity Op = "identity"
	OpPunch    Op = "punch"
	OpMap      Op = "map"
)

// Faulty is a file system that calls Fail before each operation and does not perform it if
// Fail returns an error. A failing read or write is short: its first half was read or
// written.
type Faulty struct {
	vfs.FS
	Fail func(op Op, name string) error
}

// permitted calls do unless fail returns an error.
func permitted[T any](fail func(Op, string) error, op Op, name string, do func() (T, error)) (T, error) {
	if err := fail(op, name); err != nil {
		var none T
		return none, err
	}
	return do()
}

// do is permitted for an operation that returns nothing but an error.
func (f Faulty) do(op Op, name string, do func() error) error {
	if err := f.Fail(op, name); err != nil {
		return err
	}
	return do()
}

// Create calls Fail before it creates.
func (f Faulty) Create(name string) (vfs.File, error) {
	return f.open(OpCreate, name, func() (vfs.File, error) { return f.FS.Create(name) })
}

// CreateAs calls Fail before it creates.
func (f Faulty) CreateAs(name string, a vfs.Access) (vfs.File, error) {
	return f.open(OpCreate, name, func() (vfs.File, error) { return f.FS.CreateAs(name, a) })
}

// OpenNoFollow calls Fail before it opens.
func (f Faulty) OpenNoFollow(name string, write bool) (vfs.File, error) {
	return f.open(OpOpen, name, func() (vfs.File, error) { return f.FS.OpenNoFollow(name, write) })
}

// Open calls Fail before it opens.
func (f Faulty) Open(name string, write bool) (vfs.File, error) {
	return f.open(OpOpen, name, func() (vfs.File, error) { return f.FS.Open(name, write) })
}

// Remove calls Fail before it removes.
func (f Faulty) Remove(name string) error {
	return f.do(OpRemove, name, func() error { return f.FS.Remove(name) })
}

// Rename calls Fail before it renames.
func (f Faulty) Rename(from, to string) error {
	return f.do(OpRename, from, func() error { return f.FS.Rename(from, to) })
}

// Link calls Fail before it links.
func (f Faulty) Link(from, to string) error {
	return f.do(OpLink, from, func() error { return f.FS.Link(from, to) })
}

// Identity calls Fail before it reads the identity.
func (f Faulty) Identity(name string) (any, error) {
	return permitted(f.Fail, OpIdentity, name, func() (any, error) { return f.FS.Identity(name) })
}

// List calls Fail before it lists.
func (f Faulty) List(dir string) (files, folders []string, err error) {
	if err := f.Fail(OpList, dir); err != nil {
		return nil, nil, err
	}
	return f.FS.List(dir)
}

// Mkdir calls Fail before it creates.
func (f Faulty) Mkdir(dir string) error {
	if err := f.Fail(OpCreate, dir); err != nil {
		return err
	}
	return f.FS.Mkdir(dir)
}

// SyncDir calls Fail before it syncs.
func (f Faulty) SyncDir(dir string) error {
	return f.do(OpSyncDir, dir, func() error { return f.FS.SyncDir(dir) })
}

// open calls Fail before it opens a file with the function open. The file calls Fail, too.
func (f Faulty) open(op Op, name string, open func() (vfs.File, error)) (vfs.File, error) {
	file, err := permitted(f.Fail, op, name, open)
	if err != nil {
		return nil, err
	}
	return faultyFile{file, f}, nil
}

type faultyFile struct {
	vfs.File
	fsys Faulty
}

func (f faultyFile) do(op Op, do func() error) error { return f.fsys.do(op, f.Name(), do) }

func (f faultyFile) Identity() (any, error) {
	return permitted(f.fsys.Fail, OpIdentity, f.Name(), f.File.Identity)
}

func (f faultyFile) ReadAt(b []byte, off int64) (int, error) {
	if err := f.fsys.Fail(OpRead, f.Name()); err != nil {
		n, _ := f.File.ReadAt(b[:len(b)/2], off)
		return n, err
	}
	return f.File.ReadAt(b, off)
}

func (f faultyFile) WriteAt(b []byte, off int64) (int, error) {
	if err := f.fsys.Fail(OpWrite, f.Name()); err != nil {
		n, _ := f.File.WriteAt(b[:len(b)/2], off)
		return n, err
	}
	return f.File.WriteAt(b, off)
}

func (f faultyFile) Size() (int64, error) {
	return permitted(f.fsys.Fail, OpSize, f.Name(), f.File.Size)
}
func (f faultyFile) Sync() error       { return f.do(OpSync, f.File.Sync) }
func (f faultyFile) Lock() error       { return f.do(OpLock, f.File.Lock) }
func (f faultyFile) LockShared() error { return f.do(OpLock, f.File.LockShared) }

// Locks calls Fail before it locks.
func (f faultyFile) Locks(n int) vfs.Locker { return faultyLock{f.File.Locks(n), f} }

type faultyLock struct {
	vfs.Locker
	file faultyFile
}

func (l faultyLock) Lock() error       { return l.file.do(OpLock, l.Locker.Lock) }
func (l faultyLock) LockShared() error { return l.file.do(OpLock, l.Locker.LockShared) }

func (f faultyFile) Truncate(size int64) error {
	return f.do(OpTruncate, func() error { return f.File.Truncate(size) })
}

func (f faultyFile) Punch(off, n int64) error {
	return f.do(OpPunch, func() error { return f.File.Punch(off, n) })
}

func (f faultyFile) LockRange(off, n int64) (func() error, error) {
	return permitted(f.fsys.Fail, OpLock, f.Name(), func() (func() error, error) { return f.File.LockRange(off, n) })
}

func (f faultyFile) TryLockRange(off, n int64, shared bool) (func() error, error) {
	return permitted(f.fsys.Fail, OpLock, f.Name(), func() (func() error, error) { return f.File.TryLockRange(off, n, shared) })
}

func (f faultyFile) Data(off int64) (from, to int64, err error) {
	if err := f.fsys.Fail(OpData, f.Name()); err != nil {
		return 0, 0, err
	}
	return f.File.Data(off)
}

// Map calls Fail before it maps; the mapping itself does not.
func (f faultyFile) Map(off int64, n int) (vfs.Mapping, error) {
	return permitted(f.fsys.Fail, OpMap, f.Name(), func() (vfs.Mapping, error) { return f.File.Map(off, n) })
}
