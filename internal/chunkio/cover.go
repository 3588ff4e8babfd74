package chunkio

import (
	"fmt"

	"drx/axial"
	"drx/internal/state"
)

// The chunk table is always at least as long as it must be for an entry of every chunk that
// the principal array reaches to: it grows, durably, before a chunk is written in its place,
// and is cut after the principal array. So a table that lost its end gives itself away,
// rather than that its chunks read as never written.

// coverLock is the byte of the table that is locked while it grows in a shared store: far
// beyond the entries, which have locks of their own.
const coverLock = 1 << 62

// cover makes the table long enough for chunk q.
func (s *Store) cover(q axial.Number) error {
	sync := s.files.Durability != None
	if !s.files.Shared {
		return s.table.cover(q, sync)
	}
	s.covering.Lock() // the other lock does not keep goroutines apart
	defer s.covering.Unlock()
	unlock, err := s.files.Table.LockRange(coverLock, 1)
	if err != nil {
		return err
	}
	s.table.forget() // somebody else may have cut it
	return first(s.table.cover(q, sync), unlock())
}

// Covered returns an error wrapping state.ErrCorrupt when the table is too short. A writer
// that begins may be cutting both files meanwhile, so it looks more than once.
func (s *Store) Covered() error {
	var reach, entries int64
	for range 3 {
		data, err := s.files.Data.Size()
		if err != nil {
			return err
		}
		table, err := s.files.Table.Size()
		if err != nil {
			return err
		}
		reach, entries = ceilDiv(data, s.slot), table/entrySize
		if reach <= entries {
			return nil
		}
	}
	return fmt.Errorf("%s: its end is missing: it has %d entries, %s reaches to chunk %d: %w",
		s.files.Table.Name(), entries, s.files.Data.Name(), reach-1, state.ErrCorrupt)
}

// ceilDiv returns n / by, rounded up, for any n that is not negative: the sizes of files may be near the
// largest int64.
func ceilDiv(n, by int64) int64 { return n/by + min(n%by, 1) }
