package chunkstore

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/errkind"
	"drx/internal/journal"
	"drx/internal/state"
	"drx/internal/vfs"
)

// maxSharers limits the processes sharing an array that can change common chunks at the same
// moment: each needs a journal to do so. Any number may have the array open; the others wait.
const maxSharers = 64

// journalTimeout is how long a sharer waits for a journal that no other one uses.
var journalTimeout = time.Minute

// sharerJournal returns the name of the journal of sharer i, given the name of the writer's
// journal.
func sharerJournal(journal string, i int) string { return fmt.Sprintf("%s%d", journal, i) }

// Journals returns the names of all journals that an array may have: that of the writer, which is
// given, and those of sharers.
func Journals(journal string) []string {
	names := []string{journal}
	for i := range maxSharers {
		names = append(names, sharerJournal(journal, i))
	}
	return names
}

// OpenSharer returns the store of a process that writes beside others. w has recovered what others
// left behind; the sharer replaces it. It removes the journal of the writer, which must be empty,
// and applies the journals of sharers that died.
func OpenSharer(w *Writer) (*Sharer, error) {
	if err := w.removeJournal(); err != nil {
		return nil, err
	}
	s := &Sharer{foreignTable: foreignTable{w.Store}, slotWriter: w.slotWriter, witness: w.witness, number: -1}
	s.table.Forget()
	s.shared, s.several = true, true
	s.role = s
	return s, s.redoOthers()
}

// redoOthers applies the journals that no living sharer has. A journal that this process may not
// write is left to its owner.
func (s *Sharer) redoOthers() error {
	for i := range maxSharers {
		err := s.redoOther(i)
		switch {
		case errors.Is(err, fs.ErrNotExist): // journals are created in this order
			return nil
		case err != nil && !errors.Is(err, vfs.ErrLocked) && !errors.Is(err, fs.ErrPermission):
			return err
		}
	}
	return nil
}

// acquireJournal locks a journal for this process until releaseJournal: the one that it had last,
// or another one that nobody has.
func (s *Sharer) acquireJournal() error {
	if s.own != nil {
		err := s.file.Lock()
		if err == nil {
			return s.redo(s.own) // another sharer that died may have had it
		}
		if err := first(unlessLocked(err), s.closeOwn()); err != nil {
			return err
		}
	}
	wait := time.Millisecond
	for end := time.Now().Add(journalTimeout); ; wait = min(2*wait, 20*time.Millisecond) {
		err := s.findJournal()
		if !errors.Is(err, vfs.ErrLocked) || time.Now().After(end) {
			return err
		}
		time.Sleep(wait)
	}
}

// unlessLocked returns err, or nil if another process holds the lock.
func unlessLocked(err error) error {
	if errors.Is(err, vfs.ErrLocked) {
		return nil
	}
	return err
}

// findJournal locks the first journal that no process has. The error wraps vfs.ErrLocked if there
// is none.
func (s *Sharer) findJournal() error {
	var denied error
	for i := range maxSharers {
		file, err := s.openJournal(i)
		if errors.Is(err, fs.ErrPermission) { // another user's
			denied = first(denied, err)
			continue
		}
		if err != nil {
			return err
		}
		if err = file.Lock(); err == nil {
			s.file, s.own, s.number, s.named = file, journal.New(file, s.size), i, false
			if s.files.Durability == None {
				s.own.Relax()
			}
			return s.redo(s.own)
		}
		if err := first(unlessLocked(err), file.Close()); err != nil {
			return err
		}
	}
	return first(denied, errkind.InFile(s.files.Data.Name(), errkind.Errorf(vfs.ErrLocked,
		"%d processes change chunks just now: try again when some have ended", maxSharers)))
}

// releaseJournal unlocks the journal, which is durably empty, for other processes.
func (s *Sharer) releaseJournal() error { return s.file.Unlock() }

// closeOwn closes the journal that this process had last. The next writer removes the file.
func (s *Sharer) closeOwn() error {
	if s.own == nil {
		return nil
	}
	file := s.file
	s.file, s.own, s.number = nil, nil, -1
	return file.Close()
}

// openJournal opens the journal of sharer i, which need not exist.
func (s *Sharer) openJournal(i int) (vfs.File, error) {
	name := sharerJournal(s.files.Journal, i)
	file, err := s.files.FS.OpenNoFollow(name, true)
	if errors.Is(err, fs.ErrNotExist) {
		if file, err = s.files.create(name); errors.Is(err, fs.ErrExist) {
			return s.files.FS.OpenNoFollow(name, true)
		}
	}
	return file, err
}

