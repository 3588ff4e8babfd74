package vfstest

import (
	"io"
	"sync"

	"drx/internal/vfs"
)

const cachePage = 4096

// A Mount is one of several mounts of a file system in memory, the server, like those of a network
// file system. Its locks exclude only users of the same mount. Bytes and lengths that were read
// once are not read again from the server until vfs.Refetch requests that. Writes go to the server
// at once. Names are always those of the server.
type Mount struct {
	vfs.FS        // the server
	locks  vfs.FS // for the locks of this mount
	// After, if not nil, is called after each operation that changes a file or a name.
	After func(op Op, name string)
	// Deaf makes Refetch do nothing, because some file systems keep old bytes in spite of it.
	Deaf bool

	mu    sync.Mutex
	files map[any]*fileCache // by identity
}

// fileCache has the parts of a file that a mount has cached.
type fileCache struct {
	pages map[int64][]byte // as read from the file
	size  int64            // -1 if it is not cached
}

// NewMount returns a mount of a server.
func NewMount(server vfs.FS) *Mount {
	return &Mount{FS: server, locks: vfs.NewMem(), files: map[any]*fileCache{}}
}

func (m *Mount) changed(op Op, name string, err error) error {
	if m.After != nil && err == nil {
		m.After(op, name)
	}
	return err
}

func (m *Mount) file(op Op, f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	locks, err := m.locks.Open(f.Name(), true)
	if err != nil {
		locks, err = m.locks.Create(f.Name())
	}
	if err != nil {
		return nil, err
	}
	id, err := f.Identity()
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	if m.files[id] == nil {
		m.files[id] = &fileCache{map[int64][]byte{}, -1}
	}
	c := m.files[id]
	m.mu.Unlock()
	if op == OpCreate {
		_ = m.changed(op, f.Name(), nil)
	}
	return &mountFile{File: f, mount: m, locks: locks, cache: c}, nil
}

// Create creates a file on the server.
func (m *Mount) Create(name string) (vfs.File, error) {
	f, err := m.FS.Create(name)
	return m.file(OpCreate, f, err)
}

// CreateAs is Create with an Access.
func (m *Mount) CreateAs(name string, a vfs.Access) (vfs.File, error) {
	f, err := m.FS.CreateAs(name, a)
	return m.file(OpCreate, f, err)
}

// Open opens a file of the server.
func (m *Mount) Open(name string, write bool) (vfs.File, error) {
	f, err := m.FS.Open(name, write)
	return m.file(OpOpen, f, err)
}

// OpenNoFollow is Open: there are no links.
func (m *Mount) OpenNoFollow(name string, write bool) (vfs.File, error) { return m.Open(name, write) }

// Remove removes a file.
func (m *Mount) Remove(name string) error { return m.changed(OpRemove, name, m.FS.Remove(name)) }

// Rename gives a file another name.
func (m *Mount) Rename(from, to string) error {
	return m.changed(OpRename, from, m.FS.Rename(from, to))
}

// Link gives a file a second name.
func (m *Mount) Link(from, to string) error { return m.changed(OpLink, from, m.FS.Link(from, to)) }

// A mountFile is a file opened through a Mount.
type mountFile struct {
	vfs.File // of the server
	mount    *Mount
	locks    vfs.File
	cache    *fileCache
}

// System says that the caches are not coherent.
func (f *mountFile) System() vfs.System {
	return vfs.System{Name: "testfs", LocalLocks: true, StaleCaches: true}
}

// Refetch drops cached bytes.
func (f *mountFile) Refetch(off, n int64) {
	f.mount.mu.Lock()
	defer f.mount.mu.Unlock()
	if !f.mount.Deaf {
		f.forget(off, n)
	}
}

// forget is Refetch for a caller that holds the lock.
func (f *mountFile) forget(off, n int64) {
	if n <= 0 {
		f.cache.size = -1
	}
	for p := range f.cache.pages {
		if (p+1)*cachePage > off && (n < 0 || p*cachePage < off+n) {
			delete(f.cache.pages, p)
		}
	}
}

