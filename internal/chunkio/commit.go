package chunkio

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/journal"
	"drx/internal/vfs"
)

// A commit goes through these steps, in this order:
//
//	Prepare   what is in its place already, and the entries of new chunks, become durable
//	Journal   if chunks of earlier commits have changed, the journal becomes durable: the
//	          commit is made
//	(the caller appends the line to the log: if there was no journal the commit is made)
//	Apply     what is in the journal goes to its place, and the journal is emptied
//
// Nobody writes chunks meanwhile.

// Prepare makes durable what was written in place, and the table entries of chunks that no
// commit has.
func (s *Store) Prepare() error {
	s.mu.Lock()
	wrote := s.wrote
	s.wrote = false
	s.mu.Unlock()
	if !wrote {
		return nil
	}
	prepare := s.syncInPlace
	if s.files.Shared {
		prepare = s.prepareOwn
	}
	err := prepare()
	if err != nil {
		s.mu.Lock()
		s.wrote = true
		s.mu.Unlock()
	}
	return err
}

// syncInPlace syncs the principal array, then writes and syncs the table.
func (s *Store) syncInPlace() error {
	if err := s.mendAll(); err != nil {
		return err
	}
	if s.files.Durability == None {
		return s.table.write()
	}
	if err := s.syncData(); err != nil {
		return err
	}
	return s.table.sync()
}

// syncData makes the principal array durable. After a failure nothing that was known of its chunks
// counts: the system may have given up what it could not write, and read something older again.
func (s *Store) syncData() error {
	err := s.files.Data.Sync()
	if err != nil {
		s.verified.forget()
	}
	return err
}

// Changed reports whether chunks of earlier commits have changed, so that a commit needs
// the journal.
func (s *Store) Changed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.changes.of) > 0 && !s.files.Shared
}

// Unfinished reports whether there is a commit in the journal that Apply has to finish.
func (s *Store) Unfinished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.block != nil
}

// Journal commits the changes: the log has so many lines afterwards, the last of them being
// line if it is not empty.
func (s *Store) Journal(commits int, line []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.openJournal(); err != nil {
		return err
	}
	block := journal.Block{Commit: int64(commits), Line: line, Entries: make([]journal.Entry, 0, len(s.changes.of))}
	for q, c := range s.changes.of {
		e := journal.Entry{Number: q, Image: c.image, Pieces: c.patch.list()}
		c.entry.encode(e.Table[:], q)
		block.Entries = append(block.Entries, e)
	}
	slices.SortFunc(block.Entries, func(a, b journal.Entry) int { return cmp.Compare(a.Number, b.Number) })
	if err := s.journal.Commit(block); err != nil {
		return err
	}
	s.block = &block
	return nil
}

// Retract takes back what Journal did, or could not do to the end, as long as the commit is
// not in the log. It can be called again after an error.
func (s *Store) Retract() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journal == nil || s.files.Shared {
		return nil
	}
	if err := s.journal.Retract(); err != nil {
		return err
	}
	s.block = nil
	return nil
}

// Apply puts the commit in the journal where it belongs and empties the journal. After an error it can be called again.
func (s *Store) Apply() error {
	if !s.Unfinished() {
		return nil
	}
	if err := s.applyEntries(); err != nil {
		return err
	}
	if err := s.applyImages(); err != nil {
		return err
	}
	if err := s.syncInPlace(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes.clear()
	// Not to be synced before the next commit: the journal is out of date by then.
	if err := s.journal.Clear(); err != nil {
		return err
	}
	s.unclear = true
	s.block = nil
	return nil
}

// Release gives the bytes of chunks that were cleared, and stayed so, back to the file
// system, after the commit that cleared them. That it cannot is no error: they are holes
// for everybody who reads.
func (s *Store) Release() {
	s.mu.Lock()
	cleared := s.cleared
	s.cleared = nil
	s.mu.Unlock()
	slices.Sort(cleared)
	cleared = slices.Compact(cleared)
	for len(cleared) > 0 {
		n := 0 // neighbours go together
		for n < len(cleared) && cleared[n] == cleared[0]+axial.Number(n) && s.isCleared(cleared[n]) {
			n++
		}
		if n > 0 {
			_ = s.files.Data.Punch(int64(s.OffsetOf(cleared[0])), int64(n)*s.slot)
		}
		cleared = cleared[max(1, n):]
	}
}

// Abandon gives the bytes of chunks that were written to their places since the last commit,
// which does not know of them, back to the file system, before the store is closed without
// another. That it cannot is no error.
func (s *Store) Abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.block != nil {
		return
	}
	for q, c := range s.changes.of {
		if c.inPlace() && c.entry.length > 0 {
			_ = s.files.Data.Punch(int64(s.OffsetOf(q)), s.slot)
		}
	}
}

func (s *Store) isCleared(q axial.Number) bool {
	written, err := s.Written(q)
	return err == nil && !written
}

// applyEntries changes the entries, before the chunks (invariant 4). The presence bytes of chunks that
// lose theirs are cleared before.
func (s *Store) applyEntries() error {
	var cleared []axial.Number
	for _, e := range s.block.Entries {
		if entry, _ := decode(e.Table[:], e.Number); entry.length == 0 {
			cleared = append(cleared, e.Number)
		}
	}
	if err := s.presence.clear(cleared, s.files.Durability != None); err != nil {
		return err
	}
	for _, e := range s.block.Entries {
		entry, _ := decode(e.Table[:], e.Number)
		if err := s.table.put(e.Number, entry); err != nil {
			return err
		}
	}
	return s.table.write()
}