// FinishSharers applies the journals of sharers that died, and removes them. There must be no
// living sharer.
func (w *Writer) FinishSharers() error {
	sharers := 0
	for ; sharers < maxSharers; sharers++ {
		err := w.finishSharer(sharerJournal(w.files.Journal, sharers))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
	}
	w.unclean = w.unclean || sharers > 0
	for i := sharers - 1; i >= 0; i-- { // from the last: no gaps
		if err := w.files.FS.Remove(sharerJournal(w.files.Journal, i)); err != nil {
			return err
		}
	}
	w.table.Forget()
	return nil
}

// finishSharer applies a journal. If this process may not write the journal, that is no error as
// long as it is empty.
func (w *Writer) finishSharer(name string) error {
	file, denied := w.files.FS.OpenNoFollow(name, true)
	if denied == nil {
		return first(w.redo(journal.New(file, w.size)), file.Close())
	}
	if !errors.Is(denied, fs.ErrPermission) {
		return denied
	}
	file, err := w.files.FS.OpenNoFollow(name, false)
	if err != nil {
		return denied
	}
	block, err := journal.New(file, w.size).Block()
	if block != nil {
		err = denied
	}
	return first(err, file.Close())
}

// redo applies the journal of a sharer, if it is complete, and empties it. The journal must be
// locked, or there must be no sharer; the locks of its chunks need not be held (Sharer, invariant
// 1).
func (p *slotWriter) redo(j *journal.Journal) error {
	block, whole, err := j.Read(storedOf, nil)
	if err == nil && block != nil {
		err = p.store.checkSharerBlock(j, block)
	}
	if err != nil {
		return err
	}
	if whole {
		if err := p.redoBlock(j, block); err != nil {
			return err
		}
	}
	return first(j.Clear(), j.Sync())
}

func (p *slotWriter) redoBlock(j *journal.Journal, block *journal.Block) error {
	s := p.store
	entries, err := s.notReplaced(block.Entries)
	if err != nil {
		return err
	}
	// The sharer may have died before its journal was durable (Sharer, invariant 3).
	if err := first(j.Sync(), s.files.syncNames()); err != nil {
		return err
	}
	image := func(e journal.Entry) ([]byte, error) {
		n, _ := storedOf(e.Table)
		buf := make([]byte, n)
		return buf, j.Image(e.Image, buf)
	}
	return p.applyUpdate(entries, image)
}

// checkSharerBlock checks the block of the journal of a sharer. The log has all its chunks: they
// were reserved before they were written.
func (s *Store) checkSharerBlock(j *journal.Journal, block *journal.Block) error {
	if block.Commit != -1 || len(block.Line) > 0 {
		return impossible(j, "commit %d, with a line of %d bytes, of a process that appends", block.Commit, len(block.Line))
	}
	for _, e := range block.Entries {
		if e.Image == journal.NoImage {
			return impossible(j, "chunk %d has no image", e.Number)
		}
	}
	if err := s.checkEntries(j, block); err != nil || s.files.Chunks == nil {
		return err
	}
	chunks, err := s.files.Chunks()
	if err != nil {
		return err
	}
	return checkNumbers(j, block, chunks)
}

// notReplaced returns the entries of a complete journal that are to be put in their places, or are
// there. The others have been replaced since: their sharer had emptied the journal and died before
// that was durable, so that a crash of the machine has brought it back.
func (s *Store) notReplaced(entries []journal.Entry) ([]journal.Entry, error) {
	var open []journal.Entry
	for _, e := range entries {
		promised, _ := chunktable.Decode(e.Table[:], e.Number)
		now, err := s.table.ReadEntry(e.Number)
		if err != nil && !errors.Is(err, state.ErrCorrupt) {
			return nil, err
		}
		if err != nil || now == promised || promised.Replaces(now) {
			open = append(open, e)
		}
	}
	return open, nil
}

// applyUpdate puts chunks that a journal has in their places, durably. image returns their stored
// bytes. The entries come first (invariant 4).
func (p *slotWriter) applyUpdate(entries []journal.Entry, image func(journal.Entry) ([]byte, error)) error {
	s := p.store
	for _, e := range entries {
		if err := p.cover(e.Number); err != nil {
			return err
		}
		if err := s.table.WriteBytes(e.Number, e.Table); err != nil {
			return err
		}
	}
	for _, e := range entries {
		buf, err := image(e)
		if err == nil {
			err = p.replaceSlot(e.Number, buf, p.writeData)
		}
		if err != nil {
			return err
		}
	}
	if s.files.Durability != None {
		if err := first(s.syncData(), s.table.SyncFile()); err != nil {
			return err
		}
	}
	chunks := make([]axial.Number, len(entries))
	for i, e := range entries {
		chunks[i] = e.Number
	}
	return s.table.Presence().Set(chunks)
}
