package drx_test

import (
	"errors"

	"drx/internal/vfs"
)

// errKilled is the error of all changes of a writer that was killed.
var errKilled = errors.New("the process was killed")

// A killedFS is a file system for a writer that is killed after some changes of files. If the last
// change is a write and torn is set, half of it is done. Afterwards nothing changes any more.
type killedFS struct {
	vfs.FS
	left *int // changes until the kill; negative for no limit
	torn bool
}

// killedAfter returns the file system for a writer that is killed after the given number of half
// changes; negative means never.
func killedAfter(disk vfs.FS, halves int) killedFS {
	left := (halves + 1) / 2
	if halves < 0 {
		left = -1
	}
	return killedFS{disk, &left, halves%2 == 1}
}

// change counts a change, and reports whether it is the last one.
func (k killedFS) change() (last bool, err error) {
	if *k.left == 0 {
		return false, errKilled
	}
	*k.left--
	return *k.left == 0, nil
}

// do calls f for a change, unless the writer was killed.
func (k killedFS) do(f func() error) error {
	if _, err := k.change(); err != nil {
		return err
	}
	return f()
}

func (k killedFS) opened(f vfs.File, err error) (vfs.File, error) { return killedFile{f, k}, err }

func (k killedFS) Open(name string, write bool) (vfs.File, error) {
	return k.opened(k.FS.Open(name, write))
}

func (k killedFS) OpenNoFollow(name string, write bool) (vfs.File, error) {
	return k.opened(k.FS.OpenNoFollow(name, write))
}

func (k killedFS) Create(name string) (f vfs.File, err error) {
	err = k.do(func() error { f, err = k.opened(k.FS.Create(name)); return err })
	return f, err
}

func (k killedFS) CreateAs(name string, a vfs.Access) (f vfs.File, err error) {
	err = k.do(func() error { f, err = k.opened(k.FS.CreateAs(name, a)); return err })
	return f, err
}

func (k killedFS) Remove(name string) error {
	if _, err := k.Identity(name); err != nil {
		return err // no change
	}
	return k.do(func() error { return k.FS.Remove(name) })
}

func (k killedFS) Rename(from, to string) error {
	return k.do(func() error { return k.FS.Rename(from, to) })
}

func (k killedFS) Link(from, to string) error {
	return k.do(func() error { return k.FS.Link(from, to) })
}

type killedFile struct {
	vfs.File
	k killedFS
}

func (f killedFile) WriteAt(b []byte, off int64) (int, error) {
	last, err := f.k.change()
	if err != nil {
		return 0, err
	}
	if last && f.k.torn {
		n, _ := f.File.WriteAt(b[:len(b)/2], off)
		return n, errKilled
	}
	return f.File.WriteAt(b, off)
}

func (f killedFile) Truncate(size int64) error {
	return f.k.do(func() error { return f.File.Truncate(size) })
}

func (f killedFile) Punch(off, n int64) error {
	return f.k.do(func() error { return f.File.Punch(off, n) })
}

// Sync fails after the kill, because a commit that is acknowledged was synced.
func (f killedFile) Sync() error {
	if *f.k.left == 0 {
		return errKilled
	}
	return f.File.Sync()
}
