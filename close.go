package drx

import "cmp"

// Close commits all changes, as Sync does, and closes the files. If the commit fails, the array is closed all
// the same, as by Discard, and its files hold the last commit that succeeded or the whole of the failed one. A
// second Close returns ErrClosed.
func (a *Array) Close() error {
	return a.closeFiles("close", func() (keepJournal bool, err error) {
		if !a.opts.Write {
			return true, nil
		}
		if err := a.sync(); err != nil {
			keepJournal, _ = a.abandon()
			return keepJournal, err
		}
		if a.opts.Shared {
			return false, nil
		}
		return false, a.writer.SetUnjournaled(false, *headOf(a.log))
	})
}

// Discard closes the files without a commit. The changes since the last Sync are lost, and the space that they
// took in the files, and in the journal, is given back. What is durable already remains: sections returned by
// Reserve, chunks shared with other processes, and a commit that a Sync has made but could not complete. The
// error is the file system's, or wraps ErrClosed; the array is then as if the program had died, and the next
// writer gives the space back.
func (a *Array) Discard() error {
	return a.closeFiles("discard", a.abandon)
}

// abandon gives back the space of what is not committed, before the files are closed. It reports whether the
// journal must stay as it is.
func (a *Array) abandon() (keepJournal bool, err error) {
	if a.committer == nil || a.opts.acceptLoss || a.unfinishedCompact != nil {
		return true, nil
	}
	if u := a.unfinished; u != nil && !u.made {
		_ = a.finishCommitLocked() // takes it back; if that fails it remains
	}
	if a.unfinished != nil {
		return true, nil
	}
	err = a.committer.Abandon()
	return err != nil, err
}

// closeFiles calls last, which holds all locks, and then closes the files, whether or not last fails. keepJournal
// says that the journal must stay as it is.
func (a *Array) closeFiles(op string, last func() (keepJournal bool, err error)) error {
	a.changesMu.Lock()
	defer a.changesMu.Unlock()
	a.filesMu.Lock()
	defer a.filesMu.Unlock()
	if !a.open {
		return a.errorf(op, ErrClosed)
	}
	a.open = false
	keepJournal, err := last()
	return a.errorf(op, cmp.Or(err, a.store.Close(keepJournal), a.file.Close()))
}
