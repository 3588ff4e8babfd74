package chunkio

import (
	"errors"
	"io"

	"drx/axial"
	"drx/internal/journal"
)

// A Piece is bytes of a chunk, from byte At on.
type Piece = journal.Piece

// A patch is what changed in a chunk since the last commit; of pieces that overlap the later one
// counts. It does not change any more.
type patch struct {
	pieces []Piece
	bytes  int // that it takes in memory
}

// The patches of a store, which are in memory until the next commit, take at most maxPatches bytes,
// a piece as many as it has and pieceOverhead.
const (
	maxPatches    = 8 << 20
	pieceOverhead = 64
)

func patchOf(pieces []Piece) *patch {
	if len(pieces) == 0 {
		return nil
	}
	return &patch{pieces, memoryOf(pieces)}
}

// memoryOf returns the bytes that pieces take in memory.
func memoryOf(pieces []Piece) int { return bytesOf(pieces) + len(pieces)*pieceOverhead }

// bytesOf returns the bytes that pieces have together.
func bytesOf(pieces []Piece) (n int) {
	for _, p := range pieces {
		n += len(p.Bytes)
	}
	return n
}

// with returns the patch with copies of more pieces, behind those that p has and in the same memory
// if there is room: p stays as it is, but what with has returned for it before is lost.
func (p *patch) with(more []Piece) *patch {
	next := &patch{p.list(), p.size() + memoryOf(more)}
	buf := make([]byte, 0, bytesOf(more))
	for _, m := range more {
		from := len(buf)
		buf = append(buf, m.Bytes...)
		next.pieces = append(next.pieces, Piece{At: m.At, Bytes: buf[from:]})
	}
	return next
}

func (p *patch) list() []Piece {
	if p == nil {
		return nil
	}
	return p.pieces
}

func (p *patch) size() int {
	if p == nil {
		return 0
	}
	return p.bytes
}

// over puts the patch over bytes of the chunk, from byte from on.
func (p *patch) over(buf []byte, from int) {
	for _, piece := range p.list() {
		at, b := piece.At-from, piece.Bytes
		if at < 0 {
			b = b[min(-at, len(b)):]
			at = 0
		}
		if at < len(buf) {
			copy(buf[at:], b)
		}
	}
}

// Patchable reports whether Patch would patch chunk q, but for room.
func (s *Store) Patchable(q axial.Number) bool {
	_, way := s.patchable(q)
	return way != notPatched
}

// A patching is a way to patch a chunk.
type patching uint8

const (
	notPatched patching = iota
	inPlace             // no commit has it that the journal protects
	inMemory            // until the next commit
)

// patchable also returns where the bytes of the chunk are.
func (s *Store) patchable(q axial.Number) (change, patching) {
	c, err := s.lookup(q)
	if err != nil || int64(c.entry.length) != int64(s.size) || c.image != journal.NoImage || !s.alone() {
		return c, notPatched
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, changed := s.changes.of[q]
	switch {
	case s.block != nil:
		return c, notPatched
	case s.files.Durability != Full || q >= s.committed || changed && c.patch == nil:
		return c, inPlace
	}
	return c, inMemory
}

// alone reports whether this store alone writes.
func (s *Store) alone() bool { return !s.files.Shared && !s.joined }

// Patch changes pieces of chunk q, which come in order and do not overlap, and reports whether it
// did: not where the chunk has to be written as a whole, because it never was, its entry is damaged,
// the file ends in it, or it is in the journal. The rest of the chunk is not looked at: its checksum
// follows from the one before and the bytes before and after. Pieces of a chunk that a commit has are,
// if there is a journal, in memory until the next one, as long as there is room; others go to their
// places, and if there is an error the chunk is as before, or will be as soon as it can be written.
func (s *Store) Patch(q axial.Number, pieces []Piece) (bool, error) {
	if err := s.mend(q); err != nil {
		return false, err
	}
	c, way := s.patchable(q)
	if way == notPatched || way == inMemory && !s.roomFor(pieces) {
		return false, nil
	}
	was, err := s.piecesOf(q, c, pieces)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil // who reads all of it says what is missing
	}
	if err != nil {
		return false, err
	}
	now := s.patched(c.entry, was, pieces)
	if way == inPlace {
		return s.patchInPlace(q, c.entry, now, was, pieces)
	}
	if err := s.setChange(q, change{now, journal.NoImage, c.patch.with(pieces)}); err != nil {
		return false, err
	}
	s.vouch(q, c.entry, now)
	return true, nil
}

// vouch notes that a chunk that agreed with the entry old agrees with now.
func (s *Store) vouch(q axial.Number, old, now entry) {
	if s.verified.has(q, old) {
		s.verified.add(q, now)
	}
}

// roomFor reports whether there is room for more pieces in memory.
func (s *Store) roomFor(pieces []Piece) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changes.patches+memoryOf(pieces) <= maxPatches
}

// patchInPlace patches chunk q in its place, where pieces take the place of was, and gives it the
// entry now in place of old.
func (s *Store) patchInPlace(q axial.Number, old, now entry, was, pieces []Piece) (bool, error) {
	put := s.putPlaced(q)
	err := put(q, now)
	if err == nil { // invariant 4
		err = s.placePieces(q, pieces)
	}
	if err != nil {
		s.owed.add(q, repair{old.after(now), was})
		err = first(err, s.mend(q))
	} else {
		s.vouch(q, old, now)
	}
	s.mu.Lock()
	s.wrote = true // last, see place
	s.mu.Unlock()
	return err == nil, err
}

// putPlaced returns what changes the entry of a chunk that is written in its place.
func (s *Store) putPlaced(q axial.Number) func(axial.Number, entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case q >= s.committed:
		return s.table.put
	case s.files.Durability == Full:
		return func(q axial.Number, e entry) error { return s.setChange(q, placed(e)) }
	}
	return s.table.publish
}

// patched returns the entry of a chunk with the entry old after pieces have taken the place of was.
func (s *Store) patched(old entry, was, pieces []Piece) entry {
	return s.entryWith(patchedSum(old.sum, s.size, was, pieces)).after(old)
}

// piecesOf reads what is now where pieces are to be.
func (s *Store) piecesOf(q axial.Number, c change, pieces []Piece) ([]Piece, error) {
	buf, was := make([]byte, bytesOf(pieces)), make([]Piece, len(pieces))
	return was, s.Guard(func() error {
		for i, p := range pieces {
			was[i] = Piece{At: p.At, Bytes: buf[:len(p.Bytes)]}
			if err := s.readPiece(was[i].Bytes, int64(s.OffsetOf(q))+int64(p.At)); err != nil {
				return err
			}
			c.patch.over(was[i].Bytes, p.At)
			buf = buf[len(p.Bytes):]
		}
		return nil
	})
}

// readPiece reads bytes, a few of them where they are mapped if there is room for that.
func (s *Store) readPiece(buf []byte, off int64) error {
	if s.mapped.data != nil && len(buf) < smallRead && s.mapped.data.Room(off, len(buf)) {
		if b, err := s.mapped.data.Bytes(off, len(buf)); err == nil {
			copy(buf, b)
			return nil
		}
	}
	_, err := s.files.Data.ReadAt(buf, off)
	return err
}

// placePieces writes pieces of chunk q where they belong.
func (s *Store) placePieces(q axial.Number, pieces []Piece) error {
	return s.writing.take(func() error {
		for _, p := range pieces {
			if _, err := s.files.Data.WriteAt(p.Bytes, int64(s.OffsetOf(q))+int64(p.At)); err != nil {
				return err
			}
		}
		return nil
	})
}
