package chunkstore

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/fanout"
	"drx/internal/journal"
)

// A commit of a Writer goes through these steps, in this order. Nobody writes chunks meanwhile.
//
//	Prepare   if anything was written in place: the principal array is synced, then the table gets the entries of
//	          chunks beyond the grid of the last commit, and is synced
//	Announce  the presence map says how many of these entries the commit with a line has
//	Journal   if chunks in that grid have changed, or got their first entry: the journal, which has images of them
//	          already, gets pieces, entries and the line of the log, and is synced. The commit is made.
//	          (The caller appends the line to the log and syncs it. If there was no journal this makes the commit.
//	          If it fails, the caller takes the commit back: first the line, then the journal, see Retract.)
//	Apply     presence bytes of cleared chunks are cleared, entries written, then images and pieces; array and table
//	          are synced
//	Finish    presence bytes of new chunks are set, then the head of the presence map is written; the space of
//	          cleared chunks is given back. Only then the journal, which vouched for all that until now, is emptied, which
//	          need not be durable before the next commit

// Prepare makes durable what was written in place, see Committer.
func (w *Writer) Prepare() error { return w.syncIfWritten(w.syncInPlace) }

// syncInPlace syncs the principal array, then writes and syncs the table.
func (w *Writer) syncInPlace() error {
	if err := w.repairAll(); err != nil {
		return err
	}
	if w.files.Durability == None {
		return w.table.Write()
	}
	if err := w.syncData(); err != nil {
		return err
	}
	return w.table.Sync()
}

// syncApplied makes durable what Apply has written, and the line of the commit in the log. As the
// journal has all of it, the order does not matter, and the files are synced at the same time.
func (w *Writer) syncApplied() error {
	if err := w.repairAll(); err != nil {
		return err
	}
	if err := w.table.Write(); err != nil || w.files.Durability == None {
		return err
	}
	syncs := []func() error{w.syncData, w.table.Sync}
	if w.files.Log != nil {
		syncs = append(syncs, w.files.Log.Sync)
	}
	goroutines := 1
	if w.files.SyncTogether {
		goroutines = len(syncs)
	}
	return fanout.Each(len(syncs), goroutines, func(i int) error { return syncs[i]() })
}

// Announce notes in the presence map how many chunks beyond the grid of the last commit have
// entries, for the commit with a line, before the commit is made.
func (w *Writer) Announce(line []byte) error {
	presence := w.table.Presence()
	if presence == nil || len(line) == 0 {
		return nil
	}
	w.mu.Lock()
	a := chunktable.Announcement{From: w.committed}
	w.mu.Unlock()
	copy(a.Digits[:], line)
	var err error
	if a.Chunks, err = w.table.CountFrom(a.From); err != nil {
		return err
	}
	return presence.Announce(a)
}

// Changed reports whether there are changes that need the journal, see Committer.
func (w *Writer) Changed() bool { return w.hasChanges() }

// Replaced returns how many chunks of the last commit get an entry of the next one. Recompressed
// chunks keep the number of the commit that wrote their elements.
func (w *Writer) Replaced() (n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := chunktable.NewEntry(0, 0, w.commits+1).Commit()
	for q, c := range w.overlay.of {
		if c.entry.Length > 0 && c.entry.Commit() == now && q < w.committed {
			n++
		}
	}
	return n
}

// Uncommitted reports whether chunks have changed since the last commit.
func (w *Writer) Uncommitted() bool { return w.Changed() || w.table.Changed() }

// Journal makes the commit of the changes, see Committer.
func (w *Writer) Journal(commits int, line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.openJournal(); err != nil {
		return err
	}
	block := journal.Block{Commit: int64(commits), Line: line, Entries: make([]journal.Entry, 0, len(w.overlay.of))}
	for q, c := range w.overlay.of {
		if c.entry.Length == 0 {
			// An entry of a block must not be in the table before, see isBegun.
			if now, err := w.table.Get(q); err == nil && now.Length == 0 {
				continue
			}
		}
		e := journal.Entry{Number: q, Image: c.image, Pieces: c.patch.list()}
		c.entry.Encode(e.Table[:], q)
		block.Entries = append(block.Entries, e)
	}
	slices.SortFunc(block.Entries, func(a, b journal.Entry) int { return cmp.Compare(a.Number, b.Number) })
	if err := w.journal.Commit(block); err != nil {
		return err
	}
	w.block = &block
	return nil
}

// Retract undoes Journal, see Committer.
func (w *Writer) Retract() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.journal == nil {
		return nil
	}
	if err := w.journal.Retract(); err != nil {
		return err
	}
	w.block = nil
	return nil
}

