package drx

// Close commits all changes, as Sync does, and closes the files. If the commit fails, the array is closed all
// the same, and its files hold the last commit that succeeded or the whole of the failed one. A second Close
// returns ErrClosed.
func (a *Array) Close() error {
	commit := func() error { return nil }
	if a.write {
		commit = func() error {
			if err := a.sync(); err != nil || a.shared {
				return err
			}
			return a.writer.SetUnjournaled(false, *headOf(a.log))
		}
	}
	return a.closeFiles("close", !a.write, commit)
}

// Discard closes the files without a commit. The changes since the last Sync are lost, as if the program had
// died, but the space of new chunks is given back. What is durable already remains: sections returned by
// Reserve, chunks shared with other processes, and a commit that a Sync could not complete. The error is the
// file system's, or wraps ErrClosed.
func (a *Array) Discard() error {
	return a.closeFiles("discard", true, func() error {
		if a.unfinished == nil && a.write {
			a.store.Abandon()
		}
		return nil
	})
}

// closeFiles calls last and then closes the files, whether or not last fails. keepJournal says that the journal
// must stay as it is.
func (a *Array) closeFiles(op string, keepJournal bool, last func() error) error {
	a.changesMu.Lock()
	defer a.changesMu.Unlock()
	a.filesMu.Lock()
	defer a.filesMu.Unlock()
	if !a.open {
		return a.errorf(op, ErrClosed)
	}
	a.open = false
	err := last()
	for _, closeErr := range []error{a.store.Close(keepJournal), a.file.Close()} {
		if err == nil {
			err = closeErr
		}
	}
	return a.errorf(op, err)
}
