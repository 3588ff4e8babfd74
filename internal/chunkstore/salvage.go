package chunkstore

import (
	"errors"
	"io"

	"drx/axial"
	"drx/internal/state"
)

// ErrNoEntry is what EachUnknown says of a chunk whose entry would lie beyond the end of the chunk table.
var ErrNoEntry = errors.New("the chunk table ends before its entry, it cannot be checked")

// ErrEmptyEntry is what EachUnknown says of a chunk whose entry is zero although its place holds something.
var ErrEmptyEntry = errors.New("its place holds something, but its entry is empty: it was lost, or the chunk was not committed")

// Entries returns the number of entries that the chunk table has in its file.
func (s *Store) Entries() (axial.Number, error) {
	return s.table.Entries()
}

// EachUnknown calls f for each chunk below limit that has no entry, and of which nothing else says whether it was
// ever written, although its place is not in a hole of the principal array. (It may hold zeros.) The error that f gets
// is ErrNoEntry if the entry would lie beyond the end of the table, and ErrEmptyEntry if it is zero and there is no
// presence map. In an array that is not damaged only chunks that were not committed are unknown. EachUnknown stops at the
// first error that f returns.
func (s *Store) EachUnknown(limit axial.Number, f func(q axial.Number, err error) error) error {
	entries, err := s.Entries()
	var q axial.Number
	if s.HasPresence() {
		q = entries
	}
	for err == nil && q < limit {
		var from, to int64
		if from, to, err = s.files.Data.Data(int64(s.OffsetOf(q))); errors.Is(err, io.EOF) {
			return nil
		}
		end := min(limit, axial.Number((to-1)/s.slot)+1)
		for q = max(q, axial.Number(from/s.slot)); err == nil && q < end; q++ {
			err = s.ifUnknown(q, entries, f)
		}
	}
	return err
}

// ifUnknown calls f if chunk q is unknown. The table has so many entries.
func (s *Store) ifUnknown(q, entries axial.Number, f func(q axial.Number, err error) error) error {
	if _, ok := s.changed(q); ok {
		return nil
	}
	if q < entries {
		e, err := s.role.entry(q)
		if errors.Is(err, state.ErrCorrupt) || e.Length > 0 {
			return nil // it is one of Each
		}
		return first(err, f(q, ErrEmptyEntry))
	}
	present, err := s.table.Presence().Has(q)
	if present || err != nil {
		return err
	}
	return f(q, ErrNoEntry)
}

// ReadUnchecked fills buf, of ChunkBytes bytes, with what is in the place of chunk q. The error wraps state.ErrCorrupt if
// the file ends before it.
func (s *Store) ReadUnchecked(q axial.Number, buf []byte) error {
	_, err := s.files.Data.ReadAt(buf, int64(s.OffsetOf(q)))
	if errors.Is(err, io.EOF) {
		return s.corrupt(q, "the file ends before it")
	}
	return err
}
