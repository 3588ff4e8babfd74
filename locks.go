package drx

import "drx/internal/remote"

// begin starts an operation. It checks that the array is open, and open for writing if write is
// true, and keeps the files open until done is called. While a writing operation runs, Compact,
// Refresh and Close wait.
func (a *Array) begin(op string, write bool) (done func(), err error) {
	if !write {
		return a.filesMu.RUnlock, a.errorf(op, a.rlockFiles(false))
	}
	a.changesMu.RLock()
	if err := a.rlockFiles(true); err != nil {
		a.changesMu.RUnlock()
		return nil, a.errorf(op, err)
	}
	return func() {
		a.filesMu.RUnlock()
		a.changesMu.RUnlock()
	}, nil
}

// rlockFiles acquires a.filesMu shared. It returns ErrClosed or, if write is true, ErrReadOnly, or
// ErrFenced for a writer that was replaced, and then does not hold the lock.
func (a *Array) rlockFiles(write bool) error {
	a.filesMu.RLock()
	var err error
	switch {
	case !a.open:
		err = ErrClosed
	case write && !a.opts.Write:
		err = ErrReadOnly
	case a.system.LocalLocks && a.opts.Write:
		err = remote.Confirm(a.file)
	}
	if err == nil {
		return nil
	}
	a.filesMu.RUnlock()
	return err
}

// rlockCommit acquires a.commitMu shared, for an operation that changes chunks. It first completes
// an unfinished commit, because nothing that the commit contains may change before it is certain
// and in place.
func (a *Array) rlockCommit() error {
	for {
		a.commitMu.RLock()
		if a.unfinished == nil {
			return nil
		}
		a.commitMu.RUnlock()
		if err := a.finishCommit(); err != nil {
			return err
		}
	}
}

// beginChunkChange is lockChunkChange for an operation that may change elements of the last commit.
func (a *Array) beginChunkChange() error {
	err := a.lockChunkChange()
	if err == nil {
		a.overwrote.Store(true)
	}
	return err
}

// lockChunkChange begins an operation that changes chunks, as begin and rlockCommit do, but the
// caller adds the name of the operation to the error. After success the caller must call
// endChunkChange.
func (a *Array) lockChunkChange() error {
	a.changesMu.RLock()
	err := a.rlockFiles(true)
	if err == nil {
		if err = a.announceSharing(); err == nil {
			err = a.rlockCommit()
		}
		if err == nil {
			return nil
		}
		a.filesMu.RUnlock()
	}
	a.changesMu.RUnlock()
	return err
}

// beginAccess begins an operation that changes chunks or, if change is false, only reads them.
// After success the caller must call endAccess.
func (a *Array) beginAccess(change bool) error {
	if change {
		return a.beginChunkChange()
	}
	return a.rlockFiles(false)
}

// endAccess releases the locks of beginAccess.
func (a *Array) endAccess(change bool) {
	if change {
		a.endChunkChange()
	} else {
		a.filesMu.RUnlock()
	}
}

// endChunkChange releases the locks of beginChunkChange.
func (a *Array) endChunkChange() {
	a.commitMu.RUnlock()
	a.filesMu.RUnlock()
	a.changesMu.RUnlock()
}
