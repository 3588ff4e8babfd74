package chunkstore

import (
	"drx/internal/chunktable"
	"drx/internal/journal"
	"drx/internal/vfs"
)

// Recover searches the journal of a writer that died for a commit for a log of commits lines. It
// returns the line that the log lacks, nil when it lacks none. The caller appends the line, and
// then calls Apply.
func (w *Writer) Recover(commits int) (line []byte, err error) {
	j, block, err := w.findCommit(commits, true, func() (bool, error) { return true, nil })
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commits = int64(commits)
	w.unclean = w.unclean || j != nil
	w.journalDirty = j != nil
	return w.adopt(j, block, commits, false), nil
}

// SyncJournal makes the commit that Recover has found in the journal durable, before Apply changes
// anything.
func (w *Writer) SyncJournal() error {
	if !w.Unfinished() {
		return nil
	}
	return w.journal.Sync()
}

// Trim removes what a writer that died left behind: a journal that is out of date, and chunks, with
// their entries, that no commit has. It must be called before anything is written: the numbers of
// these chunks will be used again.
func (w *Writer) Trim() error {
	if w.journal != nil {
		if err := w.clearJournal(); err != nil {
			return err
		}
	}
	w.table.Forget()
	if err := w.table.Presence().Truncate(w.committed, w.files.Durability != None); err != nil {
		return err
	}
	// Chunks of a writer that was killed may not be durable: the next commit syncs them.
	w.wrote.Store(true)
	if _, err := cut(w.files.Data, int64(w.OffsetOf(w.committed))); err != nil {
		return err
	}
	if w.files.Durability != None {
		// A crash must not bring it back longer than the table, see chunktable.Table.Covered.
		if err := w.syncData(); err != nil {
			return err
		}
	}
	_, err := cut(w.files.Table, int64(w.committed)*chunktable.EntrySize)
	return err
}

// cut shortens a file that is longer than size, and reports whether it was.
func cut(file vfs.File, size int64) (was bool, err error) {
	now, err := file.Size()
	if err != nil || now <= size {
		return false, err
	}
	return true, file.Truncate(size)
}

// AddPresence gives the store of an array that has none a presence map in a file, which has,
// durably, the presence bytes of all committed chunks in the table. Changes must be in the table,
// see Prepare. head, which describes the log, may be nil.
func (w *Writer) AddPresence(file vfs.File, head *chunktable.Head) error {
	w.mu.Lock()
	committed := w.committed
	w.mu.Unlock()
	if err := w.table.AddPresence(file, head, committed, w.files.Durability != None); err != nil {
		return err
	}
	if head != nil {
		w.head, w.unjournaled = *head, head.Unjournaled
	}
	return nil
}

// EmptyJournal makes durable that the journal, if there is one, is empty. There must be nothing to
// commit or to apply.
func (w *Writer) EmptyJournal() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.journal == nil {
		return nil
	}
	return w.clearJournal()
}

// openJournal makes sure that there is a journal, and that its name is durable: the process that
// created it may have died before it made it so. The lock of the store must be held.
func (w *Writer) openJournal() error {
	if w.journal == nil {
		file, err := w.files.create(w.files.Journal)
		if err != nil {
			return err
		}
		w.journal = journal.New(file, w.size)
	}
	if w.journalNamed {
		return nil
	}
	if err := w.files.syncNames(); err != nil {
		return err
	}
	w.journalNamed = true
	return nil
}

// clearJournal empties the journal and makes that durable, unless that is done already.
func (w *Writer) clearJournal() error {
	if !w.journalDirty {
		return nil
	}
	if err := w.journal.Clear(); err != nil {
		return err
	}
	if w.files.Durability != None {
		if err := w.journal.Sync(); err != nil {
			return err
		}
	}
	w.journalDirty = false
	return nil
}

// removeJournal empties, closes and removes the journal. It stays where caches may be old.
func (w *Writer) removeJournal() error {
	if w.journal == nil {
		return nil
	}
	j := w.journal
	err := w.clearJournal()
	w.journal, w.journalNamed = nil, false
	err = first(err, j.Close())
	if w.files.Stale { // others may have it open, and a server might confuse it with a later one
		return err
	}
	return first(err, w.files.FS.Remove(w.files.Journal))
}

// closeJournal closes the journal, and removes it if it is empty, unless keep says to leave it.
func (w *Writer) closeJournal(keep bool) error {
	if w.journal == nil {
		return nil
	}
	if keep || w.block != nil || len(w.overlay.of) > 0 {
		return w.journal.Close()
	}
	return w.removeJournal()
}
