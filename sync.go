package drx

import (
	"drx/internal/state"
)

// Sync makes all changes so far durable, and visible to everybody who opens or refreshes the array. In which order
// it writes is in docs/ARCHITECTURE.md. If Sync returns an error, the changes are
// kept and the next Sync tries again; until then others see either the whole commit or none of it. The error is
// the file system's, or wraps ErrReadOnly or ErrClosed.
func (a *Array) Sync() error {
	done, err := a.begin("sync", true)
	if err != nil {
		return err
	}
	defer done()
	return a.errorf("sync", a.sync())
}

// sync commits. The order of its steps makes a crash harmless: nothing of the last commit changes until the new
// commit is made, in the journal or in the log; and once it is made in the journal, whoever opens the array for
// writing completes it.
func (a *Array) sync() error {
	a.commitMu.Lock()
	defer a.commitMu.Unlock()
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	if err := a.finishCompact(); err != nil {
		return err
	}
	if err := a.finishCommitLocked(); err != nil {
		return err
	}
	if err := a.pool.Flush(); err != nil {
		return err
	}
	if err := a.committer.Prepare(); err != nil {
		return err
	}
	if err := a.upgrade(); err != nil {
		return err
	}
	line, err := a.log.Line(a.records())
	if err != nil {
		return err
	}
	commits := a.log.Commits()
	if line != nil {
		commits++
	}
	if a.writer != nil {
		if err := a.writer.Announce(line); err != nil {
			return err
		}
	}
	a.unfinished = &unfinishedCommit{chunks: a.state.Load().Grid.Chunks()}
	if a.committer.Changed() {
		err = a.committer.Journal(commits, line)
	}
	if err == nil {
		err = a.log.AppendLine(line, a.opts.Durability != DurabilityNone)
	}
	if err != nil {
		_ = a.finishCommitLocked() // takes the commit back; if that fails, the next change tries again
		return err
	}
	a.unfinished.made, a.pending = true, nil
	return a.finishCommitLocked()
}

// records returns the records of the next commit: the pending ones and, before them if the commit uses the
// journal, a record with the number of chunks in the journal.
func (a *Array) records() []state.Record {
	if len(a.pending) == 0 || !a.committer.Changed() {
		return a.pending
	}
	return append([]state.Record{{Journal: &state.Journal{Chunks: a.writer.Replaced()}}}, a.pending...)
}

// upgrade makes an array of version 1 one of version 2 with its next commit: it creates a presence map and adds
// a record to the commit. A process that shares the array does not upgrade it.
func (a *Array) upgrade() error {
	s := a.state.Load()
	if s.HasPresenceMap() || a.opts.Shared || (len(a.pending) == 0 && !a.writer.Uncommitted()) {
		return nil
	}
	if a.store.HasPresence() { // an earlier attempt created the map
		if err := a.syncDir(); err != nil {
			return err
		}
	} else if err := a.addPresenceMap(nil); err != nil {
		return err
	}
	return a.addFormatRecord()
}

// upgradeNow makes an array of version 1 one of version 2, with a commit. There must be nothing else to commit.
func (a *Array) upgradeNow() error {
	if a.state.Load().HasPresenceMap() {
		return nil
	}
	if !a.store.HasPresence() {
		if err := a.addPresenceMap(nil); err != nil {
			return err
		}
	}
	if err := a.addFormatRecord(); err != nil {
		return err
	}
	return a.sync()
}

// addFormatRecord puts the record that makes the array one of version 2 before the other pending records.
func (a *Array) addFormatRecord() error {
	r := state.Record{Format: &state.Format{Version: state.PresenceVersion}}
	s, err := a.state.Load().Apply(r)
	if err != nil {
		return err
	}
	a.pending = append([]state.Record{r}, a.pending...)
	a.state.Store(s)
	return nil
}

// rlockCommit acquires a.commitMu shared, for an operation that changes chunks. It first completes an
// unfinished commit, because nothing that the commit contains may change before it is certain and in place.
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

// beginChunkChange begins an operation that changes chunks, as begin and rlockCommit do, but leaves it to the caller
// to name the operation in the error. After success the caller must call endChunkChange.
func (a *Array) beginChunkChange() error {
	a.changesMu.RLock()
	err := a.rlockFiles(true)
	if err == nil {
		if err = a.rlockCommit(); err == nil {
			return nil
		}
		a.filesMu.RUnlock()
	}
	a.changesMu.RUnlock()
	return err
}

// beginChunkAccess begins an operation that changes chunks or, if change is false, only reads them.
func (a *Array) beginChunkAccess(op string, change bool) (done func(), err error) {
	if !change {
		return a.begin(op, false)
	}
	return a.endChunkChange, a.errorf(op, a.beginChunkChange())
}

// endChunkChange releases the locks of beginChunkChange.
func (a *Array) endChunkChange() {
	a.commitMu.RUnlock()
	a.filesMu.RUnlock()
	a.changesMu.RUnlock()
}

// finishCommit completes an unfinished commit, if there is one.
func (a *Array) finishCommit() error {
	a.commitMu.Lock()
	defer a.commitMu.Unlock()
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	return a.finishCommitLocked()
}

// finishCommitLocked is finishCommit for a caller that holds a.commitMu and a.stateMu. A commit that is made is
// completed: its line is appended to the log, and the journal's contents go to their places. (Without a journal
// the line makes the commit.) A commit that is not made is taken back: first its line, then the journal, which
// has the line too.
func (a *Array) finishCommitLocked() error {
	u := a.unfinished
	if u == nil {
		return nil
	}
	if !u.made {
		if err := a.log.Tidy(a.opts.Durability != DurabilityNone); err != nil {
			return err
		}
		if err := a.committer.Retract(); err != nil {
			return err
		}
		a.unfinished = nil
		return nil
	}
	if err := a.log.AppendLine(u.line, a.opts.Durability != DurabilityNone); err != nil {
		return err
	}
	u.line = nil
	if err := a.committer.Apply(); err != nil {
		return err
	}
	a.store.SetCommitted(u.chunks, a.log.Commits())
	head := headOf(a.log)
	if a.opts.Shared || a.opts.acceptLoss { // Reserve writes the head, under the log's lock; AcceptLoss after the repair
		head = nil
	}
	if err := a.committer.Finish(head); err != nil {
		return err
	}
	a.unfinished = nil
	return nil
}

// finishCompact does what an earlier Compact left undone.
func (a *Array) finishCompact() error {
	if a.unfinishedCompact == nil {
		return nil
	}
	if err := a.unfinishedCompact(); err != nil {
		return err
	}
	a.unfinishedCompact = nil
	return nil
}
