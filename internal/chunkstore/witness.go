package chunkstore

import "drx/internal/chunktable"

// A witness writes the head of the presence map, which shows when the log has lost its end, for the
// roles that commit.
type witness struct {
	store       *Store
	head        chunktable.Head // as far as this process has written or read it
	unjournaled bool            // what Head.Unjournaled is to be
	behind      bool            // presence bytes may be missing, see AdoptHead
	unclean     bool            // there was a journal: the writer before did not close the array
}

// setHead writes the head of the presence map, if it has changed.
func (w *witness) setHead(h chunktable.Head) error {
	h.Unjournaled = w.unjournaled
	presence := w.store.table.Presence()
	if presence == nil || w.head == h && !presence.Moves() {
		return nil
	}
	if err := presence.SetHead(h); err != nil {
		return err
	}
	w.head = h
	return nil
}

// Unjournaled reports whether AdoptHead has found that a writer without journal died.
func (w *witness) Unjournaled() bool { return w.unjournaled }

// SetUnjournaled notes in the presence map, durably, whether a writer without journal has the array
// open. now is how the log ends.
func (w *witness) SetUnjournaled(is bool, now chunktable.Head) error {
	w.unjournaled = is
	now.Unjournaled = is
	presence := w.store.table.Presence()
	if presence == nil || w.head == now {
		return nil
	}
	changes := w.head.Unjournaled != is
	if err := w.setHead(now); err != nil || !changes || w.store.files.Durability == None {
		return err
	}
	return presence.Sync()
}

// AdoptHead reads the head of the presence map, and goes on from it. now is how the log ends. The
// map may lack presence bytes if its head is older, if a journal was there, or after a writer
// without journal.
func (w *witness) AdoptHead(now chunktable.Head) error {
	h, known, err := w.store.table.Presence().Head()
	if err != nil {
		return err
	}
	if known {
		w.head, w.unjournaled = h, h.Unjournaled
	}
	w.behind = !known || h.Commits < now.Commits || h.Unjournaled || w.unclean
	return nil
}
