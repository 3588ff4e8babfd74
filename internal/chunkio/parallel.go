package chunkio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/journal"
	"drx/internal/state"
)

// A Member is the store of one of several processes that are one writer together. Each writes
// chunks that no other one writes, to their places or to the common journal, and keeps their new
// entries as changes; the members tell each other their changes, and one of them, the leader,
// commits all.
//
//	member   Write, WriteFresh    bytes to the place, or to the journal; the entry to changes
//	         Stage                what has changed since the last Stage
//	         Adopt                the same of the others
//	         Secure               bytes become durable
//	leader   Lead                 changes go where those of a single writer would be
//	         (Prepare, Journal, Apply: see commit.go)
//	member   Committed            changes are forgotten, the table has them
//
// # Invariants
//
//  1. Only the leader writes the table and the log, but for entries of committed chunks that are
//     overwritten in place (Files.Durability other than Full), which go before the bytes.
//  2. Images of a member in the journal have numbers that are its own modulo the number of
//     members, so that nobody has to ask for one.
//  3. The table is long enough for all chunks of the grid before any is written.
//  4. With Full, bytes that others know from Stage stay as they are until the commit: what is written
//     to the chunk then goes to another image.
type Member struct {
	*Store
	leader     bool
	proc       int64
	procs      int64
	image      int64        // the next of this member
	committed  axial.Number // that the log has
	durability Durability   // what Files says
	known      map[axial.Number]change
	images     bool // some were written since they were last made durable
}

// Join makes a store that of member proc of procs. The leader's is that of a writer; the others'
// have been opened with the same files and commits, and nothing recovered.
func Join(s *Store, proc, procs int, leader bool) (*Member, error) {
	m := &Member{
		Store: s, leader: leader, proc: int64(proc), procs: int64(procs),
		committed: s.committed, durability: s.files.Durability, known: map[axial.Number]change{},
	}
	if leader && m.durability == Full {
		s.mu.Lock()
		err := s.openJournal()
		s.mu.Unlock()
		if err != nil {
			return nil, err
		}
	}
	s.overwritten = m.durability != Full
	m.detach()
	return m, nil
}

// detach makes the store keep all that is written as changes: as if everything were committed.
func (m *Member) detach() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.image = m.proc
	m.Store.committed, m.files.Durability, m.joined = math.MaxInt64, Full, true
	if !m.leader { // its table is covered by the leader
		m.table.mu.Lock()
		m.table.covered = math.MaxInt64
		m.table.mu.Unlock()
	}
}

// Cover makes the table long enough for so many chunks: the leader does, before anybody writes.
func (m *Member) Cover(chunks axial.Number) error {
	if chunks == 0 {
		return nil
	}
	return m.table.cover(chunks-1, m.durability != None)
}

// Write stores chunk q, as Store.Write does. Others know it as it was when it was last staged, and
// may be reading it: with Full what they know stays as it is, see overwrite for the rest.
func (m *Member) Write(q axial.Number, buf []byte) error {
	was, pending := m.changed(q)
	old, err := m.table.get(q)
	damaged := errors.Is(err, state.ErrCorrupt)
	if err != nil && !damaged {
		return err
	}
	seen := damaged || old.length > 0 || m.told(q)
	image := int64(journal.NoImage)
	if was.entry.length > 0 {
		old, image = was.entry, was.image
	}
	c := change{entry: m.entryOf(buf).after(old), image: image}
	switch {
	case m.durability == Full && (seen || image != journal.NoImage):
		return m.writeImage(q, c, buf)
	case seen || pending:
		return m.overwrite(q, c, buf, seen)
	}
	return first(m.place(q, buf), m.setChange(q, c))
}

// told reports whether others know a change of chunk q.
func (m *Member) told(q axial.Number) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.known[q]
	return ok
}

// writeImage stores a chunk in the journal: over the image that it has, unless others read that.
func (m *Member) writeImage(q axial.Number, c change, buf []byte) error {
	m.mu.Lock()
	if known, ok := m.known[q]; ok && known.image == c.image {
		c.image = journal.NoImage
	}
	m.mu.Unlock()
	var err error
	if c.image, err = m.putImage(c.image, buf); err != nil {
		return err
	}
	return m.setChange(q, c)
}

