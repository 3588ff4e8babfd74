package chunkstore

import (
	"errors"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/journal"
	"drx/internal/state"
)

// A Writer is the store of a process that alone changes the array. Others may read meanwhile.
//
//	chunks without an entry in the table  go to their places; nobody looks there before the commit. Their entries
//	                                      go to the table in memory or, if the grid of the last commit has the
//	                                      chunk and Durability is Full, to the overlay and with it to the journal.
//	chunks that have an entry             go to the journal, and after the commit to their places, or with
//	                                      NoJournal and None to their places at once, after their entries
//	a few bytes of a chunk                are patched, see Patch and Start
//
// The steps of a commit are in commit.go.
type Writer struct {
	ownedTable
	*slotWriter
	repairs pendingRepairs
	witness

	// These are guarded by the lock of the store.
	cleared      []axial.Number // since the last commit; some may have been written again
	applied      bool           // the journal has a commit that is in its place
	journalDirty bool           // the journal may have bytes on disk: found there, or cleared unsynced
	journalNamed bool           // the journal exists, and its name is durable
}

// OpenWriter returns the store of chunks of size bytes, slot bytes apart, of a process that alone
// changes them. Before it writes anything it has to call FinishSharers, Recover, Apply and Trim,
// unless the array is new.
func OpenWriter(files Files, size int, slot int64) *Writer {
	s := open(files, size, slot)
	w := &Writer{ownedTable: ownedTable{s}, slotWriter: newSlotWriter(s), witness: witness{store: s}}
	s.role = w
	return w
}

// Expect says how many chunks the array has, written or not.
func (w *Writer) Expect(chunks axial.Number) { w.table.Expect(chunks) }

// errUnfinished is returned for changes while a commit is in the journal that could not be put in
// its place.
var errUnfinished = errors.New("an earlier commit is not finished: sync first")

// reread reads a chunk again after it was repaired, if it is one that a patch has damaged.
func (w *Writer) reread(q axial.Number, buf []byte, checking Checking, err error) error {
	if !w.repairs.some.Load() {
		return err
	}
	return first(w.repair(q), w.read(q, buf, checking))
}

// Write stores chunk q, see ChunkWriter.
func (w *Writer) Write(q axial.Number, buf []byte) error {
	f := w.encode(buf)
	defer f.free()
	return w.writeForm(q, f)
}

// writeForm stores the form of chunk q.
func (w *Writer) writeForm(q axial.Number, f form) error {
	w.repairs.remove(q) // the whole chunk is written, now or when the caller tries again
	switch {
	case !w.isCommitted(q):
		return w.writeInPlace(q, f, w.table.Put)
	case w.files.Durability == Full:
		return w.writeCommitted(q, f)
	}
	return w.writeInPlace(q, f, w.table.Publish)
}

// isCommitted reports whether the last commit has chunk q.
func (w *Writer) isCommitted(q axial.Number) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return q < w.committed
}

// writeInPlace stores a chunk in its place. replace changes the entry of a chunk that has one
// (invariant 4).
func (w *Writer) writeInPlace(q axial.Number, f form, replace func(axial.Number, chunktable.Entry) error) error {
	old, err := w.table.Get(q)
	if err != nil && !errors.Is(err, state.ErrCorrupt) {
		return err
	}
	if err == nil && old.Length == 0 {
		return w.writeFreshForm(q, f)
	}
	e := w.entryAfter(f, old)
	if err := replace(q, e); err != nil {
		return err
	}
	if err := w.writeSlot(q, f.bytes); err != nil {
		return err
	}
	w.verified.Add(q, e)
	return nil
}

// writeCommitted stores a chunk below committed (invariant 1).
func (w *Writer) writeCommitted(q axial.Number, f form) error {
	old, err := w.table.Get(q)
	// A damaged entry protects nothing, and is replaced by that of the new chunk.
	if err != nil && !errors.Is(err, state.ErrCorrupt) {
		return err
	}
	stored := err != nil || old.Length > 0
	was, again := w.changed(q)
	if !stored && !again {
		return w.writeFreshForm(q, f)
	}
	if was.entry.Length > 0 {
		old = was.entry
	}
	c := changeInPlace(w.entryAfter(f, old))
	if stored {
		if c.image, err = w.writeImage(q, f.bytes); err != nil {
			return err
		}
		return w.setChange(q, c)
	}
	if err := w.setChange(q, c); err != nil { // before the bytes, invariant 4
		return err
	}
	if err := w.writeSlot(q, f.bytes); err != nil {
		return err
	}
	w.verified.Add(q, c.entry)
	return nil
}

// entryAfter returns the entry that a chunk with entry old gets now, in this form.
func (w *Writer) entryAfter(f form, old chunktable.Entry) chunktable.Entry {
	e := w.entryOfForm(f).After(old)
	if f.recoded && old.Length > 0 {
		e = e.OfCommit(old)
	}
	return e
}

// writeImage writes the stored bytes of chunk q to the journal, over its image there if it has one,
// and returns the number of the image.
func (w *Writer) writeImage(q axial.Number, bytes []byte) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.block != nil {
		return 0, errUnfinished
	}
	if err := w.openJournal(); err != nil {
		return 0, err
	}
	image := int64(journal.NoImage)
	if c, ok := w.overlay.of[q]; ok {
		image = c.image
	}
	return w.journal.Put(image, bytes)
}

// WriteFresh stores chunks that were never written, see ChunkWriter.
func (w *Writer) WriteFresh(q axial.Number, buf []byte) error {
	return w.writeFresh(q, buf, w.setFreshEntry)
}

// writeFreshForm is WriteFresh for the form of one chunk.
func (w *Writer) writeFreshForm(q axial.Number, f form) error {
	return w.slotWriter.writeFreshForm(q, f, 1, w.setFreshEntry)
}

// setFreshEntry gives chunk q, which had none, its entry. It need not be published: nobody sees an
// entry that was not there (invariant 4).
func (w *Writer) setFreshEntry(q axial.Number, e chunktable.Entry) error {
	if w.files.Durability == Full && w.isCommitted(q) {
		return w.setChange(q, changeInPlace(e))
	}
	return w.table.Put(q, e)
}

// Clear makes chunks, which must not be in use, ones that were never written; all of them, or none
// if there is an error. Their bytes are given back to the file system after the next commit.
func (w *Writer) Clear(chunks []axial.Number) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.block != nil {
		return errUnfinished
	}
	if err := w.clearEntries(chunks); err != nil {
		return err
	}
	for _, q := range chunks {
		w.repairs.remove(q)
		if w.files.Durability == Full && q < w.committed {
			w.overlay.set(q, changeInPlace(chunktable.Entry{}))
		}
	}
	if len(chunks) > 0 {
		w.wrote.Store(true)
	}
	w.cleared = append(w.cleared, chunks...)
	w.clears.Store(len(w.cleared) > 0)
	return nil
}

// clearEntries clears the entries that need not wait for the commit. The lock of the store must be
// held.
func (w *Writer) clearEntries(chunks []axial.Number) error {
	if w.files.Durability != Full {
		if err := w.table.Presence().Clear(chunks, w.files.Durability != None); err != nil {
			return err
		}
		if err := w.table.Clear(chunks); err != nil {
			return err
		}
		return w.table.Write() // invariant 4
	}
	var fresh []axial.Number // those of earlier commits are left to Apply, and have presence bytes
	for _, q := range chunks {
		if q >= w.committed {
			fresh = append(fresh, q)
		}
	}
	return w.table.Clear(fresh)
}
