package chunkstore

import (
	"maps"
	"slices"

	"drx/axial"
	"drx/internal/chunktable"
)

// Abandon undoes what was written since the last commit, see Committer: new chunks in the grid of
// the last commit become holes, the files get the lengths that they had at the last commit, and
// Close removes the journal. A crash may lose all this. That does no harm, because no entry names
// the chunks: the next writer then does it again.
// A leader does not shorten the table: if its group has failed, members may still be writing chunks
// that the table must cover.
func (w *Writer) Abandon() error {
	if w.Unfinished() {
		return nil
	}
	alone := w.role == role(w)
	w.abandonChanges(alone)
	was, err := cut(w.files.Data, int64(w.OffsetOf(w.committed)))
	if err != nil || !alone {
		return err
	}
	if was && w.files.Durability != None {
		// A crash must not bring it back longer than the table, see chunktable.Table.Covered.
		if err := w.syncData(); err != nil {
			return err
		}
	}
	_, err = cut(w.files.Table, int64(w.committed)*chunktable.EntrySize)
	return err
}

// Abandon undoes what this process has written and not committed, see Committer. All its chunks are
// in the grid of the last commit: they were reserved. A chunk stays if it got its entry before the
// commit failed.
func (s *Sharer) Abandon() error {
	s.abandonChanges(false)
	return nil
}

// abandonChanges drops all changes, and punches the bytes of changed chunks that are in their slots
// and have no entry in the table. alone reports that no other process writes chunks: then it also
// punches blocks that such chunks share with holes, because file systems free only whole blocks.
func (s *Store) abandonChanges(alone bool) {
	s.mu.Lock()
	var fresh []axial.Number
	for q, c := range s.overlay.of {
		if c.inPlace() { // also if it was cleared after it was written
			fresh = append(fresh, q)
		}
	}
	s.overlay.clear()
	if alone {
		fresh = slices.AppendSeq(fresh, maps.Keys(s.failed))
	}
	s.mu.Unlock()
	if alone {
		fresh = s.withBlocks(fresh)
	}
	s.punchUnnamed(fresh)
}
