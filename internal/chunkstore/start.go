package chunkstore

import (
	"errors"
	"io"

	"drx/axial"
	"drx/internal/crc32c"
)

// Start writes pieces, in order and without overlap, of a chunk that was never written, and reports
// whether it did. The rest of the chunk is zero: a hole of the file. It does not write if the chunk
// has an entry, if its place holds something, or if chunks are compressed. If there is an error the
// chunk is as before.
func (w *Writer) Start(q axial.Number, pieces []Piece) (bool, error) {
	if ok, err := w.startable(q); !ok || err != nil {
		return false, err
	}
	if err := w.Fits(q + 1); err != nil {
		return false, err
	}
	if err := w.cover(q); err != nil {
		return false, err
	}
	err := w.writePieces(q, pieces)
	if err == nil {
		_, err = w.extend(q)
	}
	if err != nil {
		w.giveBack(q, 1)
		return false, err
	}
	e := w.entryWith(patchedSum(crc32c.Zeros(w.size), w.size, nil, pieces), w.size)
	w.verified.Add(q, e)
	w.wrote.Store(true)
	return true, w.setFreshEntry(q, e)
}

// startable reports whether chunk q was never written and its place holds nothing but zeros.
func (w *Writer) startable(q axial.Number) (bool, error) {
	fresh, err := w.Fresh(q)
	if !fresh || err != nil {
		return false, err
	}
	if w.Encodes() || w.Unfinished() || w.clears.Load() {
		return false, nil
	}
	from, _, err := w.files.Data.Data(int64(w.OffsetOf(q)))
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return err == nil && from >= int64(w.OffsetOf(q))+int64(w.size), nil
}
