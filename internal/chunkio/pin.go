package chunkio

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/journal"
)

// Guard calls f, in which bytes may be pinned and read, and returns its error, or one wrapping
// io.ErrUnexpectedEOF if a file cannot be read where it is mapped.
func (s *Store) Guard(f func() error) error { return s.mapped.guard(f) }

// Room reports whether chunk q can be mapped without others having to go.
func (s *Store) Room(q axial.Number) bool {
	return s.mapped.data != nil && s.mapped.data.Room(int64(s.OffsetOf(q)), s.size)
}

// Pinned is bytes of a chunk as they are in the file: as a rule not a copy but a mapping of the file,
// which another process may change. So they are read first and judged afterwards, by Unpin:
//
//	p, err := s.Pin(q, from, n)
//	copy(buf, p.Bytes)
//	good := s.Unpin(&p) // buf has n bytes of the chunk
type Pinned struct {
	Bytes  []byte // nil if the chunk has to be read as a whole, by Read
	number axial.Number
	change change // where the bytes are, and their entry

	// The entry as it is mapped, if that alone tells whether the chunk has changed, and its contents
	// when the bytes were pinned.
	live  []byte
	words words

	unchecked bool    // Unpin compares the chunk with its checksum
	uncached  bool    // the files are read, not mapped
	copied    *[]byte // the memory of Bytes if they are not mapped
}

// Pin returns n bytes from byte from on of chunk q. It returns no bytes where the chunk is not in
// its place in the file, damaged, or not to be mapped, and ErrUnwritten for a chunk that was never
// written. Pin, all use of the bytes and Unpin have to be within one call of Guard, unless Lasts.
//
// A chunk that Files.Checking wants to have checked is checked by Pin while there is a writer, who
// changes the entry before the bytes: a check afterwards would say nothing of bytes that were read
// before. Without a writer Unpin checks it, when its bytes are in the processor's cache.
func (s *Store) Pin(q axial.Number, from, n int) (Pinned, error) {
	if s.mapped.data == nil {
		return Pinned{}, nil
	}
	p := Pinned{number: q, uncached: s.mapped.early(n)}
	if !s.findInPlace(&p) || p.change.image != journal.NoImage || p.change.patch != nil && n > smallRead {
		return Pinned{}, nil
	}
	e := p.change.entry
	if e.length == 0 {
		return Pinned{}, s.unwritten(&p)
	}
	if int64(e.length) != int64(s.size) || !s.checkBefore(&p) {
		return Pinned{}, nil
	}
	if err := s.bytesOf(&p, from, n); err != nil {
		p.release()
		return Pinned{}, nil
	}
	return p, nil
}

// findInPlace finds the entry of the chunk, and reports whether the chunk may be in its place.
func (s *Store) findInPlace(p *Pinned) bool {
	if s.exclusive() {
		c, err := s.lookup(p.number)
		p.change = c
		return err == nil
	}
	if c, ok := s.changed(p.number); ok {
		p.change = c
		return s.files.Writing == nil // see promised
	}
	if p.uncached {
		e, err := s.entryInFile(p.number)
		p.change = placed(e)
		return err == nil
	}
	p.change.image = journal.NoImage
	raw, ok := s.mapped.entry(p.number)
	if !ok || len(raw) == 0 {
		return ok
	}
	p.live, p.words = raw, loadWords(raw)
	p.change = placed(p.words.entry())
	if s.verified.has(p.number, p.change.entry) {
		return true // and so was its entry
	}
	_, good := decode(raw, p.number)
	return good
}

// unwritten returns ErrUnwritten for a chunk whose entry is zero, and nil if the entry may be lost:
// then Read tells.
func (s *Store) unwritten(p *Pinned) error {
	if s.exclusive() || p.uncached {
		return ErrUnwritten // lookup and entryInFile have asked the presence map
	}
	if _, changed := s.changed(p.number); changed {
		return ErrUnwritten
	}
	if set, ok := s.mapped.isPresent(p.number); set || !ok {
		return nil
	}
	return ErrUnwritten
}

// checkBefore checks the chunk, or leaves that to Unpin, and reports whether it may be used.
func (s *Store) checkBefore(p *Pinned) bool {
	if !s.mustCheck(p.number, p.change.entry, s.files.Checking) {
		return true
	}
	if !p.uncached { // all of it will be read, not some pages of it
		s.mapped.data.Ahead(int64(s.OffsetOf(p.number)), s.size)
	}
	if p.unchecked = s.files.Writing != nil && !s.files.Writing(); p.unchecked {
		return true
	}
	return s.check(p)
}

