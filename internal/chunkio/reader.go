package chunkio

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"time"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/journal"
	"drx/internal/state"
)

// patience is how long a reader waits for a writer that is overwriting a chunk.
const patience = 10 * time.Second

// readBeside reads a chunk that disagreed with its checksum: a writer in another process may
// be putting a commit in its place just now. The chunk is whole in the journal as long as it
// is not whole in its place, so it is looked for in turns here and there, with its entry as
// it is now; while there is a writer, again after a while. Only then it is called corrupt.
//
// What a commit that this reader knows of says of the chunk stands until the table has that or
// something later. A table that has not is no answer: its older entry, or none, would make of a damaged chunk
// one of an earlier commit, or one that was never written.
func (s *Store) readBeside(q axial.Number, buf []byte, err error) error {
	wait := time.Millisecond
	for turn, end := 0, time.Now().Add(patience); turn < 3 || (s.files.Writing() && time.Now().Before(end)); turn++ {
		if turn >= 3 {
			time.Sleep(wait)
			wait = min(2*wait, 50*time.Millisecond)
		}
		found, good, journalErr := s.readJournal(q, buf)
		if good || journalErr != nil {
			return journalErr
		}
		if found {
			continue // the journal says where the chunk is, and there it is not
		}
		if err := s.forgetReplaced(q); err != nil {
			return err
		}
		if err = s.read(q, buf, CheckAlways); !errors.Is(err, state.ErrCorrupt) {
			return err
		}
	}
	return err
}

// forgetReplaced forgets what this reader knows of chunk q from the journal of a commit, if the table has
// gone on.
func (s *Store) forgetReplaced(q axial.Number) error {
	s.mu.Lock()
	c, known := s.changes.of[q]
	block := s.block
	s.mu.Unlock()
	if !known || block == nil {
		return nil
	}
	replaced, err := s.replaced(q, c.entry, block.Commit)
	if err != nil || !replaced {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.block == block { // or Refresh has found another commit
		s.changes.remove(q)
	}
	return nil
}

// replaced reports whether the table has, of chunk q, the entry that a commit has given it, or a later one. An
// entry of the same commit number counts as later: there may be many commits without a line. That a chunk was
// cleared later, its entry does not tell: but then the log has another line.
func (s *Store) replaced(q axial.Number, known entry, commit int64) (bool, error) {
	now, err := s.entryInFile(q)
	if errors.Is(err, state.ErrCorrupt) {
		return false, nil
	}
	if err != nil || now.length > 0 && !now.earlier(known) {
		return err == nil, err
	}
	if s.files.Commits == nil {
		return false, nil
	}
	commits, err := s.files.Commits()
	return int64(commits) > commit, err
}

// readJournal looks for chunk q in the journals of writers that are at work or died, and
// reports whether it is there, in a commit that is complete, and whether it could be read, whole.
func (s *Store) readJournal(q axial.Number, buf []byte) (found, good bool, err error) {
	found, good, err = s.changeIn(s.files.Journal, q, buf)
	if !found && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		found, good, err = s.changeOfSharers(q, buf)
	}
	if !found || err != nil {
		return false, false, err
	}
	own, err := s.current()
	return own && err == nil, own && good && err == nil, err
}

// current reports whether the files are still those of the array.
func (s *Store) current() (bool, error) {
	if s.files.Current == nil {
		return true, nil
	}
	return s.files.Current()
}

// changeOfSharers looks for chunk q in the journals of sharers, which are numbered without
// gaps.
func (s *Store) changeOfSharers(q axial.Number, buf []byte) (found, good bool, err error) {
	for i := 0; i < maxSharers && !found && err == nil; i++ {
		found, good, err = s.changeIn(s.files.sharerJournal(i), q, buf)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return found, good, err
}

// changeIn looks for chunk q in one journal, which may be one that does not exist.
func (s *Store) changeIn(name string, q axial.Number, buf []byte) (found, good bool, err error) {
	file, err := s.files.FS.OpenNoFollow(name, false)
	if err != nil {
		return false, false, err
	}
	defer file.Close()
	j := journal.New(file, s.size)
	block, err := j.Block()
	if block, err = s.ours(j, block, err); err != nil || block == nil {
		return false, false, err
	}
	s.mu.Lock()
	old := block.Commit >= 0 && block.Commit < s.commits
	s.mu.Unlock()
	i, found := block.Find(q)
	if old || !found {
		return false, false, nil
	}
	e, ok := decode(block.Entries[i].Table[:], q)
	if !ok || int64(e.length) != int64(s.size) {
		return false, false, nil
	}
	err = s.readEntry(j, block.Entries[i], buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true, false, nil // or the writer is done with the journal
	}
	return true, err == nil && crc32c.Sum(buf) == e.sum, err
}

// readEntry reads the chunk of an entry of a journal.
func (s *Store) readEntry(j *journal.Journal, e journal.Entry, buf []byte) error {
	if e.Image != journal.NoImage {
		return j.Image(e.Image, buf)
	}
	_, err := s.files.Data.ReadAt(buf, int64(s.OffsetOf(e.Number)))
	patchOf(e.Pieces).over(buf, 0)
	return err
}

// Refresh makes a reader's store look at the files again: nothing that it remembers of them
// counts any more. It returns what Recover does.
func (s *Store) Refresh(commits int) (line []byte, err error) {
	j, block, err := s.findCommit(commits, false)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	old := s.journal
	s.commits = int64(commits)
	line = s.adopt(j, block, commits)
	s.mu.Unlock()
	if old != nil {
		err = old.Close()
	}
	return line, err
}

// imageSum returns the checksum that a table entry gives its chunk.
func imageSum(table [16]byte) uint32 { return binary.LittleEndian.Uint32(table[:]) }
