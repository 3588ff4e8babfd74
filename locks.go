package drx

import (
	"cmp"

	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/remote"
	"drx/internal/state"
	"drx/nd"
)

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

// announceSharing commits a line that says that processes share the array, unless the last one
// does, before this process changes its first chunk. Entries of chunks that they change have the
// number of a later commit than that of the line, but perhaps of one that the log has already.
func (a *Array) announceSharing() error {
	if !a.opts.Shared || a.announced.Load() {
		return nil
	}
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	if err := fileset.LockSoon(a.file); err != nil {
		return err
	}
	before, err := a.readReservations(false)
	if err == nil {
		_, err = a.announceLocked(before)
	}
	return cmp.Or(err, a.file.Unlock())
}

// announceLocked is announceSharing for the last state of the log, whose lock the caller holds. It
// returns the state after it.
func (a *Array) announceLocked(s *state.State) (*state.State, error) {
	if s.ID != "" && !s.Shared {
		r := state.Record{Shared: &state.Shared{Shared: true}}
		after, err := s.Apply(r)
		if err == nil {
			err = a.log.Append([]state.Record{r}, a.opts.Durability != DurabilityNone)
		}
		if err != nil {
			return nil, err
		}
		s = after
	}
	a.logged = s
	a.state.Store(s)
	a.store.SetCommitted(s.Grid.Chunks(), a.log.Commits())
	a.announced.Store(true)
	return s, a.committer.Finish(headOf(a.log))
}

// readReservations reads the new lines of the log and returns the state after them. If keyed is set
// it also collects all keys; they are not part of the state, because few programs need them.
func (a *Array) readReservations(keyed bool) (*state.State, error) {
	if a.keys == nil && keyed {
		keys := map[string]reservation{}
		if _, _, err := metalog.ReadLogTo(a.file, 0, noteKeys(keys)); err != nil {
			return nil, err
		}
		a.keys = keys
	}
	if a.keys == nil {
		return a.log.ReadOn(a.logged, 0, nil)
	}
	return a.log.ReadOn(a.logged, 0, noteKeys(a.keys))
}

// noteKeys returns a function for metalog.Log.ReadOn that records the reservations with a key.
func noteKeys(keys map[string]reservation) func(commit int, r state.Record, s *state.State) {
	key := ""
	return func(_ int, r state.Record, s *state.State) {
		switch {
		case r.Reserve != nil:
			key = r.Reserve.Key
			return
		case r.Extend != nil && key != "":
			sec := nd.Box(s.Lo, s.Hi)
			d, by := r.Extend.Dim, r.Extend.By
			if r.Extend.Low {
				sec[d].Hi = sec[d].Lo + by
			} else {
				sec[d].Lo = sec[d].Hi - by
			}
			keys[key] = reservation{*r.Extend, sec}
		}
		key = ""
	}
}