// bytesOf sets the bytes, n from byte from of the chunk on: mapped, unless a copy of them costs less.
func (s *Store) bytesOf(p *Pinned, from, n int) (err error) {
	off := int64(s.OffsetOf(p.number)) + int64(from)
	if !p.uncached && p.change.patch == nil && !s.mapped.tooWide(off, n) {
		p.Bytes, err = s.mapped.data.Bytes(off, n)
		return err
	}
	p.copied = smallReads.Get().(*[]byte)
	p.Bytes = (*p.copied)[:n]
	if p.uncached {
		err = s.readAt(p.Bytes, off)
	} else {
		err = s.readPiece(p.Bytes, off)
	}
	p.change.patch.over(p.Bytes, from)
	return err
}

// Lasts reports whether the bytes stay where they are until the store is closed: they may be used
// again, in another call of Guard, if Unpin is asked again.
func (p *Pinned) Lasts() bool { return p.Bytes != nil && p.copied == nil }

// Unpin ends the use of the bytes, and reports whether they were those of the chunk all the time
// since Pin: nobody has written it, and it agrees with its checksum as far as Files.Checking asks
// for that. If not, what was made of the bytes does not count.
func (s *Store) Unpin(p *Pinned) bool {
	if p.unchecked {
		if !s.check(p) {
			p.release()
			return false
		}
		p.unchecked = false
	}
	return s.unchanged(p)
}

// WantsSum reports whether Unpin is going to compute the checksum of the bytes, which are all of the
// chunk. Whoever computes it anyway, while using them, calls UnpinSummed instead.
func (s *Store) WantsSum(p *Pinned) bool {
	return p.unchecked && p.copied == nil && len(p.Bytes) == s.size
}

// UnpinSummed is Unpin for bytes with the given checksum, if WantsSum.
func (s *Store) UnpinSummed(p *Pinned, sum uint32) bool {
	p.unchecked = false
	return s.agrees(p, sum) && s.unchanged(p)
}

// unchanged reports whether the entry of the chunk is what it was when the bytes were pinned.
func (s *Store) unchanged(p *Pinned) bool {
	p.release()
	if p.live != nil {
		fence() // the bytes were read before
		return loadWords(p.live) == p.words
	}
	now, err := s.lookup(p.number)
	return err == nil && now == p.change
}

func (p *Pinned) release() {
	if p.copied != nil {
		smallReads.Put(p.copied)
	}
}

// check compares the chunk with its checksum.
func (s *Store) check(p *Pinned) bool {
	sum, err := s.sumInPlace(p)
	return err == nil && s.agrees(p, sum)
}

// agrees reports whether the chunk has the checksum that its entry says, and remembers it if so.
func (s *Store) agrees(p *Pinned, sum uint32) bool {
	e := p.change.entry
	if sum != e.sum {
		return false
	}
	s.verified.add(p.number, e)
	return true
}

// sumInPlace returns the checksum of the chunk.
func (s *Store) sumInPlace(p *Pinned) (uint32, error) {
	off := int64(s.OffsetOf(p.number))
	if p.uncached {
		return s.sumByReading(off)
	}
	chunk, err := s.mapped.data.Bytes(off, s.size)
	if err != nil {
		return 0, err
	}
	return crc32c.Sum(chunk), nil
}

// sumByReading returns the checksum of the chunk that begins at off, without a mapping.
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

// readAt reads bytes of the principal array without a mapping.
func (s *Store) readAt(buf []byte, off int64) error {
	_, err := s.files.Data.ReadAt(buf, off)
	return err
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

// words are an entry as it is in the file, read while others may be writing it: the halves may be
// of two entries, which the check digits of an entry tell.
type words [entrySize / 8]uint64

// loadWords reads an entry that is mapped.
func loadWords(raw []byte) words { return loadWordsAt(unsafe.Pointer(unsafe.SliceData(raw))) }

// loadWordsAt reads the entry at a pointer. Mappings begin at a page, so that it is aligned.
func loadWordsAt(at unsafe.Pointer) words {
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

// fence keeps the processor from moving reads behind it to before it. An atomic load does not do
// that on every processor.
func fence() {
	var x atomic.Int32
	x.Add(1)
}
