package vfs

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"drx/internal/errkind"
)

// osMapping lies within a range of reserved addresses. The lock excludes Unmap during madvise,
// which could otherwise apply to addresses that have been reused.
type osMapping struct {
	file     osFile
	name     string // in errors
	from     int64  // in the file
	reserved unsafe.Pointer
	size     uintptr // of the reserved addresses
	mu       sync.RWMutex
	bytes    []byte // nil when unmapped
}

// Map maps the range at an address that is a multiple of MapAlign. To find one, it reserves more
// addresses than necessary.
func (f osFile) Map(off int64, n int) (Mapping, error) {
	fd := int(f.Fd())
	switch {
	case strconv.IntSize < 64: // there are too few addresses
		return nil, mapError(f.Name(), errors.ErrUnsupported)
	case fd < 0:
		return nil, mapError(f.Name(), fs.ErrClosed)
	case off < 0 || off%MapAlign != 0 || n <= 0 || off+int64(n) < off || n+MapAlign < n:
		return nil, mapError(f.Name(), errkind.Errorf(fs.ErrInvalid, "%d bytes at %d: a mapping begins at a multiple of %d and has bytes", n, off, MapAlign))
	}
	m := &osMapping{file: f, name: f.Name(), from: off, size: uintptr(n) + MapAlign}
	var err error
	m.reserved, err = unix.MmapPtr(-1, 0, nil, m.size, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, mapError(f.Name(), err)
	}
	start := unsafe.Add(m.reserved, -uintptr(m.reserved)%MapAlign)
	if _, err = unix.MmapPtr(fd, off, start, uintptr(n), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_FIXED); err != nil {
		_ = unix.MunmapPtr(m.reserved, m.size)
		return nil, mapError(f.Name(), err)
	}
	m.bytes = unsafe.Slice((*byte)(start), n)
	return m, nil
}

// rename gives the mapping the name of a renamed file. It must be called before the mapping is
// used.
func (m *osMapping) rename(name string) { m.name = name }

func (m *osMapping) Bytes() []byte {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.bytes
}

// Forget rounds inwards: pages that belong only partly to the range stay.
func (m *osMapping) Forget(off, n int) error {
	page := os.Getpagesize()
	return m.advise(off, n, (page-off%page)%page, -((off + n) % page), unix.MADV_DONTNEED)
}

// Ahead rounds outwards. It first asks whether all pages are cached, because madvise would go
// through the cache page by page to find that out, which takes twenty times as long.
func (m *osMapping) Ahead(off, n int) error {
	return m.advise(off, n, -(off % os.Getpagesize()), 0, unix.MADV_WILLNEED)
}

// advise calls madvise for n bytes from off, after rounding them to pages.
func (m *osMapping) advise(off, n, moveFrom, moveTo, advice int) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.bytes == nil {
		return mapError(m.name, fs.ErrClosed)
	}
	if off < 0 || n < 0 || off > len(m.bytes) || n > len(m.bytes)-off {
		return mapError(m.name, errkind.Errorf(fs.ErrInvalid, "advice on %d bytes at %d, of %d that are mapped", n, off, len(m.bytes)))
	}
	from, to := off+moveFrom, off+n+moveTo
	if n == 0 || from >= to || advice == unix.MADV_WILLNEED && m.cached(from, to) {
		return nil
	}
	if err := unix.Madvise(m.bytes[from:to], advice); err != nil {
		return mapError(m.name, err)
	}
	return nil
}

// cached reports whether all pages of some bytes of the mapping are known to be in the system's
// cache. Linux reports that since version 6.5, only for open files and to processes that may write
// them, and not on every file system (on an overlay it reports that nothing is cached).
func (m *osMapping) cached(from, to int) bool {
	conn, err := m.file.SyscallConn()
	if err != nil {
		return false
	}
	stat := unix.Cachestat_t{}
	asked := unix.CachestatRange{Off: uint64(m.from) + uint64(from), Len: uint64(to - from)}
	if conn.Control(func(fd uintptr) { err = unix.Cachestat(uint(fd), &asked, &stat, 0) }) != nil || err != nil {
		return false
	}
	page := os.Getpagesize()
	return stat.Cache >= uint64((to-from+page-1)/page)
}

func (m *osMapping) Unmap() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bytes == nil {
		return mapError(m.name, fs.ErrClosed)
	}
	m.bytes = nil
	if err := unix.MunmapPtr(m.reserved, m.size); err != nil {
		return mapError(m.name, err)
	}
	return nil
}
