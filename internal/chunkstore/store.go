// Package chunkstore stores chunks in the files of an array: the principal array, where chunk q
// begins at byte q*slot; the chunk table and the presence map, which say what was written (package
// chunktable); and the journal, which makes a commit atomic that changes chunks of earlier commits.
//
// A Store reads chunks. What else a process does with them depends on its role, see roles.go and
// the types Reader, Writer, Sharer, Member and Leader.
//
// # Compressed chunks
//
// A chunk of an array with a codec is stored as a frame of the codec, if that is shorter than the
// chunk: at the beginning of the slot, and what is behind it there means nothing. A chunk that the
// codec does not shorten is stored as it is. The length in the entry tells which, and the checksum
// is that of what is stored. The first bytes of a frame tell which codec has made it
// (Files.Decoder), as an array may get another codec at any time, and a reader may know of it later
// than of the chunk. Chunks become frames, and frames chunks, in encode.go.
//
// # Invariants
//
//  1. With Durability Full and a single writer or group: chunks below committed, and their entries,
//     are in the files as the last commit left them, until the next one is in the journal as a
//     whole. Entries that have changed since are in the overlay. The new bytes of a chunk that has
//     an entry in the table are in the journal or in memory. A chunk that has none may be in its
//     place already, where nobody looks before it gets an entry.
//  2. Chunks from committed on are written in place: no reader knows of them.
//  3. While block is set, the journal holds a commit that is not wholly applied, and nothing but
//     Apply touches the journal or chunks below committed.
//  4. A chunk that has an entry gets the new one, for everybody who can see the old one, before a
//     byte of it changes in its place, and never one of the last 4096 that it had before. So
//     whoever finds the same entry before and after reading has read what it vouches for. A chunk
//     without an entry gets one after its bytes.
//  5. What a reader has found in a complete journal stays in its overlay until the table has that
//     entry of the chunk, or a later one: an older entry, or none, never takes its place.
package chunkstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/codec"
	"drx/internal/crc32c"
	"drx/internal/errkind"
	"drx/internal/journal"
	"drx/internal/pool"
	"drx/internal/state"
	"drx/internal/vfs"
)

// ErrUnwritten is returned for a chunk that was never written: it reads as fill.
var ErrUnwritten = pool.ErrAbsent

// An Offset is a position in a file, in bytes.
type Offset int64

// A Store is the chunks of one array, as every role reads them. It is safe for concurrent use as
// long as no other goroutine uses a chunk while it is being written, except between Pin and Unpin.
type Store struct {
	files    Files
	size     int   // bytes of a chunk
	slot     int64 // bytes from one chunk to the next
	table    *chunktable.Table
	mapped   mappings
	verified *chunktable.VerifiedSet
	parts    func() *partCounts
	crowded  func() bool // see SetCrowded; nil: never
	role     role
	past     func(q axial.Number, e chunktable.Entry) error // see Reader.SetPast; nil: the present
	fits     atomic.Int64                                   // chunks that fit into the files, see Fits

	mu          sync.Mutex
	committed   axial.Number // chunks of the grid of the last commit: those below, written or not
	commits     int64        // lines of the log
	overlay     overlay
	failed      map[axial.Number]bool // chunks whose first write has failed at some time
	journal     *journal.Journal      // nil until it is needed
	suspects    bool                  // see Suspect
	suspectFrom axial.Number
	block       *journal.Block // the commit in the journal, nil if there is none
}

// open returns the store of chunks of size bytes, slot bytes apart, without a role.
func open(files Files, size int, slot int64) *Store {
	if files.Decoder == nil {
		files.Decoder = files.Codec
	}
	s := &Store{
		files: files, size: size, slot: slot,
		table: chunktable.New(files.Table, files.Data, slot, files.Presence), mapped: newMappings(files, slot),
		verified: new(chunktable.VerifiedSet), overlay: overlay{of: map[axial.Number]change{}}, failed: map[axial.Number]bool{},
	}
	s.parts = sync.OnceValue(func() *partCounts { return new(partCounts) })
	return s
}

// Refetch has the chunks come from the file system when they are read next, see vfs.Refetch.
func (s *Store) Refetch() { vfs.Refetch(s.files.Data, 0, -1) }

// SetCommitted sets the numbers of chunks and lines that the log has.
func (s *Store) SetCommitted(chunks axial.Number, commits int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.committed, s.commits = chunks, int64(commits)
}

