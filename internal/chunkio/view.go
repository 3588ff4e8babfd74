package chunkio

import (
	"sync"
	"sync/atomic"

	"drx/axial"
	"drx/internal/journal"
	"drx/internal/mapped"
)

// tableShare is how much of what may be resident is the table's: 16 bytes go with a chunk.
const tableShare = 16

// mappings are the files of a store as mappings; without any there are none, and everything is
// read by ReadAt.
type mappings struct {
	data, table *mapped.File
	reach       *atomic.Int64 // bytes that the table surely has
	small       *atomic.Int64 // counts small reads
	files       Files
}

func newMappings(f Files, slot int64) mappings {
	if f.Resident == 0 {
		return mappings{}
	}
	return mappings{
		data:  mapped.New(f.Data, slot, f.Resident-f.Resident/tableShare),
		table: mapped.New(f.Table, entrySize, f.Resident/tableShare),
		reach: new(atomic.Int64), small: new(atomic.Int64),
		files: f,
	}
}

func (m *mappings) close() error {
	if m.data == nil {
		return nil
	}
	return first(m.data.Close(), m.table.Close())
}

// guard calls f, in which bytes of the mappings may be touched.
func (m *mappings) guard(f func() error) error {
	if m.data == nil {
		return f()
	}
	return m.data.Guard(func() error { return m.table.Guard(f) })
}

// entry copies the entry of chunk q, and reports whether it could.
func (m *mappings) entry(b *[entrySize]byte, q axial.Number) bool {
	if m.data == nil {
		return false
	}
	off := int64(q) * entrySize
	if off+entrySize > m.reach.Load() {
		size, err := m.files.Table.Size()
		if err != nil {
			return false
		}
		if m.reach.Store(size); off+entrySize > size {
			return size <= off // the zeros of a chunk never written; half an entry is damage
		}
	}
	err := m.table.Guard(func() error {
		raw, err := m.table.Bytes(off, entrySize)
		copy(b[:], raw)
		return err
	})
	return err == nil
}

// Guard calls f, in which View may be used, and returns its error, or one that says that a
// file could not be read where it is mapped.
func (s *Store) Guard(f func() error) error { return s.mapped.guard(f) }

// A View is bytes of a chunk as they are in the file.
type View struct {
	Bytes  []byte // nil if they are not to be had like that
	number axial.Number
	change change
	copied *[]byte // Bytes are no mapping but this
}

// View returns n bytes from byte from on of chunk q as they are in the file, the chunk being
// whole and undamaged as far as Files.Checking wants to know; without bytes if the chunk has to
// be read as a whole. The error is ErrUnwritten. It must be called, and the bytes used, within
// Guard, and what was made of them counts only if Still, which ends their use, says so.
func (s *Store) View(q axial.Number, from, n int) (View, error) {
	if s.mapped.data == nil {
		return View{}, nil
	}
	c, err := s.lookup(q)
	if err != nil || c.image != journal.NoImage {
		return View{}, nil
	}
	if c.entry.length == 0 {
		return View{}, ErrUnwritten
	}
	if int64(c.entry.length) != int64(s.size) || !s.checkInPlace(q, c.entry) {
		return View{}, nil
	}
	v := View{number: q, change: c}
	off := int64(s.OffsetOf(q)) + int64(from)
	if s.mapped.tooWide(off, n) {
		v.copied = smallReads.Get().(*[]byte)
		v.Bytes = (*v.copied)[:n]
		_, err = s.files.Data.ReadAt(v.Bytes, off)
	} else {
		v.Bytes, err = s.mapped.data.Bytes(off, n)
	}
	if err != nil {
		v.release()
		return View{}, nil
	}
	return v, nil
}

// Lasts reports whether the bytes can be used again, with another Still, as long as the store
// is open.
func (v View) Lasts() bool { return v.Bytes != nil && v.copied == nil }

// Still ends the use of a view, and reports whether the chunk was, all the time since View,
// what it is now.
func (s *Store) Still(v View) bool {
	v.release()
	now, err := s.lookup(v.number)
	return err == nil && now == v.change
}

func (v *View) release() {
	if v.copied != nil {
		smallReads.Put(v.copied)
	}
}

// checkInPlace reports whether chunk q, with entry e, is good, as far as that has to be known.
func (s *Store) checkInPlace(q axial.Number, e entry) bool {
	if !s.mustCheck(q, e, s.files.Checking) {
		return true
	}
	off := int64(s.OffsetOf(q))
	chunk, err := s.mapped.data.Bytes(off, s.size)
	if err != nil {
		return false
	}
	s.mapped.data.Ahead(off, s.size)
	if sumOf(chunk) != e.sum {
		return false
	}
	s.verified.add(q, e)
	return true
}

// A mapping brings in whole pages, and others have to go when the budget is used up. Then a
// few bytes are better read: but now and then they are looked at in place all the same, so
// that what is resident follows what is used.
const (
	smallRead  = 64 << 10
	smallEvery = 16
)

var smallReads = sync.Pool{New: func() any { b := make([]byte, smallRead); return &b }}

// tooWide reports whether bytes should be read rather than used in place.
func (m *mappings) tooWide(off int64, n int) bool {
	return n <= smallRead && !m.data.Room(off, n) && m.small.Add(1)%smallEvery != 0
}

// Room reports whether chunk q can be looked at in place without letting others go.
func (s *Store) Room(q axial.Number) bool {
	return s.mapped.data != nil && s.mapped.data.Room(int64(s.OffsetOf(q)), s.size)
}

// mustCheck reports whether chunk q, with entry e, has to be checked before it is used.
func (s *Store) mustCheck(q axial.Number, e entry, checking Checking) bool {
	switch checking {
	case CheckAlways:
		return true
	case CheckNever:
		return false
	}
	return !s.verified.has(q, e)
}

// verified remembers the entries that chunks, in their places, have agreed with. It need not
// be told of writes: they change the entry.
type verified struct {
	mu    sync.RWMutex
	pages map[int64]*verifiedPage
}

type verifiedPage [pageEntries]atomic.Uint64

// maxVerified is how many pages are kept, 8 MiB: when there are more all are forgotten.
const maxVerified = 4096

// key is what is kept of an entry.
func (e entry) key() uint64 { return uint64(e.generation)<<32 | uint64(e.sum) }

func (v *verified) has(q axial.Number, e entry) bool {
	v.mu.RLock()
	p := v.pages[int64(q)/pageEntries]
	v.mu.RUnlock()
	return p != nil && p[q%pageEntries].Load() == e.key()
}

func (v *verified) add(q axial.Number, e entry) {
	v.mu.Lock()
	p := v.pages[int64(q)/pageEntries]
	if p == nil {
		if v.pages == nil || len(v.pages) >= maxVerified {
			v.pages = map[int64]*verifiedPage{}
		}
		p = new(verifiedPage)
		v.pages[int64(q)/pageEntries] = p
	}
	v.mu.Unlock()
	p[q%pageEntries].Store(e.key())
}