// size returns the cached length.
func (f *mountFile) size() (int64, error) {
	if f.cache.size < 0 {
		n, err := f.File.Size()
		if err != nil {
			return 0, err
		}
		f.cache.size = n
	}
	return f.cache.size, nil
}

// Size returns the length, which may be an old one.
func (f *mountFile) Size() (int64, error) {
	f.mount.mu.Lock()
	defer f.mount.mu.Unlock()
	return f.size()
}

// ReadAt reads bytes, which may be old ones.
func (f *mountFile) ReadAt(b []byte, off int64) (int, error) {
	f.mount.mu.Lock()
	defer f.mount.mu.Unlock()
	if _, err := f.File.ReadAt(nil, off); err != nil && err != io.EOF {
		return 0, err
	}
	size, err := f.size()
	if err != nil {
		return 0, err
	}
	n := int(max(0, min(int64(len(b)), size-off)))
	for done := 0; done < n; {
		at := off + int64(done)
		page, err := f.page(at / cachePage)
		if err != nil {
			return done, err
		}
		part := b[done:min(n, done+cachePage-int(at%cachePage))]
		clear(part)
		if int(at%cachePage) < len(page) {
			copy(part, page[at%cachePage:])
		}
		done += len(part)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// page returns a page from the cache.
func (f *mountFile) page(p int64) ([]byte, error) {
	if page := f.cache.pages[p]; page != nil {
		return page, nil
	}
	page := make([]byte, cachePage)
	n, err := f.File.ReadAt(page, p*cachePage)
	if err != nil && err != io.EOF {
		return nil, err
	}
	f.cache.pages[p] = page[:n]
	return page[:n], nil
}

// WriteAt writes to the server and to the cache.
func (f *mountFile) WriteAt(b []byte, off int64) (int, error) {
	f.mount.mu.Lock()
	n, err := f.File.WriteAt(b, off)
	f.forget(off, int64(len(b)))
	if f.cache.size >= 0 {
		f.cache.size = max(f.cache.size, off+int64(n))
	}
	f.mount.mu.Unlock()
	return n, f.mount.changed(OpWrite, f.Name(), err)
}

// Truncate sets the length.
func (f *mountFile) Truncate(size int64) error {
	f.mount.mu.Lock()
	err := f.File.Truncate(size)
	f.forget(0, -1)
	f.mount.mu.Unlock()
	return f.mount.changed(OpTruncate, f.Name(), err)
}

// Sync does nothing: writes are on the server already.
func (f *mountFile) Sync() error { return f.mount.changed(OpSync, f.Name(), f.File.Sync()) }

func (f *mountFile) Lock() error            { return f.locks.Lock() }
func (f *mountFile) LockShared() error      { return f.locks.LockShared() }
func (f *mountFile) Unlock() error          { return f.locks.Unlock() }
func (f *mountFile) Locked() bool           { return f.locks.Locked() }
func (f *mountFile) Locks(n int) vfs.Locker { return f.locks.Locks(n) }

// LockRange locks a range for this mount.
func (f *mountFile) LockRange(off, n int64) (func() error, error) { return f.locks.LockRange(off, n) }

// TryLockRange is LockRange without waiting.
func (f *mountFile) TryLockRange(off, n int64, shared bool) (func() error, error) {
	return f.locks.TryLockRange(off, n, shared)
}

// Close closes the file and releases its locks.
func (f *mountFile) Close() error {
	_ = f.locks.Close()
	return f.File.Close()
}

// ForgetFile drops the mount's cache of the named file, even if it is Deaf.
func (m *Mount) ForgetFile(name string) {
	id, err := m.FS.Identity(name)
	if err != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.files[id]; c != nil {
		c.pages, c.size = map[int64][]byte{}, -1
	}
}
