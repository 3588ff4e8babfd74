package chunkstore

import (
	"sync/atomic"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/crc32c"
	"drx/internal/journal"
)

// Guard calls f, in which bytes may be pinned and used, and returns its error, or one wrapping
// io.ErrUnexpectedEOF if a file cannot be read where it is mapped.
func (s *Store) Guard(f func() error) error { return s.mapped.guard(f) }

// FitsBudget reports whether chunk q can be mapped without evicting others.
func (s *Store) FitsBudget(q axial.Number) bool {
	return s.mapped.data != nil && s.mapped.data.Fits(int64(s.OffsetOf(q)), s.size)
}

// A Pin has bytes of a chunk, usually not copied but in a mapping of the file, which another
// process may change. So they are used first and validated afterwards, by Unpin:
//
//	p, err := s.Pin(q, from, n)
//	copy(buf, p.Bytes)
//	good := s.Unpin(&p) // buf has n bytes of the chunk
type Pin struct {
	Bytes  []byte // nil if the chunk must be read as a whole, by Read
	number axial.Number
	location

	unchecked bool    // Unpin compares the chunk with its checksum
	unmapped  bool    // the files are read, not mapped
	copied    *[]byte // the memory of Bytes if they are not mapped
	decoded   *[]byte // the memory of Bytes if they were decoded
}

// A location is where the bytes of a chunk are, and their entry.
type location struct {
	change change
	// The entry in the mapped table, nil if it is not mapped, and its contents when it was found.
	// If there is one, it alone shows whether the chunk has changed since.
	live  []byte
	words chunktable.Words
}

// Pin returns n bytes from byte from on of chunk q: mapped, or in a copy if they are few and
// mapping them costs more. It returns no bytes if the chunk is in a journal, is patched and n is
// large, is damaged, is compressed and n is large, or cannot be mapped, and ErrUnwritten for a
// chunk that was never written. Pin, all uses of the bytes and Unpin must be within one call of
// Guard, unless Lasts.
//
// If Files.Checking asks for a check of the chunk, Pin makes it while there may be a writer. A
// writer changes the entry before the bytes, so that a check after using the bytes would say
// nothing about what was used. While nobody can be writing, Unpin checks the chunk, when its bytes
// are in the processor's cache.
func (s *Store) Pin(q axial.Number, from, n int) (Pin, error) {
	if s.mapped.data == nil {
		return Pin{}, nil
	}
	p := Pin{number: q, unmapped: s.mapped.beforeMapping(n)}
	var ok bool
	p.location, ok = s.role.locate(q, p.unmapped)
	if !ok || p.change.image != journal.NoImage || p.change.patch != nil && n > smallRead {
		return Pin{}, nil
	}
	e := p.change.entry
	if e.Length == 0 {
		return Pin{}, s.unwritten(&p)
	}
	if !s.isRaw(e) {
		s.pinPart(&p, from, n)
		return p, nil
	}
	if !s.checkBefore(&p) {
		return Pin{}, nil
	}
	if err := s.setBytes(&p, from, n); err != nil {
		p.release()
		return Pin{}, nil
	}
	return p, nil
}

// unwritten returns ErrUnwritten for a chunk whose entry is zero, or nil if that entry may be lost:
// then Read finds out. A mapped entry was not yet compared with the presence map.
func (s *Store) unwritten(p *Pin) error {
	if p.live == nil {
		return ErrUnwritten
	}
	if set, ok := s.mapped.isPresent(p.number); set || !ok {
		return nil
	}
	return ErrUnwritten
}

// checkBefore checks the chunk, or leaves that to Unpin, and reports whether the chunk may be used.
func (s *Store) checkBefore(p *Pin) bool {
	if !s.mustCheck(p.number, p.change.entry, s.files.Checking) {
		return true
	}
	if !p.unmapped { // the whole chunk will be read, not just some pages
		s.mapped.data.Ahead(int64(s.OffsetOf(p.number)), s.size)
	}
	if p.unchecked = s.role.undisturbed(); p.unchecked {
		return true
	}
	return s.check(p)
}

