package chunkstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/errkind"
	"drx/internal/journal"
	"drx/internal/state"
)

// A Member is the store of one of several processes that are one writer together. Each writes
// chunks that no other one writes, to their places or to the common journal, and keeps all new
// entries in its overlay. The members send each other their changes, and one of them, the Leader,
// commits those of all.
//
//	member   Write, WriteFresh    bytes go to the place or to the journal, the entry to the overlay
//	         CollectChanges       returns what has changed since the last CollectChanges
//	         ApplyRemote          adopts the changes that another member has collected
//	         Secure               bytes become durable
//	Leader   Lead                 changes go where a Writer would have written them
//	         (Prepare, Journal, Apply, Finish: the commit of the Leader's Writer)
//	member   Committed            changes are forgotten, the table has them
//
// # Invariants
//
//  1. Only the Leader writes the table and the log, except that entries of committed chunks that
//     are overwritten in place (Durability other than Full) are written before the bytes.
//  2. Images of a member in the journal have numbers that are its own modulo the number of members,
//     so that nobody has to ask for one.
//  3. The table is long enough for all chunks of the grid before any is written.
//  4. With Full, bytes that others know from CollectChanges stay as they are until the commit: what
//     is written to the chunk then goes to another image.
type Member struct {
	ownedTable
	*slotWriter
	writer *Writer // its role is now the member's; it closes the journal
	proc   int64
	procs  int64

	// These are guarded by the lock of the store.
	image  int64                   // number of its next image
	known  map[axial.Number]change // what CollectChanges sent to others, or ApplyRemote received
	images bool                    // images were written that may not be durable
}

// OpenMember returns the store of member proc of procs, which is not the leader. w has been opened
// for the same files and commits as the leader's, and was not used. The member replaces it.
func OpenMember(w *Writer, proc, procs int) *Member {
	m := newMember(w, proc, procs)
	m.table.AssumeCovered() // invariant 3
	m.role = m
	return m
}

func newMember(w *Writer, proc, procs int) *Member {
	w.several = true
	return &Member{
		ownedTable: w.ownedTable, slotWriter: w.slotWriter, writer: w, proc: int64(proc), procs: int64(procs),
		image: int64(proc), known: map[axial.Number]change{},
	}
}

// Write stores chunk q, see ChunkWriter. Other members know the version that CollectChanges last
// returned, and may be reading it. With Full that version stays as it is; for the other
// durabilities see overwrite.
func (m *Member) Write(q axial.Number, buf []byte) error {
	was, pending := m.changed(q)
	old, err := m.table.Get(q)
	damaged := errors.Is(err, state.ErrCorrupt)
	if err != nil && !damaged {
		return err
	}
	seen := damaged || old.Length > 0 || m.isKnown(q)
	if !seen && !pending {
		return m.WriteFresh(q, buf)
	}
	image := int64(journal.NoImage)
	if was.entry.Length > 0 {
		old, image = was.entry, was.image
	}
	f := m.encode(buf)
	defer f.free()
	c := change{entry: m.entryOf(f.bytes).After(old), image: image}
	if m.files.Durability == Full && (seen || image != journal.NoImage) {
		return m.writeImage(q, c, f.bytes)
	}
	return m.overwrite(q, c, f.bytes, seen)
}

// isKnown reports whether others know a change of chunk q.
func (m *Member) isKnown(q axial.Number) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.known[q]
	return ok
}

// writeImage writes the stored bytes of a chunk to the journal. It overwrites the image that the
// chunk has, unless other members read that.
func (m *Member) writeImage(q axial.Number, c change, bytes []byte) error {
	m.mu.Lock()
	if known, ok := m.known[q]; ok && known.image == c.image {
		c.image = journal.NoImage
	}
	m.mu.Unlock()
	var err error
	if c.image, err = m.journalImage(c.image, bytes); err != nil {
		return err
	}
	return m.setChange(q, c)
}

// journalImage writes an image, a new one or over an earlier one of the same chunk, and returns its
// number.
func (m *Member) journalImage(image int64, bytes []byte) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.block != nil {
		return 0, errUnfinished
	}
	if err := m.openJournal(); err != nil {
		return 0, err
	}
	if image == journal.NoImage {
		image = m.image
		m.image += m.procs
	}
	m.images = true
	return m.journal.Put(image, bytes)
}

