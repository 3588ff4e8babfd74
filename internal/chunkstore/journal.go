package chunkstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/crc32c"
	"drx/internal/errkind"
	"drx/internal/journal"
	"drx/internal/state"
	"drx/internal/vfs"
)

// findCommit opens the journal, nil if there is none, and returns its commit for a log of commits
// lines, nil for none. own reports whether the journal belongs to these files.
func (s *Store) findCommit(commits int, write bool, own func() (bool, error)) (*journal.Journal, *journal.Block, error) {
	file, err := vfs.IfExists(s.files.FS.OpenNoFollow(s.files.Journal, write))
	if file == nil || err != nil {
		return nil, nil, err
	}
	j := journal.New(file, s.size)
	block, err := s.readCommit(j, commits, own)
	if s.files.Stale && errors.Is(err, fs.ErrNotExist) { // another machine has removed the open file
		return nil, nil, j.Close()
	}
	if err != nil {
		return nil, nil, first(err, j.Close())
	}
	return j, block, nil
}

// readCommit returns the commit in a journal for a log of commits lines, nil for none.
func (s *Store) readCommit(j *journal.Journal, commits int, own func() (bool, error)) (*journal.Block, error) {
	for {
		block, whole, err := j.Read(storedOf, s.isInPlace)
		block, err = s.checkBlock(j, block, err, own)
		if block == nil || err != nil || !counts(block, int64(commits)) {
			return nil, err
		}
		if whole {
			return block, nil
		}
		begun, err := s.isBegun(block, commits)
		if !begun || err != nil {
			return nil, err
		}
		// A reader may have read images while a writer went on to the next commit.
		now, err := j.Block()
		if err != nil {
			return nil, err
		}
		if now != nil && now.SameCommit(block) {
			return nil, &chunktable.UnappliedError{Journal: j.Name(), Commit: block.Commit, Chunks: int64(len(block.Entries))}
		}
	}
}

// isBegun reports whether a commit in the journal was made: whether the log, of commits lines, has
// its line, or the table has one of its entries, which no chunk had before. If so, all its images
// were durable, and a bad one is damaged. Otherwise a power cut may have come before the image was
// written.
func (s *Store) isBegun(b *journal.Block, commits int) (bool, error) {
	if b.Commit == int64(commits) && len(b.Line) > 0 {
		return true, nil
	}
	for _, e := range b.Entries {
		promised, _ := chunktable.Decode(e.Table[:], e.Number)
		now, err := s.table.ReadEntry(e.Number)
		if err == nil && now == promised {
			return true, nil
		}
		if err != nil && !errors.Is(err, state.ErrCorrupt) {
			return false, err
		}
	}
	return false, nil
}

// counts reports whether a commit in the journal counts for a log of commits lines: the log has its
// line already, or it has none, or the log lacks it. If not, it was applied long ago.
func counts(b *journal.Block, commits int64) bool {
	return b.Commit == commits || (b.Commit == commits+1 && len(b.Line) > 0)
}

// isInPlace reports whether the chunk of a journal entry is in its slot already.
func (s *Store) isInPlace(e journal.Entry) (bool, error) {
	n, sum := storedOf(e.Table)
	buf := make([]byte, min(n, s.size))
	_, err := s.files.Data.ReadAt(buf, int64(s.OffsetOf(e.Number)))
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil && crc32c.Sum(buf) == sum, err
}

// storedOf returns how many bytes a table entry says are stored of its chunk, and their checksum.
func storedOf(table [16]byte) (length int, sum uint32) {
	return int(binary.LittleEndian.Uint32(table[4:])), binary.LittleEndian.Uint32(table[:])
}

