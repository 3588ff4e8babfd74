package vfs

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"sync"
)

const memPage = 4096

// NewMem returns an empty file system in memory. Holes take no memory.
func NewMem() FS { return &memFS{files: map[string]*memNode{}} }

type memFS struct {
	mu    sync.Mutex
	files map[string]*memNode
}

// memNode is what a name stands for; open files share it.
type memNode struct {
	mu     sync.RWMutex
	pages  map[int64]*[memPage]byte
	size   int64
	locked bool
}

type memFile struct {
	*memNode
	name  string
	write bool
	holds bool // the lock
}

func (m *memFS) Create(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[name] != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	node := &memNode{pages: map[int64]*[memPage]byte{}}
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

func (m *memFS) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files[name] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	delete(m.files, name)
	return nil
}

func (m *memFS) SyncDir(string) error { return nil }

func (f *memFile) Name() string { return f.name }

func (f *memFile) Size() (int64, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.size, nil
}

func (f *memFile) Allocated() (int64, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return int64(len(f.pages)) * memPage, nil
}

func (f *memFile) Sync() error { return nil }

func (f *memFile) Lock() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.locked && !f.holds {
		return fmt.Errorf("%s: %w", f.name, ErrLocked)
	}
	f.locked, f.holds = true, true
	return nil
}

func (f *memFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.holds {
		f.locked, f.holds = false, false
	}
	return nil
}

func (f *memFile) ReadAt(b []byte, off int64) (int, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
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
	if !f.write {
		return 0, &fs.PathError{Op: "write", Path: f.name, Err: fs.ErrPermission}
	}
	if off < 0 || off > math.MaxInt64-int64(len(b)) {
		return 0, &fs.PathError{Op: "write", Path: f.name, Err: fs.ErrInvalid}
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

func (f *memFile) Data(off int64) (from, to int64, err error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
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
