package chunkio

import (
	"sync"
	"sync/atomic"

	"drx/axial"
	"drx/internal/mapped"
)

// tableShare is how much of what may be resident is the table's: 16 bytes go with a chunk.
const tableShare = 16

// mappings are the mapped files of a store. The zero value has none: everything is read by ReadAt.
type mappings struct {
	data, table *mapped.File
	presence    *mapped.File  // nil for none
	reach       *atomic.Int64 // bytes that the table surely has
	present     *atomic.Int64 // bytes that the presence map surely has
	small       *atomic.Int64 // counts small reads
	looks       *atomic.Int32 // counts the first small reads, see early
	files       Files
}

func newMappings(f Files, slot int64) mappings {
	if f.Resident == 0 {
		return mappings{}
	}
	m := mappings{
		data:  mapped.New(f.Data, slot, f.Resident-f.Resident/tableShare),
		table: mapped.New(f.Table, entrySize, f.Resident/tableShare),
		reach: new(atomic.Int64), present: new(atomic.Int64), small: new(atomic.Int64), looks: new(atomic.Int32),
		files: f,
	}
	if f.Presence != nil {
		m.presence = mapped.New(f.Presence, 1, 0)
	}
	return m
}

func (m *mappings) close() error {
	if m.data == nil {
		return nil
	}
	err := first(m.data.Close(), m.table.Close())
	if m.presence != nil {
		err = first(err, m.presence.Close())
	}
	return err
}

// guard calls f, in which bytes of the mappings may be touched.
func (m *mappings) guard(f func() error) error {
	if m.data == nil {
		return f()
	}
	if m.presence == nil {
		return mapped.Guard(f, m.data, m.table)
	}
	return mapped.Guard(f, m.data, m.table, m.presence)
}

// isPresent reports whether the presence byte of chunk q is set, as it is in place, and whether that
// can be told.
func (m *mappings) isPresent(q axial.Number) (set, ok bool) {
	if m.presence == nil {
		return false, true
	}
	off := presenceHead + int64(q)
	if off >= m.present.Load() {
		size, err := m.files.Presence.Size()
		if err != nil {
			return false, false
		}
		if m.present.Store(size); off >= size {
			return false, true
		}
	}
	raw, err := m.presence.Bytes(off, 1)
	return err == nil && raw[0] != 0, err == nil
}

// entry returns the bytes of the entry of chunk q where they are mapped, and false if they are not, or
// lie behind the end of the table.
func (m *mappings) entry(q axial.Number) ([]byte, bool) {
	if m.data == nil {
		return nil, false
	}
	off := int64(q) * entrySize
	if off+entrySize > m.reach.Load() {
		size, err := m.files.Table.Size()
		if err != nil {
			return nil, false
		}
		if m.reach.Store(size); off+entrySize > size {
			return nil, false // entryInFile tells what that means
		}
	}
	raw, err := m.table.Bytes(off, entrySize)
	return raw, err == nil
}

// A mapping brings in whole pages. When the budget is used up others have to go for them, so that at
// most smallRead bytes are read instead. One time in smallEvery they are mapped all the same: what is
// resident follows what is used.
const (
	smallRead  = 64 << 10
	smallEvery = 16
)

var smallReads = sync.Pool{New: func() any { b := make([]byte, smallRead); return &b }}

// tooWide reports whether bytes should be read rather than used in place.
func (m *mappings) tooWide(off int64, n int) bool {
	return n <= smallRead && !m.data.Room(off, n) && m.small.Add(1)%smallEvery != 0
}

// firstLooks is how many times a few bytes are read before the files are mapped: to map both files and
// to unmap them takes as long as to read some 200 KiB, which an array that is opened for one element
// does not need.
const firstLooks = 4

// early reports whether n bytes are a few, and asked for one of the first times.
func (m *mappings) early(n int) bool {
	return n <= smallRead && m.looks.Load() < firstLooks && m.looks.Add(1) <= firstLooks
}
