package chunkstore

import (
	"crypto/subtle"
	"errors"
	"io"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/crc32c"
	"drx/internal/journal"
)

// Patchable reports whether Patch would patch chunk q, given enough memory.
func (w *Writer) Patchable(q axial.Number) bool {
	_, way := w.patchable(q)
	return way != notPatched
}

// A patchWay is a way to patch a chunk.
type patchWay uint8

const (
	notPatched patchWay = iota
	inPlace             // in its slot: the journal protects no version of the chunk
	inMemory            // until the next commit
)

// patchable returns how to patch chunk q, and the position of its bytes. In an array with a codec
// no chunk is patched, not even a raw one: it may compress better after the change.
func (w *Writer) patchable(q axial.Number) (change, patchWay) {
	c, err := w.lookup(q)
	if err != nil || w.Encodes() || !w.isRaw(c.entry) || c.image != journal.NoImage {
		return c, notPatched
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, changed := w.overlay.of[q]
	switch {
	case w.block != nil:
		return c, notPatched
	case w.files.Durability != Full || q >= w.committed || changed && c.patch == nil:
		return c, inPlace
	}
	return c, inMemory
}

// Patch changes pieces of chunk q, which come in order and do not overlap, and reports whether it
// did. It does not if the chunk must be written as a whole: it was never written, its entry is
// damaged, the file ends in it, chunks are compressed, or it is in the journal.
//
// Patch does not read the rest of the chunk: the new checksum follows from the old one and the
// bytes before and after. Pieces of a chunk that the journal protects stay in memory until the next
// commit, as long as maxPatches allows. Other pieces go to their slots. If that fails the chunk is
// as before, or will be once it can be repaired.
func (w *Writer) Patch(q axial.Number, pieces []Piece) (bool, error) {
	if err := w.repair(q); err != nil {
		return false, err
	}
	c, way := w.patchable(q)
	if way == notPatched || way == inMemory && !w.hasMemory(pieces) {
		return false, nil
	}
	was, err := w.piecesOf(q, c, pieces)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil // reading the whole chunk reports the cause
	}
	if err != nil {
		return false, err
	}
	now := w.entryWith(patchedSum(c.entry.Sum, w.size, was, pieces), w.size).After(c.entry)
	if way == inPlace {
		return w.patchInPlace(q, c.entry, now, was, pieces)
	}
	if err := w.setChange(q, change{entry: now, image: journal.NoImage, patch: c.patch.with(pieces)}); err != nil {
		return false, err
	}
	w.keepVerified(q, c.entry, now)
	return true, nil
}

// hasMemory reports whether maxPatches allows more pieces in memory.
func (w *Writer) hasMemory(pieces []Piece) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.overlay.patches+memoryOf(pieces) <= maxPatches
}

// piecesOf reads the current bytes of the ranges that pieces will overwrite.
func (w *Writer) piecesOf(q axial.Number, c change, pieces []Piece) ([]Piece, error) {
	buf, was := make([]byte, bytesOf(pieces)), make([]Piece, len(pieces))
	return was, w.Guard(func() error {
		for i, p := range pieces {
			was[i] = Piece{At: p.At, Bytes: buf[:len(p.Bytes)]}
			if err := w.readPiece(was[i].Bytes, int64(w.OffsetOf(q))+int64(p.At)); err != nil {
				return err
			}
			c.patch.apply(was[i].Bytes, p.At)
			buf = buf[len(p.Bytes):]
		}
		return nil
	})
}

// patchInPlace overwrites was by pieces in the slot of chunk q, and replaces its entry old by now.
func (w *Writer) patchInPlace(q axial.Number, old, now chunktable.Entry, was, pieces []Piece) (bool, error) {
	err := w.setEntry(q, now)
	if err == nil { // invariant 4
		err = w.writePieces(q, pieces)
	}
	if err != nil {
		w.repairs.add(q, repair{old.After(now), was})
		err = first(err, w.repair(q))
	} else {
		w.keepVerified(q, old, now)
	}
	w.wrote.Store(true)
	return err == nil, err
}

// setEntry sets the entry of chunk q, which is changed in its slot.
func (w *Writer) setEntry(q axial.Number, e chunktable.Entry) error {
	switch {
	case !w.isCommitted(q):
		return w.table.Put(q, e)
	case w.files.Durability == Full:
		return w.setChange(q, changeInPlace(e))
	}
	return w.table.Publish(q, e)
}

// keepVerified notes that chunk q agrees with the entry now if it agreed with old.
func (w *Writer) keepVerified(q axial.Number, old, now chunktable.Entry) {
	if w.verified.Has(q, old) {
		w.verified.Add(q, now)
	}
}

// patchedSum returns the checksum of a chunk of size bytes after pieces, in order, have replaced
// was. sum is the checksum before. was is nil if all bytes of the chunk were zero.
//
// CRCs are linear: those of two strings differ by the CRC of their difference, computed with an
// initial register of zero and without the final complement. That register stays zero as long as
// the strings agree, and behind the last difference it depends on the remaining length alone. So
// the checksum needs only the pieces.
func patchedSum(sum uint32, size int, was, pieces []Piece) uint32 {
	var register uint32
	var scratch [1024]byte
	at := 0
	for i, p := range pieces {
		register = crc32c.AfterZeros(register, p.At-at)
		for from := 0; from < len(p.Bytes); from += len(scratch) {
			difference := p.Bytes[from:min(len(p.Bytes), from+len(scratch))]
			if was != nil {
				n := subtle.XORBytes(scratch[:], difference, was[i].Bytes[from:])
				difference = scratch[:n]
			}
			register = crc32c.Register(register, difference)
		}
		at = p.At + len(p.Bytes)
	}
	return sum ^ crc32c.AfterZeros(register, size-at)
}
