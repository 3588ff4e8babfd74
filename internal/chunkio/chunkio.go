// Package chunkio moves whole chunks between memory and the files that hold them: the
// principal array, where chunk q begins at byte q*slot; the chunk table, which says of each
// chunk whether it was ever written and what its checksum is; and the journal, which makes
// a commit atomic that changes chunks of earlier commits.
package chunkio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/journal"
	"drx/internal/state"
	"drx/internal/vfs"
)

// ErrUnwritten is returned for a chunk that was never written: it reads as fill.
var ErrUnwritten = errors.New("chunk was never written")

// An Offset is a position in a file, in bytes.
type Offset int64

// A Store is the files of one array. It is safe for concurrent use as long as nobody else in
// this process uses a chunk while it is being written, but by View.
//
// # Invariants
//
//  1. Chunks below committed, and their entries, are in the files as the last commit left
//     them, until the next one is in the journal as a whole. What was written since is in
//     changes: a chunk that the last commit has is in the journal, or what is new of it in
//     memory; one that it has not may be in its place, where nobody looks as long as its entry
//     says it was never written.
//  2. Chunks from committed on are written in place: no reader knows of them.
//  3. While block is set, the journal holds a commit that is not wholly applied, and
//     nothing but Apply touches the journal or chunks below committed.
//  4. A chunk that has an entry gets the new one, for everybody who can see the old one,
//     before a byte of it changes in its place, and never one that it had before: who finds
//     the same entry after reading as before has read what it vouches for. A chunk without
//     gets it afterwards.
//  5. What a reader has found in a complete journal stands, in changes, until the table has that
//     entry of the chunk, or a later one: an older entry, or none, never takes its place.
type Store struct {
	files    Files
	size     int   // bytes of a chunk
	slot     int64 // bytes from one chunk to the next
	table    *table
	presence *presenceMap
	mapped   mappings
	verified *verified

	writing turns // to write the principal array, or make it longer, but for commits
	pace    pace  // of place; guarded by writing

	covering sync.Mutex // held while the table grows, if shared
	common   sync.Mutex // held while locks of chunks are, see lockCommon
	sharer   int        // the number of this process's journal, if shared
	joined   bool       // to others, see Join
	left     bool       // an update failed that may be in that journal; guarded by common

	unvouched []axial.Number // have an entry in the table but no presence byte yet; guarded by common

	owed owed // by patches that failed

	overwritten bool // by other members, in their places: see readOverwritten

	mu        sync.Mutex
	committed axial.Number
	commits   int64 // lines of the log
	changes   changes
	journal   *journal.Journal // nil until it is needed
	block     *journal.Block
	cleared   []axial.Number // since the last commit; some may have been written again
	wrote     bool           // something was written in place since it was last synced
	unclear   bool           // that the journal is empty is not durable
	listed    bool           // the name of the journal is durable
	head      Head           // of the presence map, as far as this store has written or read it
	bare      bool           // what Head.Unjournaled is to be
	behind    bool           // presence bytes may be missing, see AdoptHead
	unclean   bool           // there was a journal: the writer before did not close the array
}

// Open returns the store of chunks of size bytes, slot bytes apart.
func Open(files Files, size int, slot int64) *Store {
	var presence *presenceMap
	if files.Presence != nil {
		presence = &presenceMap{file: files.Presence}
	}
	return &Store{
		files: files, size: size, slot: slot, presence: presence,
		table: newTable(files.Table, presence), mapped: newMappings(files, slot), verified: new(verified), changes: changes{of: map[axial.Number]change{}},
	}
}

// SetCommitted says what the log has: so many chunks, in so many lines.
func (s *Store) SetCommitted(chunks axial.Number, commits int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.committed, s.commits = chunks, int64(commits)
}

// Table returns the file of the chunk table, for its lock.
func (s *Store) Table() vfs.File { return s.files.Table }

// ChunkBytes returns the bytes of a chunk.
func (s *Store) ChunkBytes() int { return s.size }

// OffsetOf returns where chunk q begins in the principal array.
func (s *Store) OffsetOf(q axial.Number) Offset { return Offset(int64(q) * s.slot) }

// Written reports whether chunk q was ever written.
func (s *Store) Written(q axial.Number) (bool, error) {
	c, err := s.lookup(q)
	return c.entry.length > 0, err
}

// Read fills buf, of ChunkBytes bytes, with chunk q, and checks it against its checksum as
// Files.Checking says. It returns ErrUnwritten for a chunk that was never written, and an
// error wrapping state.ErrCorrupt, naming the file, the chunk and its offset, when the bytes
// are not those that were written.
func (s *Store) Read(q axial.Number, buf []byte) error {
	return s.readWhole(q, buf, s.files.Checking)
}

// Check is Read with the check made in any case.
func (s *Store) Check(q axial.Number, buf []byte) error { return s.readWhole(q, buf, CheckAlways) }

