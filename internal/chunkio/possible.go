package chunkio

import (
	"errors"
	"fmt"

	"drx/axial"
	"drx/internal/journal"
	"drx/internal/state"
)

// What a journal says is checked before anything is done with it: its checksums say that it is whole, not
// that a writer of this array has written it. The journal itself is checked as it is decoded, its
// entries here, and its chunk numbers where it is known how many chunks there are.

// ours returns what was read of a journal, nothing if that is not the journal of these files, and an error
// wrapping state.ErrCorrupt for entries that cannot be.
func (s *Store) ours(j *journal.Journal, block *journal.Block, err error) (*journal.Block, error) {
	if block == nil && !errors.Is(err, state.ErrCorrupt) {
		return nil, err
	}
	if own, currentErr := s.current(); !own || currentErr != nil {
		return nil, currentErr
	}
	if err != nil {
		return nil, err
	}
	return block, s.checkEntries(j, block)
}

// checkEntries checks the table entries of a block.
func (s *Store) checkEntries(j *journal.Journal, block *journal.Block) error {
	for _, e := range block.Entries {
		entry, ok := decode(e.Table[:], e.Number)
		cleared := entry.length == 0
		switch {
		case !ok:
			return impossible(j, "the table entry of chunk %d is damaged", e.Number)
		case cleared && (e.Image != journal.NoImage || len(e.Pieces) > 0):
			return impossible(j, "chunk %d is never written but has bytes", e.Number)
		case !cleared && int64(entry.length) != int64(s.size):
			return impossible(j, "chunk %d has %d bytes, chunks have %d", e.Number, entry.length, s.size)
		}
	}
	return nil
}

// checkNumbers checks that a block names none but the first so many chunks.
func checkNumbers(j *journal.Journal, block *journal.Block, chunks axial.Number) error {
	if n := len(block.Entries); n > 0 && block.Entries[n-1].Number >= chunks { // they ascend
		return impossible(j, "it has chunk %d, the array has %d", block.Entries[n-1].Number, chunks)
	}
	return nil
}

// CheckJournal returns an error wrapping state.ErrCorrupt if the commit that Recover or Refresh has found in
// the journal names a chunk that the array, which has so many with that commit, has not.
func (s *Store) CheckJournal(chunks axial.Number) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.block == nil {
		return nil
	}
	return checkNumbers(s.journal, s.block, chunks)
}

// IgnoreJournal makes a read-only store forget what Recover has found in the journal.
func (s *Store) IgnoreJournal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.block = nil
	s.changes.clear()
}

// checkSharer checks the block of the journal of a sharer. The log has all chunks of it: they were reserved
// before they were written.
func (s *Store) checkSharer(j *journal.Journal, block *journal.Block) error {
	if block.Commit != -1 || len(block.Line) > 0 {
		return impossible(j, "commit %d, with a line of %d bytes, of a process that appends", block.Commit, len(block.Line))
	}
	for _, e := range block.Entries {
		if e.Image == journal.NoImage {
			return impossible(j, "chunk %d has no image", e.Number)
		}
	}
	if err := s.checkEntries(j, block); err != nil || s.files.Chunks == nil {
		return err
	}
	chunks, err := s.files.Chunks()
	if err != nil {
		return err
	}
	return checkNumbers(j, block, chunks)
}

func impossible(j *journal.Journal, format string, args ...any) error {
	return fmt.Errorf("%s: the journal is %w, although its checksums are right: %s", j.Name(), state.ErrCorrupt, fmt.Sprintf(format, args...))
}
