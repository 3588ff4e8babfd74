package drx

// Close commits what was changed, as Sync does, and closes the files. After an error of
// the commit the array is closed all the same, as it was at the last Sync that returned
// nil or with that commit as a whole. A second Close returns ErrClosed.
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
	return a.end("close", !a.write, commit)
}

// Discard closes the files without committing: what was changed since the last Sync is gone,
// as if the program had died, but that the space of new chunks is given back. What is durable already stays: sections that Reserve
// made, chunks shared with other processes, and a commit that a Sync could not finish. The
// error is the file system's, or wraps ErrClosed.
func (a *Array) Discard() error {
	return a.end("discard", true, func() error {
		if a.unfinished == nil && a.write {
			a.store.Abandon()
		}
		return nil
	})
}

// end closes the files after a last step; keep says to leave the journal as it is.
func (a *Array) end(op string, keep bool, last func() error) error {
	a.gate.Lock()
	defer a.gate.Unlock()
	a.life.Lock()
	defer a.life.Unlock()
	if !a.open {
		return a.errorf(op, ErrClosed)
	}
	a.open = false
	err := last()
	for _, closeErr := range []error{a.store.Close(keep), a.file.Close()} {
		if err == nil {
			err = closeErr
		}
	}
	return a.errorf(op, err)
}