// readWhole reads a chunk that others may be writing just now.
func (s *Store) readWhole(q axial.Number, buf []byte, checking Checking) error {
	err := s.read(q, buf, checking)
	if err != nil && s.owed.some.Load() {
		err = first(s.mend(q), s.read(q, buf, checking))
	}
	switch {
	case !errors.Is(err, state.ErrCorrupt):
		return err
	case s.files.Shared:
		return s.readLocked(q, buf)
	case s.overwritten:
		return s.readOverwritten(q, buf, err)
	case s.files.Writing != nil:
		return s.readBeside(q, buf, err)
	}
	return err
}

func (s *Store) read(q axial.Number, buf []byte, checking Checking) error {
	for {
		c, err := s.lookup(q)
		if err != nil {
			return err
		}
		// The journal may be another one by now, whatever is known of the chunk in its place.
		check := !c.inPlace() || s.promised(q) || s.mustCheck(q, c.entry, checking)
		err = s.readChange(q, c, buf, check)
		if (err == nil && check) || err == ErrUnwritten {
			return err
		}
		now, lookupErr := s.lookup(q)
		if lookupErr != nil || now == c {
			return first(err, lookupErr)
		}
		// It was written meanwhile, or went from the journal to its place.
	}
}

// readChange reads chunk q from where c says it is.
func (s *Store) readChange(q axial.Number, c change, buf []byte, check bool) error {
	e := c.entry
	if e.length == 0 {
		return ErrUnwritten
	}
	if int64(e.length) != int64(s.size) {
		return s.corrupt(q, fmt.Sprintf("its table entry says %d bytes, chunks have %d", e.length, s.size))
	}
	var err error
	if c.image == journal.NoImage {
		_, err = s.files.Data.ReadAt(buf, int64(s.OffsetOf(q)))
		c.patch.over(buf, 0)
	} else {
		err = s.image(c.image, buf)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return s.corrupt(q, "the file ends before it")
	} else if err != nil {
		return err
	}
	if !check {
		return nil
	}
	if sum := crc32c.Sum(buf); sum != e.sum {
		return s.corrupt(q, fmt.Sprintf("its checksum is %08x, recorded is %08x", sum, e.sum))
	}
	if c.inPlace() {
		s.verified.add(q, e)
	}
	return nil
}

func (s *Store) corrupt(q axial.Number, why string) error {
	return fmt.Errorf("%s: chunk %d at byte %d is %w: %s", s.files.Data.Name(), q, s.OffsetOf(q), state.ErrCorrupt, why)
}

// image reads an image of the journal, which Refresh may take away, or close, meanwhile.
func (s *Store) image(image int64, buf []byte) error {
	s.mu.Lock()
	j := s.journal
	s.mu.Unlock()
	if j == nil {
		return io.ErrUnexpectedEOF
	}
	err := j.Image(image, buf)
	if errors.Is(err, fs.ErrClosed) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// errUnfinished is returned for changes while a commit is in the journal but could not be
// put in its place.
var errUnfinished = errors.New("an earlier commit is not finished: sync first")

// Clear makes chunks, which must not be in use, ones that were never written; all of them,
// or none if there is an error. Their bytes are given back to the file system after the next
// commit.
func (s *Store) Clear(chunks []axial.Number) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.block != nil {
		return errUnfinished
	}
	var inPlace []axial.Number
	for _, q := range chunks {
		if q >= s.committed || s.files.Durability != Full {
			inPlace = append(inPlace, q)
		}
	}
	if s.files.Durability != Full { // otherwise those that have presence bytes are for Apply
		if err := s.presence.clear(inPlace, s.files.Durability != None); err != nil {
			return err
		}
	}
	if err := s.table.clear(inPlace); err != nil {
		return err
	}
	if s.files.Durability != Full {
		if err := s.table.write(); err != nil { // invariant 4
			return err
		}
	}
	for _, q := range chunks {
		s.owed.take(q)
		if q < s.committed && s.files.Durability == Full {
			s.changes.set(q, placed(entry{}))
		}
	}
	s.wrote = s.wrote || len(chunks) > 0
	s.cleared = append(s.cleared, chunks...)
	return nil
}

// Close closes the files, and removes the journal if it is empty. A read-only store passes
// keep: the journal is not its own.
func (s *Store) Close(keep bool) error {
	var err error
	switch {
	case s.journal == nil:
	case keep || s.files.Shared || s.block != nil || len(s.changes.of) > 0:
		err = s.journal.Close()
	default:
		err = s.dropJournal()
	}
	return first(err, s.mapped.close(), s.files.Data.Close(), s.files.Table.Close(), s.presence.close(s.files.Durability != None))
}

// dropJournal empties, closes and removes the journal.
func (s *Store) dropJournal() error {
	if s.journal == nil {
		return nil
	}
	j := s.journal
	err := s.clearJournal()
	s.journal, s.listed = nil, false
	return first(err, j.Close(), s.files.FS.Remove(s.files.Journal))
}
