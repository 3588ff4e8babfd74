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

// Cover makes the table long enough for the given number of chunks, before any member writes
// (Member, invariant 3).
func (l *Leader) Cover(chunks axial.Number) error {
	if chunks == 0 {
		return nil
	}
	return l.cover(chunks - 1)
}

// Secure has nothing to do: Prepare and Journal sync what the leader has written.
func (l *Leader) Secure() error { return nil }

// Lead moves the changes of all members to where the leader's Writer would have put them: entries
// of chunks beyond the grid of the last commit, or without a journal of all chunks, to the table.
// It can be called again after an error, its own or that of the commit.
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

// moveToSlot puts an image of a chunk that no commit has in its place, where nobody looks before
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

// reachImage makes sure that the journal puts its block behind the image of a chunk, which another
// member may have written: the leader's journal knows only of images of this process. So it writes
// the image once more.
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

// Committed says that the commit was made, see Member.Committed. The leader has changed the table
// itself, so that its pages in memory are those of the file.
func (l *Leader) Committed(chunks axial.Number, commits int) { l.reset(chunks, commits) }

// Forget makes the leader forget what the group has changed, before it is closed without a commit.
// With Full it forgets nothing: Abandon needs the changes to give back the space of chunks that are
// in their places.
func (l *Leader) Forget() {
	if l.files.Durability != Full {
		l.Member.Forget()
	}
}
