package chunkio

import (
	"errors"
	"io"

	"drx/axial"
	"drx/internal/state"
)

// ErrNoEntry is given for a chunk whose entry lies beyond the end of the chunk table.
var ErrNoEntry = errors.New("the chunk table ends before its entry, it cannot be checked")

// ErrEmptyEntry is given for a chunk whose entry is zero although its place holds something.
var ErrEmptyEntry = errors.New("its place holds something, but its entry is empty: it was lost, or the chunk was not committed")

// Entries returns the number of entries that the chunk table has in its file.
func (s *Store) Entries() (axial.Number, error) {
	size, err := s.files.Table.Size()
	return axial.Number(ceilDiv(size, entrySize)), err
}

// EachUnknown calls f for each chunk below limit of which nothing tells whether it was ever written,
// and whose place in the principal array holds something, as far as the file system tells: perhaps
// zeros. The error that f gets is ErrNoEntry where the entry lies beyond the end of the table, and
// ErrEmptyEntry where it is zero and there is no presence map. In an array that is not damaged
// there are none, but for what was not committed. It stops at the first error f returns.
func (s *Store) EachUnknown(limit axial.Number, f func(q axial.Number, err error) error) error {
	entries, err := s.Entries()
	var q axial.Number
	if s.presence != nil {
		q = entries
	}
	for err == nil && q < limit {
		var from, to int64
		if from, to, err = s.files.Data.Data(int64(s.OffsetOf(q))); errors.Is(err, io.EOF) {
			return nil
		}
		end := min(limit, axial.Number(ceilDiv(to, s.slot)))
		for q = max(q, axial.Number(from/s.slot)); err == nil && q < end; q++ {
			err = s.ifUnknown(q, entries, f)
		}
	}
	return err
}

// ifUnknown calls f as EachUnknown does, if it does.
func (s *Store) ifUnknown(q, entries axial.Number, f func(q axial.Number, err error) error) error {
	if _, ok := s.changed(q); ok {
		return nil
	}
	if q < entries {
		e, err := s.entry(q)
		if errors.Is(err, state.ErrCorrupt) || e.length > 0 {
			return nil // it is one of Each
		}
		return first(err, f(q, ErrEmptyEntry))
	}
	present, err := s.presence.has(q)
	if present || err != nil {
		return err
	}
	return f(q, ErrNoEntry)
}

// ReadUnchecked fills buf, of ChunkBytes bytes, with what is in the place of chunk q. The
// error wraps state.ErrCorrupt when the file ends before.
func (s *Store) ReadUnchecked(q axial.Number, buf []byte) error {
	_, err := s.files.Data.ReadAt(buf, int64(s.OffsetOf(q)))
	if errors.Is(err, io.EOF) {
		return s.corrupt(q, "the file ends before it")
	}
	return err
}