// Apply moves the commit in the journal to its place, see Committer.
func (w *Writer) Apply() error {
	if !w.Unfinished() {
		return nil
	}
	if err := w.applyEntries(); err != nil {
		return err
	}
	if err := w.applyImages(); err != nil {
		return err
	}
	if err := w.syncApplied(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.overlay.clear()
	w.applied, w.block = true, nil
	return nil
}

// applyEntries writes the entries, before the chunks (invariant 4). It clears the presence bytes of
// chunks that lose their entries before that.
func (w *Writer) applyEntries() error {
	var cleared []axial.Number
	for _, e := range w.block.Entries {
		if entry, _ := chunktable.Decode(e.Table[:], e.Number); entry.Length == 0 {
			cleared = append(cleared, e.Number)
		}
	}
	w.mu.Lock()
	w.cleared = append(w.cleared, cleared...) // a writer that died cannot give their space back
	w.mu.Unlock()
	if err := w.table.Presence().Clear(cleared, w.files.Durability != None); err != nil {
		return err
	}
	for _, e := range w.block.Entries {
		entry, _ := chunktable.Decode(e.Table[:], e.Number)
		if err := w.table.Put(e.Number, entry); err != nil {
			return err
		}
	}
	return w.table.Write()
}

// applyImages writes the chunks, or the pieces of chunks, in the journal to their slots.
func (w *Writer) applyImages() error {
	buf := make([]byte, w.size)
	for _, e := range w.block.Entries {
		if err := w.writePieces(e.Number, e.Pieces); err != nil {
			return err
		}
		if e.Image == journal.NoImage {
			continue
		}
		n, _ := storedOf(e.Table)
		if err := w.journal.Image(e.Image, buf[:n]); err != nil {
			return err
		}
		if err := w.replaceSlot(e.Number, buf[:n], w.writeData); err != nil {
			return err
		}
	}
	return nil
}

// Finish records that a commit is in its place, see Committer, and frees the space of cleared
// chunks.
func (w *Writer) Finish(head *chunktable.Head) error {
	w.mu.Lock()
	committed := w.committed
	w.mu.Unlock()
	if err := w.table.Vouch(committed); err != nil {
		return err
	}
	if head != nil {
		if err := w.catchUp(committed); err != nil {
			return err
		}
		if err := w.setHead(*head); err != nil {
			return err
		}
	}
	if err := w.release(); err != nil {
		return err
	}
	return w.endJournal()
}

// endJournal empties the journal after its commit is in its place. This need not be durable before
// the next commit: by then the journal is out of date.
func (w *Writer) endJournal() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.applied {
		return nil
	}
	if err := w.journal.Clear(); err != nil {
		return err
	}
	w.journalDirty, w.applied = true, false
	return nil
}

// catchUp sets presence bytes that are missing because of a crash.
func (w *Writer) catchUp(committed axial.Number) error {
	if !w.behind {
		return nil
	}
	if w.files.Durability != None { // the writer before may have died before it synced the table
		if err := w.table.SyncFile(); err != nil {
			return err
		}
	}
	if err := w.table.VouchAll(committed); err != nil {
		return err
	}
	w.behind = false
	return nil
}

// release frees the bytes of chunks that were cleared and not written again. It makes sure that
// these bytes no longer agree with their old entries, in case a damage restores those.
func (w *Writer) release() error {
	w.mu.Lock()
	cleared := slices.Clone(w.cleared)
	w.mu.Unlock()
	slices.Sort(cleared)
	cleared = slices.DeleteFunc(slices.Compact(cleared), func(q axial.Number) bool { return !w.isCleared(q) })
	w.punch(cleared)
	for _, q := range cleared {
		if err := w.spoil(q); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cleared = nil
	w.clears.Store(false)
	return nil
}

// spoil overwrites the first page of a chunk that is not all zeros, where the file system could not
// free all of the chunk.
func (w *Writer) spoil(q axial.Number) error {
	var buf [sparseBlock]byte
	at := int64(w.OffsetOf(q))
	for end := at + int64(w.size); at < end; {
		from, _, err := w.files.Data.Data(at)
		if errors.Is(err, io.EOF) || err == nil && from >= end {
			return nil
		}
		if err != nil {
			return err
		}
		from = max(from, at)
		n, err := w.files.Data.ReadAt(buf[:min(end-from, sparseBlock)], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if !bytes.Equal(buf[:n], zeros[:n]) {
			_, err := w.files.Data.WriteAt(zeros[:n], from)
			return err
		}
		at = from + sparseBlock
	}
	return nil
}

func (w *Writer) isCleared(q axial.Number) bool {
	written, err := w.Written(q)
	return err == nil && !written
}