// overwrite stores a chunk in its place, see Store, invariant 4: others who have seen an earlier
// one there find the entry in the file, see readOverwritten.
func (m *Member) overwrite(q axial.Number, c change, buf []byte, seen bool) error {
	if err := m.setChange(q, c); err != nil {
		return err
	}
	if seen {
		if err := m.writeEntry(q, c.entry); err != nil {
			return err
		}
	}
	return m.place(q, buf)
}

// rereads is how often a member looks for a chunk that another one is overwriting all the time.
const rereads = 200

// readOverwritten reads a chunk that disagreed with its checksum: its member may have overwritten
// it in its place since it was last staged, after the entry in the file.
func (s *Store) readOverwritten(q axial.Number, buf []byte, err error) error {
	for turn := range rereads {
		if turn >= 3 {
			time.Sleep(time.Millisecond)
		}
		e, entryErr := s.entryInFile(q)
		if entryErr != nil || e.length == 0 {
			continue
		}
		now := s.readChange(q, placed(e), buf, true)
		if !errors.Is(now, state.ErrCorrupt) {
			return now
		}
	}
	return err
}

// putImage writes an image, over another one of the same chunk if there is one.
func (m *Member) putImage(image int64, buf []byte) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.block != nil {
		return 0, errUnfinished
	}
	if err := m.joinJournal(); err != nil {
		return 0, err
	}
	if image == journal.NoImage {
		image = m.image
		m.image += m.procs
	}
	m.images = true
	return m.journal.Put(image, buf)
}

// joinJournal opens the journal, which the leader has created. m.mu must be held.
func (m *Member) joinJournal() error {
	if m.journal != nil {
		return nil
	}
	file, err := m.files.FS.OpenNoFollow(m.files.Journal, true)
	if err != nil {
		return err
	}
	m.journal = journal.New(file, m.size)
	return nil
}

// Placed notes that chunks from q on, which are fresh, are in their places: somebody else has put
// them there, see WriteFresh.
func (m *Member) Placed(q axial.Number, buf []byte) error {
	m.mu.Lock()
	m.wrote = true
	m.mu.Unlock()
	return m.setChange(q, placed(m.entryOf(buf)))
}

// memberEntry is the bytes of a change: chunk number 8, image 8, entry 16.
const memberEntry = 16 + entrySize

// Stage returns what has changed since the last Stage, for Adopt.
func (m *Member) Stage() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []byte
	for _, q := range slices.Sorted(maps.Keys(m.changes.of)) {
		c := m.changes.of[q]
		if known, ok := m.known[q]; ok && known == c {
			continue
		}
		m.known[q] = c
		out = binary.LittleEndian.AppendUint64(out, uint64(q))
		out = binary.LittleEndian.AppendUint64(out, uint64(c.image))
		var e [entrySize]byte
		c.entry.encode(e[:], q)
		out = append(out, e[:]...)
	}
	return out
}

