package chunkstore

import (
	"maps"
	"slices"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/journal"
)

// A Leader is the member of a group that commits what all have changed: after Lead the Writer that
// it was before does that. It is the only member that writes the log.
type Leader struct{ *Member }

// OpenLeader returns the store of the leader, which is member proc of procs. w has recovered what
// others left behind; the leader takes its place.
func OpenLeader(w *Writer, proc, procs int) (*Leader, error) {
	l := &Leader{newMember(w, proc, procs)}
	if l.files.Durability == Full {
		l.mu.Lock()
		err := w.openJournal() // for all members
		l.mu.Unlock()
		if err != nil {
			return nil, err
		}
	}
	l.role = l
	return l, nil
}

// Cover extends the table to the given number of chunks, before any member writes (Member,
// invariant 3).
func (l *Leader) Cover(chunks axial.Number) error {
	if chunks == 0 {
		return nil
	}
	return l.cover(chunks - 1)
}

// Secure does nothing: Prepare and Journal sync what the leader has written.
func (l *Leader) Secure() error { return nil }

// Lead moves the changes of all members to where the leader's Writer would have written them. The
// table gets the entries of chunks beyond the grid of the last commit, without a journal those of
// all chunks. Lead can be called again after an error, its own or that of the commit.
func (l *Leader) Lead() error {
	l.mu.Lock()
	changes, committed := maps.Clone(l.overlay.of), l.committed
	l.mu.Unlock()
	last := changeInPlace(chunktable.Entry{})
	for _, q := range slices.Sorted(maps.Keys(changes)) {
		c := changes[q]
		if c.image > last.image {
			last = c
		}
		if q < committed && l.files.Durability == Full {
			continue
		}
		if err := l.moveToSlot(q, c); err != nil {
			return err
		}
		if err := l.table.Put(q, c.entry); err != nil {
			return err
		}
		l.mu.Lock()
		l.overlay.remove(q)
		l.mu.Unlock()
		l.wrote.Store(true)
	}
	return l.reachImage(last)
}

// moveToSlot moves the image of a chunk that no commit has to its slot, which nobody reads before
// the commit: the journal is for chunks of earlier commits.
func (l *Leader) moveToSlot(q axial.Number, c change) error {
	if c.image == journal.NoImage {
		return nil
	}
	buf := make([]byte, c.entry.Length)
	if err := l.journal.Image(c.image, buf); err != nil {
		return err
	}
	return l.writeSlot(q, buf)
}

// reachImage makes sure that the journal writes its block behind the image of a chunk. Another
// member may have written the image, and the leader's journal knows only images of this process. So
// reachImage writes it once more.
func (l *Leader) reachImage(c change) error {
	if c.image == journal.NoImage {
		return nil
	}
	buf := make([]byte, c.entry.Length)
	if err := l.journal.Image(c.image, buf); err != nil {
		return err
	}
	_, err := l.journal.Put(c.image, buf)
	return err
}

// Committed records that the commit was made, see Member.Committed. The leader has changed the
// table itself, so its pages in memory agree with the file.
func (l *Leader) Committed(chunks axial.Number, commits int) { l.reset(chunks, commits) }

// Forget drops the changes of the group, before the leader is closed without a commit. With Full it
// drops nothing: Abandon needs the changes to free the space of chunks in their slots.
func (l *Leader) Forget() {
	if l.files.Durability != Full {
		l.Member.Forget()
	}
}
