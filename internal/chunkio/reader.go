package chunkio

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"time"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/journal"
	"drx/internal/meta"
)

// patience is how long a reader waits for a writer that is overwriting a chunk.
const patience = 10 * time.Second

// readBeside reads a chunk that disagreed with its checksum: a writer in another process may
// be putting a commit in its place just now. The chunk is whole in the journal as long as it
// is not whole in its place, so it is looked for in turns here and there, with its entry as
// it is now; while there is a writer, again after a while. Only then it is called corrupt.
func (s *Store) readBeside(q axial.Number, buf []byte, err error) error {
	wait := time.Millisecond
	for turn, end := 0, time.Now().Add(patience); turn < 3 || (s.files.Writing() && time.Now().Before(end)); turn++ {
		if turn >= 3 {
			time.Sleep(wait)
			wait = min(2*wait, 50*time.Millisecond)
		}
		if ok, err := s.readJournal(q, buf); ok || err != nil {
			return err
		}
		s.mu.Lock()
		s.changes.remove(q)
		s.mu.Unlock()
		if err = s.read(q, buf, CheckAlways); !errors.Is(err, meta.ErrCorrupt) {
			return err
		}
	}
	return err
}

// readJournal looks for chunk q in the journals of writers that are at work or died, and
// reports whether it is there, whole, in a commit that is complete.
func (s *Store) readJournal(q axial.Number, buf []byte) (bool, error) {
	ok, err := s.imageIn(s.files.Journal, q, buf)
	if !ok && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		ok, err = s.imageOfSharers(q, buf)
	}
	if !ok || err != nil {
		return false, err
	}
	return s.current()
}

// current reports whether the files are still those of the array.
func (s *Store) current() (bool, error) {
	if s.files.Current == nil {
		return true, nil
	}
	return s.files.Current()
}

// imageOfSharers looks for chunk q in the journals of sharers, which are numbered without
// gaps.
func (s *Store) imageOfSharers(q axial.Number, buf []byte) (ok bool, err error) {
	for i := 0; i < maxSharers && !ok && err == nil; i++ {
		ok, err = s.imageIn(s.files.sharerJournal(i), q, buf)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return ok, err
}

// imageIn looks for chunk q in one journal, which may be one that does not exist.
func (s *Store) imageIn(name string, q axial.Number, buf []byte) (bool, error) {
	file, err := s.files.FS.OpenNoFollow(name, false)
	if err != nil {
		return false, err
	}
	defer file.Close()
	j := journal.New(file, s.size)
	block, err := j.Block()
	if err != nil || block == nil {
		return false, err
	}
	s.mu.Lock()
	old := block.Commit >= 0 && block.Commit < s.commits
	s.mu.Unlock()
	i, found := block.Find(q)
	if old || !found || (block.Entries[i].Image == journal.NoImage && len(block.Entries[i].Pieces) == 0) {
		return false, nil
	}
	e, ok := decode(block.Entries[i].Table[:], q)
	if !ok || int64(e.length) != int64(s.size) {
		return false, nil
	}
	return s.readEntry(j, block.Entries[i], buf) == nil && crc32c.Sum(buf) == e.sum, nil
}

// readEntry reads the chunk of an entry of a journal. An error may say that the writer is done
// with it.
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
