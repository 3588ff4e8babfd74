package vfs

import (
	"io"
	"io/fs"
	"iter"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
)

const memPage = 4096

// NewMem returns an empty file system in memory. Holes take no memory.
func NewMem() FS { return &memFS{files: map[string]*memNode{}} }

type memFS struct {
	mu    sync.Mutex
	files map[string]*memNode
}

// memNode is a file, to which names refer; open files share it.
type memNode struct {
	mu     sync.RWMutex
	pages  map[int64]*[memPage]byte
	size   int64
	access Access // does not change
	locks  nodeLocks
}

type memFile struct {
	*memNode
	name  string
	write bool
	// Guarded by memNode.mu.
	held   heldLocks
	closed bool
}

// defaultAccess is the Access of a new file in memory, unless CreateAs sets another.
var defaultAccess = Access{Mode: 0o644}

func (m *memFS) Create(name string) (File, error) { return m.CreateAs(name, defaultAccess) }

func (m *memFS) CreateAs(name string, a Access) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[name] != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	node := &memNode{pages: map[int64]*[memPage]byte{}, access: a.inMemory()}
	m.files[name] = node
	return &memFile{memNode: node, name: name, write: true}, nil
}

func (m *memFS) Open(name string, write bool) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	node := m.files[name]
	if node == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &memFile{memNode: node, name: name, write: write}, nil
}

// OpenNoFollow is Open: there are no links.
func (m *memFS) OpenNoFollow(name string, write bool) (File, error) { return m.Open(name, write) }

func (m *memFS) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[name] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	delete(m.files, name)
	return nil
}

func (m *memFS) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[from] == nil {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	m.files[to] = m.files[from]
	delete(m.files, from)
	return nil
}

func (m *memFS) Link(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[from] == nil {
		return &fs.PathError{Op: "link", Path: from, Err: fs.ErrNotExist}
	}
	if m.files[to] != nil {
		return &fs.PathError{Op: "link", Path: to, Err: fs.ErrExist}
	}
	m.files[to] = m.files[from]
	return nil
}

func (m *memFS) Identity(name string) (any, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[name] == nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return m.files[name], nil
}

func (f *memFile) Identity() (any, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.memNode, f.check("stat", 0, false)
}

func (f *memFile) Access() (Access, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.access, f.check("stat", 0, false)
}

func (m *memFS) SyncDir(string) error { return nil }

func (m *memFS) List(dir string) (files, folders []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return listNames(dir, maps.Keys(m.files))
}

func (m *memFS) Mkdir(string) error { return nil }

// listNames is FS.List for a file system that has only names of files.
func listNames(dir string, names iter.Seq[string]) (files, folders []string, err error) {
	below := map[string]bool{} // whether it is a file
	dir = path.Clean(dir)
	for name := range names {
		name = path.Clean(name)
		rest, ok := strings.CutPrefix(name, dir+"/")
		if dir == "." {
			rest, ok = name, !path.IsAbs(name)
		}
		if first, _, isFolder := strings.Cut(rest, "/"); ok {
			below[first] = !isFolder
		}
	}
	for _, name := range slices.Sorted(maps.Keys(below)) {
		if below[name] {
			files = append(files, name)
		} else {
			folders = append(folders, name)
		}
	}
	if len(below) == 0 {
		err = &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	return files, folders, err
}

func (f *memFile) Name() string { return f.name }

// check is CheckOp for an operation on f. change reports whether it changes the file.
func (f *memFile) check(op string, at int64, change bool) error {
	return CheckOp(op, f.name, at, f.closed, change && !f.write)
}

// CheckOp returns an error for operations that the operating system would reject: on a closed file,
// with an invalid offset or size, or changing a file that is open for reading.
func CheckOp(op, name string, at int64, closed, readOnly bool) error {
	var err error
	switch {
	case closed:
		err = fs.ErrClosed
	case readOnly:
		err = fs.ErrPermission
	case at < 0:
		err = fs.ErrInvalid
	default:
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

func (f *memFile) Size() (int64, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.size, f.check("size", 0, false)
}

func (f *memFile) Allocated() (int64, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return int64(len(f.pages)) * memPage, f.check("size", 0, false)
}

func (f *memFile) Sync() error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.check("sync", 0, false)
}

func (f *memFile) Lock() error { return f.Locks(0).Lock() }

func (f *memFile) LockShared() error { return f.Locks(0).LockShared() }

func (f *memFile) Unlock() error { return f.Locks(0).Unlock() }

func (f *memFile) Locked() bool { return f.Locks(0).Locked() }

// Locks returns lock number n.
func (f *memFile) Locks(n int) Locker {
	return memLock{&f.mu, &f.locks, &f.held, n, f.name, func(op string) error { return f.check(op, 0, false) }}
}

func (f *memFile) LockRange(off, n int64) (func() error, error) {
	return f.locks.ranges.lock(off, n), nil
}

func (f *memFile) TryLockRange(off, n int64, shared bool) (func() error, error) {
	unlock, ok := f.locks.ranges.tryLock(off, n, shared)
	if !ok {
		return nil, memLocked(f.name)
	}
	return unlock, nil
}

func (f *memFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.check("close", 0, false); err != nil {
		return err
	}
	f.held.unlockAll(&f.locks)
	f.closed = true
	return nil
}

func (f *memFile) ReadAt(b []byte, off int64) (int, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if err := f.check("read", off, false); err != nil {
		return 0, err
	}
	n := int(min(int64(len(b)), max(0, f.size-off)))
	for done := 0; done < n; {
		at := off + int64(done)
		part := b[done:min(n, done+memPage-int(at%memPage))]
		if page := f.pages[at/memPage]; page != nil {
			copy(part, page[at%memPage:])
		} else {
			clear(part)
		}
		done += len(part)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) WriteAt(b []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.check("write", min(off, math.MaxInt64-int64(len(b))-off), true); err != nil || len(b) == 0 {
		return 0, err
	}
	for done := 0; done < len(b); {
		at := off + int64(done)
		page := f.pages[at/memPage]
		if page == nil {
			page = new([memPage]byte)
			f.pages[at/memPage] = page
		}
		done += copy(page[at%memPage:], b[done:])
	}
	f.size = max(f.size, off+int64(len(b)))
	return len(b), nil
}

func (f *memFile) Truncate(size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.check("truncate", size, true); err != nil {
		return err
	}
	for p, page := range f.pages {
		switch at := p * memPage; {
		case at >= size:
			delete(f.pages, p)
		case at+memPage > size:
			clear(page[size-at:])
		}
	}
	f.size = size
	return nil
}

// Allocate does nothing: pages are allocated when they are written.
func (f *memFile) Allocate(int64, int64) {}

func (f *memFile) Punch(off, n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.check("punch", min(off, n), true); err != nil {
		return err
	}
	for p := range f.pages {
		if p*memPage >= off && (p+1)*memPage <= off+n {
			delete(f.pages, p)
		}
	}
	return nil
}

func (f *memFile) Data(off int64) (from, to int64, err error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if err := f.check("seek", off, false); err != nil {
		return 0, 0, err
	}
	var pages []int64
	for p := range f.pages {
		if (p+1)*memPage > off {
			pages = append(pages, p)
		}
	}
	if len(pages) == 0 || off >= f.size {
		return 0, 0, io.EOF
	}
	slices.Sort(pages)
	last := pages[0]
	for _, p := range pages[1:] {
		if p != last+1 {
			break
		}
		last = p
	}
	return max(off, pages[0]*memPage), min(f.size, (last+1)*memPage), nil
}
