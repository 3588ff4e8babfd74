package vfstest

import "slices"

// crashSector is the unit in which a torn write reaches the disk.
const crashSector = 512

// trackSectors is the number of sectors of a track.
const trackSectors = 32

// An image is the contents of a file of a Crash. Tests copy disks thousands of times, mostly to
// change a few sectors: sectors and tracks never change once they are in an image, so that images
// share them and holes take no memory.
type image struct {
	tracks []*track // nil is zeros
	size   int64
}

// A track is a run of sectors. A nil sector is zeros.
type track [trackSectors]*[crashSector]byte

// A change is a sector, or a part of one, written at off; or the length set to off.
type change struct {
	off    int64
	data   []byte // does not change
	length bool
}

func (m image) clone() image { return image{slices.Clone(m.tracks), m.size} }

// readAt copies the bytes from off on into b, and returns their number.
func (m image) readAt(b []byte, off int64) int {
	n := int(min(int64(len(b)), max(0, m.size-off)))
	for done := 0; done < n; {
		from := (off + int64(done)) % crashSector
		part := b[done:min(n, done+crashSector-int(from))]
		if sector := m.sector((off + int64(done)) / crashSector); sector != nil {
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
	if len(h.data) == crashSector {
		m.set(h.off/crashSector, (*[crashSector]byte)(h.data))
		return
	}
	changed := new([crashSector]byte)
	if sector := m.sector(h.off / crashSector); sector != nil {
		*changed = *sector
	}
	copy(changed[h.off%crashSector:], h.data)
	m.set(h.off/crashSector, changed)
}

// sector returns sector number i of the file.
func (m image) sector(i int64) *[crashSector]byte {
	if t := m.tracks[i/trackSectors]; t != nil {
		return t[i%trackSectors]
	}
	return nil
}

func (m *image) set(i int64, sector *[crashSector]byte) {
	changed := new(track)
	if t := m.tracks[i/trackSectors]; t != nil {
		*changed = *t
	}
	changed[i%trackSectors] = sector
	m.tracks[i/trackSectors] = changed
}

// resize sets the size. Bytes that are cut off read as zeros if the file grows again.
func (m *image) resize(size int64) {
	const bytes = trackSectors * crashSector
	n := int((size + bytes - 1) / bytes)
	if grow := n - len(m.tracks); grow > 0 {
		m.tracks = append(m.tracks, make([]*track, grow)...)
	}
	m.tracks = m.tracks[:n]
	if rest := size % bytes; size < m.size && rest > 0 && m.tracks[n-1] != nil {
		m.tracks[n-1] = m.tracks[n-1].cut(rest)
	}
	m.size = size
}

// cut returns the first n bytes of a track, followed by zeros.
func (t track) cut(n int64) *track {
	whole := n / crashSector
	clear(t[whole+1:])
	if sector := t[whole]; sector != nil {
		cut := *sector
		clear(cut[n%crashSector:])
		t[whole] = &cut
	}
	return &t
}