// adopt makes j the journal of the store, and block its commit, nil for none. It returns the line
// of the commit if a log of commits lines lacks it. promised is stored with each change. The lock
// of the store must be held.
func (s *Store) adopt(j *journal.Journal, block *journal.Block, commits int, promised bool) (line []byte) {
	s.journal, s.block = j, block
	of := map[axial.Number]change{}
	if block != nil {
		for _, e := range block.Entries {
			entry, _ := chunktable.Decode(e.Table[:], e.Number)
			of[e.Number] = change{entry, e.Image, patchOf(e.Pieces), promised}
		}
		if block.Commit > int64(commits) {
			line = block.Line
		}
	}
	s.overlay.replace(of)
	return line
}

// Unfinished reports whether there is a commit in the journal that is to be applied.
func (s *Store) Unfinished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.block != nil
}

// Line returns the line of a commit in the journal that a log of commits lines lacks, nil for none.
func (s *Store) Line(commits int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.block == nil || s.block.Commit != int64(commits)+1 {
		return nil
	}
	return s.block.Line
}

// CheckJournal returns an error wrapping state.ErrCorrupt if the commit in the journal names a
// chunk that the array does not have. chunks is the number of chunks with that commit.
func (s *Store) CheckJournal(chunks axial.Number) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.block == nil {
		return nil
	}
	return checkNumbers(s.journal, s.block, chunks)
}

// The checksums of a journal show that it is whole, not that a writer of this array has written it.
// So it is checked before anything is done with it: the journal itself when it is decoded, its
// entries by checkEntries, and its chunk numbers by checkNumbers, when the number of chunks is
// known.

// checkBlock checks a block that was read from a journal, and returns it or the error of reading
// it. It returns nothing if the journal does not belong to these files, and an error wrapping
// state.ErrCorrupt for impossible entries.
func (s *Store) checkBlock(j *journal.Journal, block *journal.Block, err error, own func() (bool, error)) (*journal.Block, error) {
	if block == nil && !errors.Is(err, state.ErrCorrupt) {
		return nil, err
	}
	if is, ownErr := own(); !is || ownErr != nil {
		return nil, ownErr
	}
	if err != nil {
		return nil, err
	}
	return block, s.checkEntries(j, block)
}

// checkEntries checks the table entries of a block.
func (s *Store) checkEntries(j *journal.Journal, block *journal.Block) error {
	for _, e := range block.Entries {
		entry, ok := chunktable.Decode(e.Table[:], e.Number)
		cleared := entry.Length == 0
		switch {
		case !ok:
			return impossible(j, "the table entry of chunk %d is damaged", e.Number)
		case cleared && (e.Image != journal.NoImage || len(e.Pieces) > 0):
			return impossible(j, "chunk %d is never written but has bytes", e.Number)
		case !cleared && (!s.isPossible(entry.Length) || !s.isRaw(entry) && !s.hadCodec()):
			return impossible(j, "chunk %d has %d bytes, chunks have %d", e.Number, entry.Length, s.size)
		case len(e.Pieces) > 0 && !s.isRaw(entry):
			return impossible(j, "chunk %d is compressed but has pieces", e.Number)
		}
	}
	return nil
}

// hadCodec reports whether the array has, or has had, a codec. If this process knows of none it
// reads the log, which records a codec before any journal has a frame.
func (s *Store) hadCodec() bool {
	if s.Encodes() || s.files.HasFrames == nil {
		return s.Encodes()
	}
	had, err := s.files.HasFrames()
	return had && err == nil
}

// checkNumbers checks that a block names only chunks below the given number.
func checkNumbers(j *journal.Journal, block *journal.Block, chunks axial.Number) error {
	if n := len(block.Entries); n > 0 && block.Entries[n-1].Number >= chunks { // they ascend
		return impossible(j, "it has chunk %d, the array has %d", block.Entries[n-1].Number, chunks)
	}
	return nil
}

func impossible(j *journal.Journal, format string, args ...any) error {
	return errkind.InFile(j.Name(), fmt.Errorf("the journal is %w, although its checksums are right: %s", state.ErrCorrupt, fmt.Sprintf(format, args...)))
}
