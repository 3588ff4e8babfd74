package chunkio

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"unsafe"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/journal"
	"drx/internal/mapped"
)

// tableShare is how much of what may be resident is the table's: 16 bytes go with a chunk.
const tableShare = 16

// mappings are the files of a store as mappings; without any there are none, and everything is
// read by ReadAt.
type mappings struct {
	data, table *mapped.File
	presence    *mapped.File  // nil for none
	reach       *atomic.Int64 // bytes that the table surely has
	present     *atomic.Int64 // bytes that the presence map surely has
	small       *atomic.Int64 // counts small reads
	looks       *atomic.Int32 // counts the first ones, see early
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

// entry returns the bytes of the entry of chunk q, in place, and reports whether they are to be
// had there: none, of a chunk behind the end of the table, which was never written.
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

// Guard calls f, in which View may be used, and returns its error, or one that says that a
// file could not be read where it is mapped.
func (s *Store) Guard(f func() error) error { return s.mapped.guard(f) }

// A View is bytes of a chunk as they are in the file.
type View struct {
	Bytes  []byte // nil if they are not to be had like that
	number axial.Number
	change change  // of which they are
	live   []byte  // its entry where it is in the table, if that alone tells whether the view counts
	words  words   // that were there
	early  bool    // the files are read for it
	copied *[]byte // Bytes are no mapping but this
}

// View returns n bytes from byte from on of chunk q as they are in the file, the chunk being
// whole and undamaged as far as Files.Checking wants to know; without bytes if the chunk has to
// be read as a whole. The error is ErrUnwritten. It must be called, and the bytes used, within
// Guard, and what was made of them counts only if Still, which ends their use, says so.
func (s *Store) View(q axial.Number, from, n int) (View, error) {
	return s.view(q, from, n, s.goodInPlace)
}

// view is View, of a chunk that good says something about.
func (s *Store) view(q axial.Number, from, n int, good func(v *View) bool) (View, error) {
	if s.mapped.data == nil {
		return View{}, nil
	}
	v := View{number: q, early: s.mapped.early(n)}
	if !s.look(&v) || v.change.image != journal.NoImage || v.change.patch != nil && n > smallRead {
		return View{}, nil
	}
	e := v.change.entry
	if e.length == 0 {
		return View{}, s.unwritten(&v)
	}
	if int64(e.length) != int64(s.size) || !good(&v) {
		return View{}, nil
	}
	var err error
	off := int64(s.OffsetOf(q)) + int64(from)
	if v.early || v.change.patch != nil || s.mapped.tooWide(off, n) {
		v.copied = smallReads.Get().(*[]byte)
		v.Bytes = (*v.copied)[:n]
		read := s.readPiece
		if v.early {
			read = s.readAt
		}
		err = read(v.Bytes, off)
		v.change.patch.over(v.Bytes, from)
	} else {
		v.Bytes, err = s.mapped.data.Bytes(off, n)
	}
	if err != nil {
		v.release()
		return View{}, nil
	}
	return v, nil
}

// unwritten returns ErrUnwritten for a view of a chunk whose entry is zero, and nil if that entry may
// be lost: reading the chunk as a whole tells.
func (s *Store) unwritten(v *View) error {
	if s.exclusive() || v.early {
		return ErrUnwritten // lookup has seen to it
	}
	if _, changed := s.changed(v.number); changed {
		return ErrUnwritten
	}
	if set, ok := s.mapped.isPresent(v.number); set || !ok {
		return nil
	}
	return ErrUnwritten
}

// look finds what a view is of, and reports whether it could.
func (s *Store) look(v *View) bool {
	if s.exclusive() {
		c, err := s.lookup(v.number)
		v.change = c
		return err == nil
	}
	if c, ok := s.changed(v.number); ok {
		v.change = c
		return s.files.Writing == nil // see promised
	}
	if v.early {
		e, err := s.entryInFile(v.number)
		v.change = placed(e)
		return err == nil
	}
	v.change.image = journal.NoImage
	raw, ok := s.mapped.entry(v.number)
	if !ok || len(raw) == 0 {
		return ok
	}
	v.live, v.words = raw, load(raw)
	v.change = placed(v.words.entry())
	if s.verified.has(v.number, v.change.entry) {
		return true // which was a good one
	}
	_, good := decode(raw, v.number)
	return good
}

// Lasts reports whether the bytes can be used again, with another Still, as long as the store
// is open.
func (v View) Lasts() bool { return v.Bytes != nil && v.copied == nil }

// Still ends the use of a view, and reports whether the chunk was, all the time since View,
// what it is now.
func (s *Store) Still(v View) bool {
	v.release()
	if v.live != nil {
		fence() // what was made of the bytes comes first
		return load(v.live) == v.words
	}
	now, err := s.lookup(v.number)
	return err == nil && now == v.change
}

func (v *View) release() {
	if v.copied != nil {
		smallReads.Put(v.copied)
	}
}

// readAt reads bytes past the mappings.
func (s *Store) readAt(buf []byte, off int64) error {
	_, err := s.files.Data.ReadAt(buf, off)
	return err
}

// checkInPlace reports whether the chunk of a view is good, as far as that has to be known.
func (s *Store) checkInPlace(v *View) bool {
	q, e := v.number, v.change.entry
	if !s.mustCheck(q, e, s.files.Checking) {
		return true
	}
	sum, err := s.sumOfView(v)
	return err == nil && s.agree(v, sum)
}

// agree reports whether the chunk of a view has the checksum that it should have, and remembers if so.
func (s *Store) agree(v *View, sum uint32) bool {
	q, e := v.number, v.change.entry
	if sum != e.sum {
		return false
	}
	s.verified.add(q, e)
	return true
}

// sumOfView returns the checksum of the chunk of a view.
func (s *Store) sumOfView(v *View) (uint32, error) {
	off := int64(s.OffsetOf(v.number))
	if v.early {
		return s.sumByReading(off)
	}
	chunk, err := s.mapped.data.Bytes(off, s.size)
	if err != nil {
		return 0, err
	}
	return crc32c.Sum(chunk), nil
}

// sumByReading returns the checksum of the chunk that begins at off, past the mappings.
func (s *Store) sumByReading(off int64) (sum uint32, err error) {
	buf := smallReads.Get().(*[]byte)
	defer smallReads.Put(buf)
	for end := off + int64(s.size); off < end; off += smallRead {
		piece := (*buf)[:min(smallRead, end-off)]
		if err := s.readAt(piece, off); err != nil {
			return 0, err
		}
		sum = crc32c.Update(sum, piece)
	}
	return sum, nil
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

// firstLooks is how many looks at a few bytes are made by reading: to map both files, and to end
// that, takes as long as to read some 200 KiB, for which an array that is opened for one element,
// and closed, has no use.
const firstLooks = 4

// early reports whether a look at n bytes is one of the first.
func (m *mappings) early(n int) bool {
	return n <= smallRead && m.looks.Load() < firstLooks && m.looks.Add(1) <= firstLooks
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

// words are an entry as it is in the file, read while others may be writing it: halves may be
// of two entries, which their check tells.
type words [entrySize / 8]uint64

// load reads an entry that lies in a mapping.
func load(raw []byte) words { return loadAt(unsafe.Pointer(unsafe.SliceData(raw))) }

// loadAt is load of the entry at a pointer: mappings begin with a page.
func loadAt(at unsafe.Pointer) words {
	p := (*[entrySize / 8]uint64)(at)
	return words{atomic.LoadUint64(&p[0]), atomic.LoadUint64(&p[1])}
}

func (w words) entry() entry {
	var b [entrySize]byte
	binary.NativeEndian.PutUint64(b[:], w[0])
	binary.NativeEndian.PutUint64(b[8:], w[1])
	le := binary.LittleEndian
	return entry{le.Uint32(b[:]), le.Uint32(b[4:]), le.Uint32(b[8:])}
}

// fence keeps the processor from reading what comes after it before what comes before it: an
// atomic load alone does not do that on all of them.
func fence() {
	var x atomic.Int32
	x.Add(1)
}

// verified remembers the entries that chunks, in their places, have agreed with, when they were read
// or when they were written. It need not be told of writes by others: they change the entry. It is a hash table without chains: of two pages
// that have the same place the later one stays. Its groups are made when they are needed: most
// arrays need few.
type verified [maxVerified / verifiedGroup]atomic.Pointer[[verifiedGroup]verifiedPlace]

// A verifiedPlace has a page, or nil.
type verifiedPlace = atomic.Pointer[verifiedPage]

// A verifiedPage is of the chunks of one page of the table.
type verifiedPage struct {
	number int64
	keys   [pageEntries]atomic.Uint64
}

// How many pages are kept, 4 MiB, and how many places are made at once.
const (
	verifiedBits  = 11
	maxVerified   = 1 << verifiedBits
	verifiedGroup = 64
)

// placeOf spreads the numbers of pages, which often have a common factor.
func placeOf(number int64) uint64 {
	return uint64(number) * 0x9e3779b97f4a7c15 >> (64 - verifiedBits) // 2^64 by the golden ratio
}

// key is what is kept of an entry.
func (e entry) key() uint64 { return uint64(e.generation)<<32 | uint64(e.sum) }

func (v *verified) has(q axial.Number, e entry) bool {
	number := int64(q) / pageEntries
	at := placeOf(number)
	group := v[at/verifiedGroup].Load()
	if group == nil {
		return false
	}
	p := group[at%verifiedGroup].Load()
	return p != nil && p.number == number && p.keys[q%pageEntries].Load() == e.key()
}

// place returns the place of a page, in a group that is made if need be.
func (v *verified) place(number int64) *verifiedPlace {
	at := placeOf(number)
	group := &v[at/verifiedGroup]
	for group.Load() == nil {
		group.CompareAndSwap(nil, new([verifiedGroup]verifiedPlace))
	}
	return &group.Load()[at%verifiedGroup]
}

// forget forgets all.
func (v *verified) forget() {
	for i := range v {
		v[i].Store(nil)
	}
}

func (v *verified) add(q axial.Number, e entry) {
	number := int64(q) / pageEntries
	place := v.place(number)
	p := place.Load()
	for p == nil || p.number != number {
		fresh := &verifiedPage{number: number}
		if place.CompareAndSwap(p, fresh) {
			p = fresh
		} else {
			p = place.Load()
		}
	}
	p.keys[q%pageEntries].Store(e.key())
}