func (s *Store) applyImages() error {
	buf := make([]byte, s.size)
	for _, e := range s.block.Entries {
		if err := s.placePieces(e.Number, e.Pieces); err != nil {
			return err
		}
		if e.Image == journal.NoImage {
			continue
		}
		if err := s.journal.Image(e.Image, buf); err != nil {
			return err
		}
		if _, err := s.files.Data.WriteAt(buf, int64(s.OffsetOf(e.Number))); err != nil {
			return err
		}
	}
	return nil
}

// Recover looks for a commit in the journal of a writer that died, for a log of so many
// lines. It returns the line that the log lacks, nil when it lacks none; the caller
// appends it, and then calls Apply. A read-only store keeps the commit in its journal and
// reads the chunks from there.
func (s *Store) Recover(commits int, write bool) (line []byte, err error) {
	j, block, err := s.findCommit(commits, write)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commits = int64(commits)
	return s.adopt(j, block, commits), nil
}

// findCommit opens the journal, nil if there is none, and returns the commit that it has for a
// log of so many lines, nil for none.
func (s *Store) findCommit(commits int, write bool) (*journal.Journal, *journal.Block, error) {
	file, err := s.files.FS.OpenNoFollow(s.files.Journal, write)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	j := journal.New(file, s.size)
	block, err := j.Read(imageSum, s.isPlaced)
	block, err = s.ours(j, block, err)
	if block != nil && !counts(block, int64(commits)) {
		block = nil
	}
	if err != nil {
		return nil, nil, first(err, j.Close())
	}
	return j, block, nil
}

// isPlaced reports whether the chunk of an entry of the journal is in its place already.
func (s *Store) isPlaced(e journal.Entry) (bool, error) {
	buf := make([]byte, s.size)
	_, err := s.files.Data.ReadAt(buf, int64(s.OffsetOf(e.Number)))
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil && crc32c.Sum(buf) == imageSum(e.Table), err
}

// counts reports whether a commit in the journal counts for a log of so many lines: the log has
// its line already, or there was none, or lacks it. If not it was applied long ago.
func counts(b *journal.Block, commits int64) bool {
	return b.Commit == commits || (b.Commit == commits+1 && len(b.Line) > 0)
}

// adopt goes on with a journal and the commit that it has, nil for none, and returns the line of
// it that a log of so many lines lacks. s.mu must be held.
func (s *Store) adopt(j *journal.Journal, block *journal.Block, commits int) (line []byte) {
	s.journal, s.unclear, s.block = j, j != nil, block
	of := map[axial.Number]change{}
	if block != nil {
		for _, e := range block.Entries {
			entry, _ := decode(e.Table[:], e.Number)
			of[e.Number] = change{entry, e.Image, patchOf(e.Pieces)}
		}
		if block.Commit > int64(commits) {
			line = block.Line
		}
	}
	s.changes.replace(of)
	return line
}

// SyncJournal makes durable what Recover found in the journal, before Apply changes anything.
func (s *Store) SyncJournal() error {
	if !s.Unfinished() {
		return nil
	}
	return s.journal.Sync()
}

// Trim removes what a writer that died left behind: a journal that does not count, and
// chunks, with their entries, that no commit has. It must be called before anything is
// written: the numbers of those chunks will be used again.
func (s *Store) Trim() error {
	if s.journal != nil {
		if err := s.clearJournal(); err != nil {
			return err
		}
	}
	s.table.forget()
	if err := s.presence.truncate(s.committed, s.files.Durability != None); err != nil {
		return err
	}
	// It must be durable before the log knows of chunks there, whether they are written or
	// not; that of a writer before, which was killed, too.
	s.wrote = true
	if err := s.cut(s.files.Data, int64(s.OffsetOf(s.committed))); err != nil {
		return err
	}
	if s.files.Durability != None {
		// It must not come back longer than the table, see Covered.
		if err := s.syncData(); err != nil {
			return err
		}
	}
	return s.cut(s.files.Table, int64(s.committed)*entrySize)
}

// cut shortens a file that is longer than size.
func (s *Store) cut(file vfs.File, size int64) error {
	now, err := file.Size()
	if err != nil || now <= size {
		return err
	}
	return file.Truncate(size)
}

// clearJournal empties the journal and makes that durable.
func (s *Store) clearJournal() error {
	if !s.unclear {
		return nil
	}
	if err := s.journal.Clear(); err != nil {
		return err
	}
	if s.files.Durability != None {
		if err := s.journal.Sync(); err != nil {
			return err
		}
	}
	s.unclear = false
	return nil
}

// Settle makes durable that the journal, if there is one, is empty. There must be nothing
// to commit or to apply.
func (s *Store) Settle() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journal == nil {
		return nil
	}
	return s.clearJournal()
}

// openJournal makes sure that there is a journal, and that its name is durable: the process
// that created it may have died before that. s.mu must be held.
func (s *Store) openJournal() error {
	if s.journal == nil {
		file, err := s.files.create(s.files.Journal)
		if err != nil {
			return err
		}
		s.journal = journal.New(file, s.size)
	}
	return s.list()
}

// list makes the name of the journal durable, of whatever process created it. s.mu must be held.
func (s *Store) list() error {
	if s.listed {
		return nil
	}
	if err := s.files.FS.SyncDir(filepath.Dir(s.files.Journal)); err != nil {
		return err
	}
	s.listed = true
	return nil
}