// setBytes sets p.Bytes to n bytes from byte from of the chunk on: mapped, unless a copy costs
// less.
func (s *Store) setBytes(p *Pin, from, n int) (err error) {
	off := int64(s.OffsetOf(p.number)) + int64(from)
	if !p.unmapped && p.change.patch == nil && !s.mapped.exceedsBudget(off, n) {
		p.Bytes, err = s.mapped.data.Bytes(off, n)
		return err
	}
	p.copied = smallReads.Get().(*[]byte)
	p.Bytes = (*p.copied)[:n]
	if p.unmapped {
		err = s.readAt(p.Bytes, off)
	} else {
		err = s.readPiece(p.Bytes, off)
	}
	p.change.patch.apply(p.Bytes, from)
	return err
}

// Lasts reports whether the bytes stay where they are until the store is closed. Then they may be
// used again, in another call of Guard, followed by another Unpin.
func (p *Pin) Lasts() bool { return p.Bytes != nil && p.copied == nil && p.decoded == nil }

// Unpin ends the use of the bytes, and reports whether they were valid at all times since Pin:
// nobody has written the chunk, and it agrees with its checksum, if Files.Checking asks for the
// check. If not, the caller must discard what it has copied.
func (s *Store) Unpin(p *Pin) bool {
	if p.unchecked {
		if !s.check(p) {
			p.release()
			return false
		}
		p.unchecked = false
	}
	return s.unchanged(p)
}

// WantsSum reports whether the bytes are the whole chunk and Unpin will compute their checksum. A
// caller that can compute it while using the bytes calls UnpinSummed instead.
func (s *Store) WantsSum(p *Pin) bool {
	return p.unchecked && p.copied == nil && len(p.Bytes) == s.size
}

// UnpinSummed is Unpin for bytes with the given checksum, if WantsSum.
func (s *Store) UnpinSummed(p *Pin, sum uint32) bool {
	p.unchecked = false
	return s.agrees(p, sum) && s.unchanged(p)
}

// unchanged reports whether the entry of the chunk is still the same as when the bytes were pinned.
func (s *Store) unchanged(p *Pin) bool {
	p.release()
	if p.live != nil {
		fence() // the bytes are read before the entry
		return chunktable.LoadWords(p.live) == p.words
	}
	now, err := s.lookup(p.number)
	return err == nil && now == p.change
}

func (p *Pin) release() {
	switch {
	case p.copied != nil:
		smallReads.Put(p.copied)
	case p.decoded != nil:
		frames.Put(p.decoded)
	}
}

// check compares the chunk with its checksum.
func (s *Store) check(p *Pin) bool {
	sum, err := s.sumInPlace(p)
	return err == nil && s.agrees(p, sum)
}

// agrees reports whether sum is the checksum in the entry of the chunk, and if so notes that it was
// verified.
func (s *Store) agrees(p *Pin, sum uint32) bool {
	e := p.change.entry
	if sum != e.Sum {
		return false
	}
	s.verified.Add(p.number, e)
	return true
}

// sumInPlace returns the checksum of the chunk.
func (s *Store) sumInPlace(p *Pin) (uint32, error) {
	off := int64(s.OffsetOf(p.number))
	if p.unmapped {
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

// readPiece reads bytes of the principal array: a few bytes from the mapping, if the budget allows
// that.
func (s *Store) readPiece(buf []byte, off int64) error {
	if s.mapped.data != nil && len(buf) < smallRead && s.mapped.data.Fits(off, len(buf)) {
		if b, err := s.mapped.data.Bytes(off, len(buf)); err == nil {
			copy(buf, b)
			return nil
		}
	}
	return s.readAt(buf, off)
}

// fence keeps the processor from moving reads that follow it to before it. An atomic load alone
// does not do that on every processor.
func fence() {
	var x atomic.Int32
	x.Add(1)
}
