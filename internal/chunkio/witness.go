package chunkio

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"drx/axial"
	"drx/internal/journal"
	"drx/internal/state"
	"drx/internal/vfs"
)

// Finish notes that a commit is made and in its place: the presence bytes of its chunks are set, and
// the presence map says how long the log is, as head has it. A process that shares the array, which
// may know less of the log than others, passes nil.
func (s *Store) Finish(head *Head) error {
	s.mu.Lock()
	committed := s.committed
	s.mu.Unlock()
	if err := s.table.vouch(committed); err != nil || head == nil {
		return err
	}
	if s.behind { // a crash has lost presence bytes, or kept a writer from setting them
		if s.files.Shared {
			return nil // the head stays behind, so that the next writer that is alone sets them
		}
		if err := s.syncEntries(); err != nil {
			return err
		}
		if err := s.table.vouchAll(committed); err != nil {
			return err
		}
	}
	s.behind = false
	return s.setHead(*head)
}

// syncEntries makes durable what the table has, before the presence map vouches for it: the writer before may
// have been killed before it could.
func (s *Store) syncEntries() error {
	if s.files.Durability == None {
		return nil
	}
	return s.files.Table.Sync()
}

// setHead writes the head of the presence map, if it has changed.
func (s *Store) setHead(h Head) error {
	h.Unjournaled = s.bare
	if s.presence == nil || s.head == h {
		return nil
	}
	if err := s.presence.setHead(h); err != nil {
		return err
	}
	s.head = h
	return nil
}

// Unjournaled reports whether AdoptHead has found that a writer without journal died.
func (s *Store) Unjournaled() bool { return s.bare }

// SetUnjournaled says, durably, whether a writer without journal has the array open, the log ending as
// now says.
func (s *Store) SetUnjournaled(is bool, now Head) error {
	s.bare = is
	now.Unjournaled = is
	if s.presence == nil || s.head == now {
		return nil
	}
	changes := s.head.Unjournaled != is
	if err := s.setHead(now); err != nil || !changes || s.files.Durability == None {
		return err
	}
	return s.presence.sync()
}

// HasPresence reports whether the array has a presence map.
func (s *Store) HasPresence() bool { return s.presence != nil }

// SetPresence gives the store of a writer that has not changed anything yet its presence map.
func (s *Store) SetPresence(file vfs.File) {
	s.presence = &presenceMap{file: file}
	s.table.forget()
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	s.table.presence = s.presence
}

// AdoptHead goes on from what the presence map says of the log, which ends as now says. The map may lack
// presence bytes if it knows less of the log, if a journal was there, or after a writer without journal.
func (s *Store) AdoptHead(now Head) error {
	h, known, err := s.presence.head()
	if err != nil {
		return err
	}
	if known {
		s.head, s.bare = h, h.Unjournaled
	}
	s.behind = !known || h.Commits < now.Commits || h.Unjournaled || s.unclean
	return nil
}

// OfLostCommit reports whether chunk q was written by a commit that the log does not have.
func (s *Store) OfLostCommit(q axial.Number) (bool, error) {
	c, err := s.lookup(q)
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(c.entry.commit()) > s.commits+1, err
}

// CheckLog returns an error wrapping state.ErrCorrupt when the log, which ends as now says and has so
// many chunks, has lost lines that it had, or is another one: the presence map knows of commits, or of
// chunks, that it does not have. For an array of version 1 the entries of the chunk table are looked
// at, which tell when more than the last line is lost.
func (s *Store) CheckLog(log string, now Head, chunks axial.Number) error {
	h, known, err := s.presence.head()
	if err != nil {
		return err
	}
	switch {
	case known && h.Commits > now.Commits:
		return fmt.Errorf("%s: lines at its end are missing: it has %d, %s knows of %d: %w", log, now.Commits, s.presence.name(), h.Commits, state.ErrCorrupt)
	case known && h.Commits == now.Commits && h.Digits != now.Digits:
		return fmt.Errorf("%s: line %d begins with %s, %s knows it as %s: one of the files is of another time: %w",
			log, now.Commits, now.Digits[:], s.presence.name(), h.Digits[:], state.ErrCorrupt)
	}
	beyond, err := s.presence.beyond(chunks)
	if err != nil {
		return err
	}
	if beyond {
		return fmt.Errorf("%s: lines at its end are missing: it has %d chunks, %s knows of more: %w", log, chunks, s.presence.name(), state.ErrCorrupt)
	}
	if s.presence != nil {
		return nil
	}
	q, newest, err := s.Newest()
	if err == nil && newest > now.Commits+1 {
		err = fmt.Errorf("%s: lines at its end are missing: it has %d, chunk %d was written after line %d: %w", log, now.Commits, q, newest-1, state.ErrCorrupt)
	}
	return err
}