// ChunkBytes returns the bytes of a chunk.
func (s *Store) ChunkBytes() int { return s.size }

// OffsetOf returns where chunk q begins in the principal array.
func (s *Store) OffsetOf(q axial.Number) Offset { return Offset(int64(q) * s.slot) }

// Located returns the principal array if it is a part of a file with other parts, nil otherwise.
func (s *Store) Located() vfs.File {
	if _, is := s.files.Data.(vfs.Member); is {
		return s.files.Data
	}
	return nil
}

// Adjoin reports whether chunks with consecutive numbers lie one directly behind the other, so that
// they can be written together.
func (s *Store) Adjoin() bool { return s.slot == int64(s.size) && s.files.Codec == nil }

// Encodes reports whether the array has a codec: chunks that are written are compressed.
func (s *Store) Encodes() bool { return s.files.Codec != nil }

// mayHaveFrames reports whether chunks may be stored as frames: the array has a codec, or has had
// one and is being recompressed to none.
func (s *Store) mayHaveFrames() bool { return s.Encodes() || s.files.Mixed }

// SetCodec changes what compresses chunks. Nobody may use the store meanwhile.
func (s *Store) SetCodec(c codec.Codec, mixed bool) { s.files.Codec, s.files.Mixed = c, mixed }

// lookup returns the entry of chunk q and where its bytes are.
func (s *Store) lookup(q axial.Number) (change, error) {
	c, err := s.lookupNow(q)
	if err != nil {
		return change{}, err
	}
	return c, s.checkPast(q, c.entry)
}

// lookupNow is lookup for what the files have now, also if the store is to have the chunks of
// another time.
func (s *Store) lookupNow(q axial.Number) (change, error) {
	if c, ok := s.changed(q); ok {
		return c, nil
	}
	e, err := s.role.entry(q)
	if err != nil {
		return change{}, err
	}
	return changeInPlace(e), nil
}

// checkPast returns an error for a chunk that has entry e now if the store is to have the chunk as
// it was at another time.
func (s *Store) checkPast(q axial.Number, e chunktable.Entry) error {
	if s.past == nil {
		return nil
	}
	return s.past(q, e)
}