// openJournal opens the journal, which the leader has created. The lock of the store must be held.
func (m *Member) openJournal() error {
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

// closeJournal closes the journal as a Writer does.
func (m *Member) closeJournal(keep bool) error { return m.writer.closeJournal(keep) }

// overwrite writes the stored bytes of a chunk to its slot, after its entry (invariant 4 of the
// package). Members that know an earlier version in the slot find the entry in the file, see
// reread.
func (m *Member) overwrite(q axial.Number, c change, bytes []byte, seen bool) error {
	if err := m.setChange(q, c); err != nil {
		return err
	}
	if seen {
		if err := m.table.WriteEntry(q, c.entry); err != nil {
			return err
		}
	}
	return m.writeSlot(q, bytes)
}

const (
	// rereads limits the attempts of a member to read a chunk that another one overwrites all the
	// time.
	rereads = 200
	// rereadPause is how long it waits before each try but the first ones.
	rereadPause = time.Millisecond
)

// reread reads a chunk that disagreed with its checksum. Without the journal, another member may
// have overwritten it in its slot since that member's last CollectChanges. The entry in the file
// was written before that.
func (m *Member) reread(q axial.Number, buf []byte, _ Checking, err error) error {
	if m.files.Durability == Full || !errors.Is(err, state.ErrCorrupt) {
		return err
	}
	for try := range rereads {
		if try >= quickTries {
			time.Sleep(rereadPause)
		}
		e, entryErr := m.table.ReadEntry(q)
		if entryErr != nil || e.Length == 0 {
			continue
		}
		now := m.readChange(q, changeInPlace(e), buf, true)
		if !errors.Is(now, state.ErrCorrupt) {
			return now
		}
	}
	return err
}

// NoteWritten records that MPI has written the bytes buf to the slot of chunk q, which is fresh.
func (m *Member) NoteWritten(q axial.Number, buf []byte) error {
	m.wrote.Store(true)
	return m.setChange(q, changeInPlace(m.entryOf(buf)))
}

// changeBytes is the bytes of a change as CollectChanges returns it: chunk number 8, image 8, entry
// 16.
const changeBytes = 16 + chunktable.EntrySize

// CollectChanges returns the changes since the last CollectChanges, for ApplyRemote.
func (m *Member) CollectChanges() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var unknown []axial.Number
	for q, c := range m.overlay.of {
		if known, ok := m.known[q]; !ok || known != c {
			unknown = append(unknown, q)
		}
	}
	slices.Sort(unknown)
	out := make([]byte, 0, len(unknown)*changeBytes)
	for _, q := range unknown {
		c := m.overlay.of[q]
		m.known[q] = c
		out = binary.LittleEndian.AppendUint64(out, uint64(q))
		out = binary.LittleEndian.AppendUint64(out, uint64(c.image))
		var e [chunktable.EntrySize]byte
		c.entry.Encode(e[:], q)
		out = append(out, e[:]...)
	}
	return out
}

// ApplyRemote adopts the changes that another member's CollectChanges has returned, and calls f
// with each chunk.
func (m *Member) ApplyRemote(changes []byte, f func(q axial.Number)) error {
	for ; len(changes) >= changeBytes; changes = changes[changeBytes:] {
		q := axial.Number(binary.LittleEndian.Uint64(changes))
		e, ok := chunktable.Decode(changes[16:], q)
		if !ok || e.Length > 0 && !m.isPossible(e.Length) || q < 0 || int64(q) >= math.MaxInt64/max(m.slot, chunktable.EntrySize) {
			return errkind.InFile(m.files.Data.Name(), fmt.Errorf("what another process says of chunk %d is %w", q, state.ErrCorrupt))
		}
		c := change{entry: e, image: int64(binary.LittleEndian.Uint64(changes[8:]))}
		if err := m.applyChange(q, c); err != nil {
			return err
		}
		f(q)
	}
	if len(changes) > 0 {
		return errkind.InFile(m.files.Data.Name(), fmt.Errorf("what another process says of its chunks is %w: %d bytes behind the last", state.ErrCorrupt, len(changes)))
	}
	return nil
}

func (m *Member) applyChange(q axial.Number, c change) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.overlay.set(q, c)
	m.known[q] = c
	if c.image == journal.NoImage {
		return nil
	}
	return m.openJournal()
}

// Secure makes durable what this member has written. The leader syncs the same files later, but on
// some file systems a sync covers only the writes of its own process.
func (m *Member) Secure() error {
	if m.files.Durability == None {
		return nil
	}
	if err := m.syncIfWritten(m.syncData); err != nil {
		return err
	}
	m.mu.Lock()
	images := m.images
	m.mu.Unlock()
	if !images {
		return nil
	}
	if err := m.journal.Sync(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.images = false
	return nil
}

// Committed records that the leader has committed the changes of all members. The log now has
// chunks chunks and commits lines.
func (m *Member) Committed(chunks axial.Number, commits int) {
	m.reset(chunks, commits)
	m.table.Forget() // the leader has changed it
	m.table.AssumeCovered()
}

// reset returns the store to its state without changes since the last commit.
func (m *Member) reset(chunks axial.Number, commits int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.committed, m.commits = chunks, int64(commits)
	m.image = m.proc
	m.overlay.clear()
	clear(m.known)
}

// Pending reports whether the member has written anything since the last commit, or knows of
// changes of others.
func (m *Member) Pending() bool { return m.wrote.Load() || m.hasChanges() }

// Forget drops the changes of a member, before it is closed without a commit. New chunks that it
// has written stay in the file, where no entry names them.
func (m *Member) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.overlay.clear()
}
