package chunkio

import (
	"errors"
	"io"

	"drx/axial"
)

// ErrNoEntry is given for a chunk whose entry lies beyond the end of the chunk table.
var ErrNoEntry = errors.New("the chunk table ends before its entry, it cannot be checked")

// Entries returns the number of entries that the chunk table has in its file.
func (s *Store) Entries() (axial.Number, error) {
	size, err := s.files.Table.Size()
	return axial.Number(ceilDiv(size, entrySize)), err
}

// EachBeyond calls f, with ErrNoEntry, for each chunk below limit whose entry lies beyond the
// end of the table and whose place in the principal array holds something, as far as the file
// system tells: perhaps zeros. In an array that is not damaged there are none, but for what
// was not committed. It stops at the first error f returns.
func (s *Store) EachBeyond(limit axial.Number, f func(q axial.Number, err error) error) error {
	q, err := s.Entries()
	for err == nil && q < limit {
		var from, to int64
		if from, to, err = s.files.Data.Data(int64(s.OffsetOf(q))); errors.Is(err, io.EOF) {
			return nil
		}
		end := min(limit, axial.Number(ceilDiv(to, s.slot)))
		for q = max(q, axial.Number(from/s.slot)); err == nil && q < end; q++ {
			if _, ok := s.changed(q); !ok {
				err = f(q, ErrNoEntry)
			}
		}
	}
	return err
}

// ReadUnchecked fills buf, of ChunkBytes bytes, with what is in the place of chunk q. The
// error wraps meta.ErrCorrupt when the file ends before.
func (s *Store) ReadUnchecked(q axial.Number, buf []byte) error {
	_, err := s.files.Data.ReadAt(buf, int64(s.OffsetOf(q)))
	if errors.Is(err, io.EOF) {
		return s.corrupt(q, "the file ends before it")
	}
	return err
}