// changed returns what the overlay has of chunk q.
func (s *Store) changed(q axial.Number) (change, bool) {
	if !s.overlay.some.Load() {
		return change{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.overlay.of[q]
	return c, ok
}

// Written reports whether chunk q was ever written.
func (s *Store) Written(q axial.Number) (bool, error) {
	c, err := s.lookup(q)
	return c.entry.Length > 0, err
}

// Version returns a number that is another one after each commit that overwrites chunk q, and 0 if
// it was never written. It is what the entry says: the checksum and the generation.
func (s *Store) Version(q axial.Number) (uint64, error) {
	c, err := s.lookup(q)
	if err != nil || c.entry.Length == 0 {
		return 0, err
	}
	return uint64(c.entry.Generation)<<32 | uint64(c.entry.Sum), nil
}

// Fresh reports whether chunk q was never written, not even since the last commit: writing it
// cannot harm anything if it fails half way.
func (s *Store) Fresh(q axial.Number) (bool, error) {
	c, err := s.lookup(q)
	if errors.Is(err, state.ErrCorrupt) {
		return false, nil
	}
	_, cleared := s.changed(q)
	return c.entry.Length == 0 && !cleared, err
}

// InPlace reports whether chunk q was ever written, and whether all its bytes are in its place as
// they are.
func (s *Store) InPlace(q axial.Number) (written, inPlace bool, err error) {
	c, err := s.lookup(q)
	return c.entry.Length > 0, c.inPlace() && (c.entry.Length == 0 || s.isRaw(c.entry)), err
}

// Read fills buf, of ChunkBytes bytes, with chunk q, and checks it against its checksum as
// Files.Checking says. It returns ErrUnwritten for a chunk that was never written, and an error
// wrapping state.ErrCorrupt, naming the file, the chunk and its offset, when the bytes are not
// those that were written.
func (s *Store) Read(q axial.Number, buf []byte) error { return s.readWith(q, buf, s.files.Checking) }

// Check is Read with the check made in any case.
func (s *Store) Check(q axial.Number, buf []byte) error { return s.readWith(q, buf, CheckAlways) }

func (s *Store) readWith(q axial.Number, buf []byte, checking Checking) error {
	if s.decodeInPlace(q, buf, checking) {
		return nil
	}
	err := s.read(q, buf, checking)
	if err == nil || err == ErrUnwritten {
		return err
	}
	if s.files.Stale {
		vfs.Refetch(s.files.Data, int64(s.OffsetOf(q)), s.slot)
		if err = s.read(q, buf, checking); err == nil || err == ErrUnwritten {
			return err
		}
	}
	return s.role.reread(q, buf, checking, err)
}

// read reads a chunk once. An error may be due to another process that is writing the chunk.
func (s *Store) read(q axial.Number, buf []byte, checking Checking) error {
	for {
		c, err := s.lookup(q)
		if err != nil {
			return err
		}
		check := !c.inPlace() || c.promised || s.mustCheck(q, c.entry, checking)
		err = s.readChange(q, c, buf, check)
		if (err == nil && check) || err == ErrUnwritten {
			return err
		}
		now, lookupErr := s.lookup(q)
		if lookupErr != nil || now == c {
			return first(err, lookupErr)
		}
		// The chunk was written meanwhile, or moved from the journal to its place.
	}
}

// mustCheck reports whether chunk q, with entry e, has to be checked before it is used.
func (s *Store) mustCheck(q axial.Number, e chunktable.Entry, checking Checking) bool {
	switch checking {
	case CheckAlways:
		return true
	case CheckNever:
		return false
	}
	return !s.verified.Has(q, e)
}

// readChange reads chunk q from where c says it is.
func (s *Store) readChange(q axial.Number, c change, buf []byte, check bool) error {
	switch e := c.entry; {
	case e.Length == 0:
		return ErrUnwritten
	case s.isRaw(e):
		return s.readChecked(q, c, buf, check)
	case s.isPossible(e.Length):
		return s.readFrame(q, c, buf, check)
	default:
		return s.corrupt(q, s.wrongLength(e))
	}
}

// readChecked reads what is stored of chunk q, which fills buf, from where c says it is, and if
// check says so compares it with the checksum.
func (s *Store) readChecked(q axial.Number, c change, buf []byte, check bool) error {
	err := s.readBytes(q, c, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return s.corrupt(q, "the file ends before it")
	} else if err != nil || !check {
		return err
	}
	if sum := crc32c.Sum(buf); sum != c.entry.Sum {
		return s.wrongSum(q, sum, c.entry)
	}
	if c.inPlace() {
		s.verified.Add(q, c.entry)
	}
	return nil
}

// readBytes reads the stored bytes of chunk q from its place or from the journal.
func (s *Store) readBytes(q axial.Number, c change, buf []byte) error {
	if c.image != journal.NoImage {
		return s.readImage(c.image, buf)
	}
	_, err := s.files.Data.ReadAt(buf, int64(s.OffsetOf(q)))
	c.patch.apply(buf, 0)
	return err
}

// readImage reads an image of the journal. Refresh may close the journal, or forget it, meanwhile.
func (s *Store) readImage(image int64, buf []byte) error {
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

// Agrees returns an error wrapping state.ErrCorrupt unless bytes that somebody else has read from
// the place of chunk q are those that were written. It always checks them: that they were right in
// the file says little of how they came here.
func (s *Store) Agrees(q axial.Number, buf []byte) error {
	c, err := s.lookup(q)
	if err != nil {
		return err
	}
	if sum := crc32c.Sum(buf); sum != c.entry.Sum {
		return s.wrongSum(q, sum, c.entry)
	}
	return nil
}

func (s *Store) wrongSum(q axial.Number, sum uint32, e chunktable.Entry) error {
	return s.corrupt(q, fmt.Sprintf("its checksum is %08x, recorded is %08x", sum, e.Sum))
}

func (s *Store) corrupt(q axial.Number, why string) error {
	file, at := vfs.Locate(s.files.Data, int64(s.OffsetOf(q)))
	return errkind.InFile(file.Name(), fmt.Errorf("chunk %d at byte %d is %w: %s", q, at, state.ErrCorrupt, why))
}

// Close closes the files. The store of a writer removes the journal if it is empty, unless keep
// says to leave it.
func (s *Store) Close(keep bool) error {
	if s.files.Closed != nil {
		s.files.Closed()
	}
	err := s.role.closeJournal(keep)
	return first(err, s.mapped.close(), s.files.Data.Close(), s.table.Close(s.files.Durability != None))
}
