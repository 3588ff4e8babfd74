// Package remote makes files safe on file systems that several machines use without coherent locks
// and caches: on NFS, SMB or FUSE two machines, or two mounts on one machine, may both get the same
// lock, and one may see old bytes of a file that the other has changed.
// A file there differs in three ways. Its locks are those of a lock file beside it (lease.go),
// which the files of one array share; inside the process they are locks in memory. A process that
// has had that lock does not write once it has lost it. And a reader without the lock makes the
// system drop its cached bytes of a file before each read, and maps no file. Where the contents
// have checksums, it does so only after a checksum was wrong, see Over.
// Files on other file systems pass through unchanged.
package remote

import (
	"path/filepath"
	"sync"
	"sync/atomic"

	"drx/internal/vfs"
)

// A Mode says when lock files are used.
type Mode int32

// The modes.
const (
	Auto   Mode = iota // where the locks of the file system may be local
	System             // nowhere: the locks of the file system are trusted
	File               // everywhere
)

// An FS is a file system whose files several machines can use safely.
type FS struct {
	vfs.FS
	names    Names
	host     *Host
	mode     atomic.Int32
	reporter atomic.Pointer[func(string)]
	seen     atomic.Bool // a file was opened that needs this package

	mu    sync.Mutex
	locks map[string]*lock // those this process has, or tries to acquire
}

// Names gives the roles of files by their names.
type Names struct {
	// Lock returns the name of the lock file that protects a file.
	Lock func(file string) string
	// Checked reports whether checksums of the file's contents are kept elsewhere. A reader that
	// finds them wrong calls vfs.Refetch and reads again.
	Checked func(file string) bool
}

// Over returns a file system that adds lock files to fsys. host is nil for this machine.
func Over(fsys vfs.FS, names Names, host *Host) *FS {
	if host == nil {
		host = &thisHost
	}
	return &FS{FS: fsys, names: names, host: host, locks: map[string]*lock{}}
}

// SetMode changes the mode for files that are opened from now on, and returns the one before.
func (f *FS) SetMode(m Mode) Mode { return Mode(f.mode.Swap(int32(m))) }

// SetNotice has notice called with a sentence when the lock of a dead process is taken over, and
// when this process waits for longer than a second to see whether it is dead.
func (f *FS) SetNotice(notice func(string)) { f.reporter.Store(&notice) }

// notice calls the function of SetNotice.
func (f *FS) notice(text string) {
	if report := f.reporter.Load(); report != nil {
		(*report)(text)
	}
}

// system returns the System of an open file, as the mode changes it, and whether the file needs
// this package.
func (f *FS) system(file vfs.File) (s vfs.System, needed bool) {
	s = vfs.SystemOf(file)
	needed = s.LocalLocks || s.StaleCaches
	switch Mode(f.mode.Load()) {
	case System:
		s.LocalLocks = false
	case File:
		s.LocalLocks = true
	}
	return s, needed || s.LocalLocks
}

// wrap returns a file that was just opened, wrapped if its file system needs this package.
func (f *FS) wrap(opened vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	s, needed := f.system(opened)
	if !needed {
		return opened, nil
	}
	f.seen.Store(true)
	if s.StaleCaches {
		vfs.Refetch(opened, 0, -1)
	}
	return &file{File: opened, fs: f, system: s, fresh: s.StaleCaches && !f.names.Checked(opened.Name())}, nil
}

// Create creates a file.
func (f *FS) Create(name string) (vfs.File, error) {
	if err := f.confirm(name); err != nil {
		return nil, err
	}
	return f.wrap(f.FS.Create(name))
}

// CreateAs is Create with an Access.
func (f *FS) CreateAs(name string, a vfs.Access) (vfs.File, error) {
	if err := f.confirm(name); err != nil {
		return nil, err
	}
	return f.wrap(f.FS.CreateAs(name, a))
}

// Open opens a file.
func (f *FS) Open(name string, write bool) (vfs.File, error) { return f.wrap(f.FS.Open(name, write)) }

// OpenNoFollow is Open for a name that must not be a symbolic link.
func (f *FS) OpenNoFollow(name string, write bool) (vfs.File, error) {
	return f.wrap(f.FS.OpenNoFollow(name, write))
}

// ReadStart is vfs.ReadStart as long as no file has needed this package. After that it returns ok
// false, and the caller opens the file.
func (f *FS) ReadStart(name string, b []byte) (n int, ok bool, err error) {
	if f.seen.Load() {
		return 0, false, nil
	}
	n, err = vfs.ReadStart(f.FS, name, b)
	return n, true, err
}

// Remove removes a file.
func (f *FS) Remove(name string) error {
	if err := f.confirm(name); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

// Rename gives a file another name.
func (f *FS) Rename(from, to string) error {
	for _, name := range []string{from, to} {
		if err := f.confirm(name); err != nil {
			return err
		}
	}
	return f.FS.Rename(from, to)
}

// confirm returns an error if this process has lost the lock that belongs to a file.
func (f *FS) confirm(name string) error {
	if !f.seen.Load() {
		return nil
	}
	if l := f.lockOf(name); l != nil {
		return l.check()
	}
	return nil
}

// key returns the key of a file's lock in f.locks: an absolute path, because a process may change
// its working directory.
func (f *FS) key(name string) string {
	lock := f.names.Lock(name)
	if abs, err := filepath.Abs(lock); err == nil {
		return abs
	}
	return lock
}

// lockOf returns the lock of a file if this process has it, or has lost it.
func (f *FS) lockOf(name string) *lock {
	key := f.key(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.locks[key]
}

// enter returns the lock of a file and counts the caller as a user, who must call leave.
func (f *FS) enter(name string) *lock {
	key := f.key(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.locks[key]
	if l == nil || l.isLost() {
		l = &lock{fs: f, key: key, path: f.names.Lock(name), inside: vfs.NewMem()}
		f.locks[key] = l
	}
	l.users++
	return l
}

// leave ends the use that enter began. The last user to leave releases the lock.
func (f *FS) leave(l *lock) {
	f.mu.Lock()
	l.users--
	last := l.users == 0
	if last && f.locks[l.key] == l {
		delete(f.locks, l.key)
	}
	f.mu.Unlock()
	if last {
		l.release()
	}
}