// CheckJournaled returns an error wrapping state.ErrCorrupt unless the last commit of the log, which had
// so many chunks below before in the journal, is in its place. It counts entries only if the presence
// map does not say that the commit was finished, as after a writer that died. outside reports whether
// a chunk lies outside the bounds, and so must not have an entry.
func (s *Store) CheckJournaled(now Head, chunks int64, before axial.Number, outside func(axial.Number) bool) error {
	h, known, err := s.presence.head()
	if err != nil || known && h.Commits >= now.Commits {
		return err
	}
	var found int64
	left := false // of what the commit has taken away
	commits := []uint32{uint32(now.Commits) & commitMask, uint32(now.Commits+1) & commitMask}
	err = s.table.each(before, func(q axial.Number, err error) error {
		if err != nil {
			return nil // damage that reading tells of
		}
		e, err := s.entryInFile(q)
		if slices.Contains(commits, e.commit()) {
			found++
		}
		left = left || e.length > 0 && outside(q)
		return err
	})
	if err != nil || found >= chunks && !left {
		return err
	}
	// A writer that goes on may have changed the entries meanwhile: then it has said so before.
	if h, known, err = s.presence.head(); err != nil || known && h.Commits >= now.Commits {
		return err
	}
	return &UnappliedError{Journal: s.files.Journal, Commit: now.Commits, Chunks: chunks}
}

// An UnappliedError says that the log has a commit whose chunks are neither in the journal, which is
// damaged or gone, nor all in their places. It wraps state.ErrCorrupt.
type UnappliedError struct {
	Journal string
	Commit  int64 // its number
	Chunks  int64 // of it, some of which are as they were before
}

// Error names the journal, the commit and its number of chunks.
func (e *UnappliedError) Error() string {
	return fmt.Sprintf("%s is damaged or gone: it had %d chunks of commit %d, not all of which are in their places: %v",
		e.Journal, e.Chunks, e.Commit, state.ErrCorrupt)
}

// Unwrap returns state.ErrCorrupt.
func (e *UnappliedError) Unwrap() error { return state.ErrCorrupt }

// Replaced returns how many of the changes since the last commit give a chunk of its grid an entry,
// rather than take one away.
func (s *Store) Replaced() (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for q, c := range s.changes.of {
		if c.entry.length > 0 && q < s.committed {
			n++
		}
	}
	return n
}

// Uncommitted reports whether chunks have changed since the last commit.
func (s *Store) Uncommitted() bool {
	return s.Changed() || s.table.changed()
}

// AddPresence gives the store of an array that has none a presence map in file, which vouches for all
// that the table has of committed chunks, durably. What was changed must be in the table, see Prepare. The
// map says head of the log, or nothing if that is nil.
func (s *Store) AddPresence(file vfs.File, head *Head) error {
	s.mu.Lock()
	committed := s.committed
	s.mu.Unlock()
	if err := file.Truncate(0); err != nil {
		return err
	}
	presence := &presenceMap{file: file}
	if head != nil {
		if err := presence.setHead(*head); err != nil {
			return err
		}
		s.head, s.bare = *head, head.Unjournaled
	}
	if err := s.syncEntries(); err != nil {
		return err
	}
	if err := s.table.addPresence(presence, committed); err != nil {
		return err
	}
	s.presence = presence
	return nil
}

// MissingLines returns how many more lines the log has had than those given, as far as the presence map
// tells, or, where there is none, the entries of the chunk table: then there may be more.
func (s *Store) MissingLines(lines int64) (int64, error) {
	h, known, err := s.presence.head()
	if err != nil || known {
		return max(0, h.Commits-lines), err
	}
	_, newest, err := s.Newest()
	return max(0, newest-1-lines), err
}

// AdoptDamaged makes a reader's store take what is good of a journal that CheckJournaled has found
// damaged, for a log of so many lines, and reports whether there is anything: chunks whose images are
// not good are corrupt.
func (s *Store) AdoptDamaged(commits int) (bool, error) {
	file, err := s.files.FS.Open(s.files.Journal, false)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	j := journal.New(file, s.size)
	block, err := j.Block()
	block, err = s.ours(j, block, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || block == nil || !counts(block, int64(commits)) {
		return false, first(err, j.Close())
	}
	old := s.journal
	s.adopt(j, block, commits)
	if old != nil {
		err = old.Close()
	}
	return true, err
}
