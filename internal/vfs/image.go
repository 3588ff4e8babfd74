package vfs

import "slices"

// crashSector is the unit in which a torn write reaches the disk.
const crashSector = 512

// An image is the contents of a file of a Crash. Tests copy disks thousands of times, mostly to
// change a few sectors: a sector never changes once it is in an image, so that images share sectors
// and holes take no memory.
type image struct {
	sectors []*[crashSector]byte // nil is zeros
	size    int64
}

// A change is a sector, or a part of one, written at off; or the length set to off.
type change struct {
	off    int64
	data   []byte // does not change
	length bool
}

func (m image) clone() image { return image{slices.Clone(m.sectors), m.size} }

// readAt copies the bytes from off on into b, and returns how many there are.
func (m image) readAt(b []byte, off int64) int {
	n := int(min(int64(len(b)), max(0, m.size-off)))
	for done := 0; done < n; {
		from := (off + int64(done)) % crashSector
		part := b[done:min(n, done+crashSector-int(from))]
		if sector := m.sectors[(off+int64(done))/crashSector]; sector != nil {
			copy(part, sector[from:])
		} else {
			clear(part)
		}
		done += len(part)
	}
	return n
}

func (m *image) apply(h change) {
	if h.length {
		m.resize(h.off)
		return
	}
	m.resize(max(m.size, h.off+int64(len(h.data))))
	sector := &m.sectors[h.off/crashSector]
	if len(h.data) == crashSector {
		*sector = (*[crashSector]byte)(h.data)
		return
	}
	changed := new([crashSector]byte)
	if *sector != nil {
		*changed = **sector
	}
	copy(changed[h.off%crashSector:], h.data)
	*sector = changed
}

// resize sets the size. What a smaller one cuts off reads as zeros if the file grows again.
func (m *image) resize(size int64) {
	n := int((size + crashSector - 1) / crashSector)
	if grow := n - len(m.sectors); grow > 0 {
		m.sectors = append(m.sectors, make([]*[crashSector]byte, grow)...)
	}
	m.sectors = m.sectors[:n]
	if rest := size % crashSector; size < m.size && rest > 0 && m.sectors[n-1] != nil {
		cut := *m.sectors[n-1]
		clear(cut[rest:])
		m.sectors[n-1] = &cut
	}
	m.size = size
}