// Secure makes durable what others than the leader have written: it does so in Prepare and Journal,
// but on some file systems for its own writes only.
func (m *Member) Secure() error {
	m.mu.Lock()
	wrote, images := m.wrote, m.images
	m.mu.Unlock()
	if m.leader || m.durability == None {
		return nil
	}
	if wrote {
		if err := m.syncData(); err != nil {
			return err
		}
	}
	if images {
		if err := m.journal.Sync(); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wrote, m.images = false, false
	return nil
}

// Adopt takes over what another member's Stage has returned, and calls f with each chunk.
func (m *Member) Adopt(changes []byte, f func(q axial.Number)) error {
	for ; len(changes) >= memberEntry; changes = changes[memberEntry:] {
		q := axial.Number(binary.LittleEndian.Uint64(changes))
		e, ok := decode(changes[16:], q)
		if !ok || q < 0 || int64(q) >= math.MaxInt64/max(m.slot, entrySize) {
			return fmt.Errorf("%s: what another process says of chunk %d is %w", m.files.Data.Name(), q, state.ErrCorrupt)
		}
		c := change{entry: e, image: int64(binary.LittleEndian.Uint64(changes[8:]))}
		m.mu.Lock()
		err := error(nil)
		if c.image != journal.NoImage {
			err = m.joinJournal()
		}
		m.changes.set(q, c)
		m.known[q] = c
		m.mu.Unlock()
		if err != nil {
			return err
		}
		f(q)
	}
	if len(changes) > 0 {
		return fmt.Errorf("%s: what another process says of its chunks is %w: %d bytes behind the last", m.files.Data.Name(), state.ErrCorrupt, len(changes))
	}
	return nil
}

// Lead makes the leader's store that of a single writer that has written all that the members
// have. If it fails, or the commit does, Unlead has to follow.
func (m *Member) Lead() error {
	m.mu.Lock()
	m.Store.committed, m.files.Durability = m.committed, m.durability
	changes := maps.Clone(m.changes.of)
	m.mu.Unlock()
	last := int64(journal.NoImage)
	for _, q := range slices.Sorted(maps.Keys(changes)) {
		c := changes[q]
		if last = max(last, c.image); q < m.committed && m.durability == Full {
			continue
		}
		if err := m.placeImage(q, c.image); err != nil {
			return err
		}
		if err := m.table.put(q, c.entry); err != nil {
			return err
		}
		m.mu.Lock()
		m.changes.remove(q)
		m.wrote = true
		m.mu.Unlock()
	}
	return m.reachImage(last)
}

// placeImage puts an image of a chunk that no commit has in its place, where nobody looks before the
// commit: the journal is for chunks of earlier commits.
func (m *Member) placeImage(q axial.Number, image int64) error {
	if image == journal.NoImage {
		return nil
	}
	buf := make([]byte, m.size)
	if err := m.journal.Image(image, buf); err != nil {
		return err
	}
	return m.place(q, buf)
}

// reachImage makes the leader's journal, which knows what it has put itself, reach to an image.
func (m *Member) reachImage(image int64) error {
	if image == journal.NoImage {
		return nil
	}
	buf := make([]byte, m.size)
	if err := m.journal.Image(image, buf); err != nil {
		return err
	}
	_, err := m.journal.Put(image, buf)
	return err
}

// Unlead makes the leader's store that of a member again, after a commit that has failed.
func (m *Member) Unlead() {
	image := m.image
	m.detach()
	m.image = image
}

// Committed says that the leader has committed what all have changed: the log has so many chunks
// in so many lines.
func (m *Member) Committed(chunks axial.Number, commits int) {
	m.mu.Lock()
	m.committed, m.commits = chunks, int64(commits)
	m.changes.clear()
	clear(m.known)
	m.mu.Unlock()
	if !m.leader {
		m.table.forget()
	}
	m.detach()
}

// Written reports whether the member has written, or knows of, anything since the last commit.
func (m *Member) Written() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.wrote || len(m.changes.of) > 0
}

// Forget makes a member forget what it has changed, before it is closed without a commit: what
// another one has in its place is for that one to give back, see Abandon.
func (m *Member) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.durability != Full || !m.leader {
		m.changes.clear()
	}
	m.Store.committed, m.files.Durability = m.committed, m.durability
}

// Line returns the line of a commit in the journal that a log of so many lines lacks, and that a
// reader counts as committed; nil for none.
func (s *Store) Line(commits int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.block == nil || s.block.Commit != int64(commits)+1 {
		return nil
	}
	return s.block.Line
}

// InPlace reports whether chunk q was ever written, and whether its bytes are in its place.
func (s *Store) InPlace(q axial.Number) (written, inPlace bool, err error) {
	c, err := s.lookup(q)
	return c.entry.length > 0, c.inPlace(), err
}

// Agrees returns an error wrapping state.ErrCorrupt unless bytes that somebody else has read from
// the place of chunk q are those that were written. It checks them in any case: that they were
// right in the file says little of how they came here.
func (s *Store) Agrees(q axial.Number, buf []byte) error {
	c, err := s.lookup(q)
	if err != nil {
		return err
	}
	if sum := crc32c.Sum(buf); sum != c.entry.sum {
		return s.corrupt(q, fmt.Sprintf("its checksum is %08x, recorded is %08x", sum, c.entry.sum))
	}
	return nil
}
