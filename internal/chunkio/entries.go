package chunkio

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/journal"
	"drx/internal/state"
)

// A change is the new entry of a chunk below committed, and where its bytes are: an image
// of the journal, or journal.NoImage for its place in the principal array, with a patch over it
// if that is not nil.
type change struct {
	entry entry
	image int64
	patch *patch
}

// placed returns the change of a chunk whose bytes are all in the principal array.
func placed(e entry) change { return change{entry: e, image: journal.NoImage} }

// inPlace reports whether the bytes are all in the principal array.
func (c change) inPlace() bool { return c.image == journal.NoImage && c.patch == nil }

// changes are those of a store since its last commit, guarded by its lock.
type changes struct {
	of      map[axial.Number]change
	patches int         // bytes that their patches take
	some    atomic.Bool // there are any: whoever reads need not wait for the lock to learn that there are none
}

func (c *changes) set(q axial.Number, to change) {
	c.patches += to.patch.size() - c.of[q].patch.size()
	c.of[q] = to
	c.some.Store(true)
}

func (c *changes) remove(q axial.Number) {
	c.patches -= c.of[q].patch.size()
	delete(c.of, q)
	c.some.Store(len(c.of) > 0)
}

func (c *changes) clear() { c.replace(map[axial.Number]change{}) }

// replace puts others in the place of all at once: who looks meanwhile finds these or those.
func (c *changes) replace(of map[axial.Number]change) {
	c.of, c.patches = of, 0
	for _, to := range of {
		c.patches += to.patch.size()
	}
	c.some.Store(len(of) > 0)
}

// lookup returns the entry of chunk q and where its bytes are.
func (s *Store) lookup(q axial.Number) (change, error) {
	if c, ok := s.changed(q); ok {
		return c, nil
	}
	e, err := s.entry(q)
	return placed(e), err
}

// changed returns the change of chunk q, if it has one.
func (s *Store) changed(q axial.Number) (change, bool) {
	if !s.changes.some.Load() {
		return change{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.changes.of[q]
	return c, ok
}

// promised reports whether the entry of chunk q is one that a reader has found in a journal: the
// writer may have written the chunk again since, which that entry does not tell.
func (s *Store) promised(q axial.Number) bool {
	_, changed := s.changed(q)
	return changed && s.files.Writing != nil
}

// entry returns the entry of chunk q in the table. A process that alone changes the table
// has its pages in memory; others look at the file.
func (s *Store) entry(q axial.Number) (entry, error) {
	if s.exclusive() {
		return s.table.get(q)
	}
	return s.entryInFile(q)
}

// exclusive reports whether this process, and no other, may change the files.
func (s *Store) exclusive() bool { return s.files.Writing == nil && !s.files.Shared }

// entryInFile reads the entry of chunk q past the pages in memory: more than once if another
// process seems to be writing it, as nobody promises that it does so at once.
func (s *Store) entryInFile(q axial.Number) (entry, error) {
	var b [entrySize]byte
	var lost bool
	for range 3 {
		if err := s.readEntryBytes(q, b[:]); err != nil {
			return entry{}, err
		}
		e, ok := decode(b[:], q)
		if ok && e.length > 0 {
			return e, nil
		}
		if lost = ok; !ok {
			continue
		}
		// The byte is set after the entry is written, and cleared before: if it is set now and the
		// entry is still zero the next time, that is damage.
		if present, err := s.presence.has(q); err != nil || !present {
			return e, err
		}
	}
	if lost {
		return entry{}, lostEntry(s.files.Table, s.presence, q)
	}
	return entry{}, fmt.Errorf("%s: the entry of chunk %d at byte %d is %w", s.files.Table.Name(), q, int64(q)*entrySize, state.ErrCorrupt)
}

// readEntryBytes reads the entry of chunk q. Behind the end of the table it is zero, unless the table
// must have been longer.
func (s *Store) readEntryBytes(q axial.Number, b []byte) error {
	var size int64
	for range 2 { // the table grows before the principal array does: the second look is the one that counts
		clear(b)
		_, err := s.files.Table.ReadAt(b, int64(q)*entrySize)
		if !errors.Is(err, io.EOF) {
			return err
		}
		if size > int64(s.OffsetOf(q)) {
			return fmt.Errorf("%s: its end is missing: the entry of chunk %d is at byte %d: %w", s.files.Table.Name(), q, int64(q)*entrySize, state.ErrCorrupt)
		}
		if size, err = s.files.Data.Size(); err != nil || size <= int64(s.OffsetOf(q)) {
			return err
		}
	}
	return nil
}

// writeEntry writes the entry of chunk q past the pages in memory.
func (s *Store) writeEntry(q axial.Number, e entry) error {
	var b [entrySize]byte
	e.encode(b[:], q)
	_, err := s.files.Table.WriteAt(b[:], int64(q)*entrySize)
	return err
}

// entryOf returns the entry that a chunk with these bytes gets now.
func (s *Store) entryOf(chunk []byte) entry { return s.entryWith(crc32c.Sum(chunk)) }

// entryWith returns the entry that a chunk with this checksum gets now.
func (s *Store) entryWith(sum uint32) entry {
	e := entry{sum: sum, length: uint32(s.size)}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.generation = uint32(s.commits+1) & commitMask
	return e
}
