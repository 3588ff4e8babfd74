package drx

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"drx/internal/chunktable"
	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/remote"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/nd"
)

// Sync makes all changes so far durable, and visible to everybody who opens or refreshes the array.
// docs/ARCHITECTURE.md describes the order of its writes. If Sync returns an error, the changes are
// kept and the next Sync tries again; until then others see either the whole commit or none of it.
// The error is the file system's, or wraps ErrReadOnly or ErrClosed.
func (a *Array) Sync() error {
	done, err := a.begin("sync", true)
	if err != nil {
		return err
	}
	defer done()
	if err := a.endSharing(); err != nil {
		return a.errorf("sync", err)
	}
	return a.errorf("sync", a.sync())
}

// endSharing has Sync make a commit that a reader can pin if processes that shared the array have
// made the last one. Close alone does not: that changes nothing without need.
func (a *Array) endSharing() error {
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	if a.opts.Shared || a.opts.acceptLoss || !a.state.Load().Shared {
		return nil
	}
	return a.precede(state.Record{Shared: new(state.Shared)})
}

// sync commits. The order of its steps makes a crash harmless: nothing of the last commit changes
// until the new commit counts, by the journal or the log; and once it counts by the journal,
// whoever opens the array for writing completes it.
func (a *Array) sync() error {
	a.commitMu.Lock()
	defer a.commitMu.Unlock()
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	if err := a.checkOutrun(); err != nil {
		return err
	}
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
	journaled := a.committer.Changed()
	if a.writer != nil {
		if err := a.writer.Announce(line); err != nil {
			return err
		}
	}
	a.unfinished = &unfinishedCommit{chunks: a.state.Load().Grid.Chunks()}
	if journaled {
		err = a.committer.Journal(commits, line)
		a.unfinished.unsynced = line // the journal vouches for it until Apply has synced the log
	}
	if err == nil {
		err = a.log.AppendLine(line, a.opts.Durability != DurabilityNone && !journaled)
	}
	if err != nil {
		_ = a.finishCommitLocked() // undoes the commit; if that fails, the next change tries again
		return err
	}
	a.unfinished.made, a.pending = true, nil
	a.committed = a.state.Load()
	a.overwrote.Store(false)
	if err := a.finishCommitLocked(); err != nil {
		return err
	}
	a.checkpoint()
	return nil
}

// checkpoint renews the checkpoint of a log that has become long. Without one, or after an error,
// only opening the array takes longer, so errors do not matter.
func (a *Array) checkpoint() {
	if a.writer != nil && a.log.Size() >= max(a.nextCheckpoint, metalog.CheckpointEvery) {
		a.nextCheckpoint, _ = fileset.RenewCheckpoint(a.fsys, a.name, a.file, a.log.Commits())
	}
}

// checkOutrun returns an error wrapping ErrFenced if another writer has replaced this one, where
// locks alone do not exclude that.
func (a *Array) checkOutrun() error {
	if !a.system.LocalLocks {
		return nil
	}
	if err := remote.Confirm(a.file); err != nil {
		return err
	}
	if outrun, err := a.log.IsOutrun(); err != nil || !outrun || a.unfinished != nil {
		return err
	}
	return remote.Fence(a.file)
}

// records returns the records of the next commit: the pending ones and, before them if the commit
// uses the journal, a record with the number of chunks in the journal. A commit that changes chunks
// only has a line, too, so that a number belongs to what readers see then. Without the journal the
// record Shared says that chunks may have changed.
func (a *Array) records() []state.Record {
	switch {
	case a.committer.Changed():
		return append([]state.Record{{Journal: &state.Journal{Chunks: a.writer.Replaced(), Appended: a.hasAppendedOnly()}}}, a.pending...)
	case a.writer != nil && a.writer.Uncommitted() && (len(a.pending) == 0 || a.opts.Durability != DurabilityFull):
		return append(slices.Clone(a.pending), state.Record{Shared: new(state.Shared)})
	}
	return a.pending
}

// upgrade gives an array of before what it lacks with its next commit: a presence map, so that one
// of version 1 becomes one of version 2, and an identity. A process that shares the array does none
// of this.
func (a *Array) upgrade() error {
	s := a.state.Load()
	if a.opts.Shared || len(a.pending) == 0 && !a.writer.Uncommitted() {
		return nil
	}
	if s.ID == "" {
		if err := a.precede(identify()); err != nil {
			return err
		}
	}
	if s.HasPresenceMap() {
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

// upgradeNow makes an array of version 1 one of version 2, with a commit. There must be nothing
// else to commit.
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

// addFormatRecord puts the record that makes the array one of version 2 before the other pending
// records.
func (a *Array) addFormatRecord() error {
	return a.precede(state.Record{Format: &state.Format{Version: state.PresenceVersion}})
}

// identify returns the record of a new identity, see state.Identity.
func identify() state.Record {
	return state.Record{Identity: &state.Identity{ID: state.NewID()}}
}

// precede puts a record before the other pending records.
func (a *Array) precede(r state.Record) error {
	s, err := a.state.Load().Apply(r)
	if err != nil {
		return err
	}
	a.pending = append([]state.Record{r}, a.pending...)
	a.state.Store(s)
	return nil
}

// finishCommit completes an unfinished commit, if there is one.
func (a *Array) finishCommit() error {
	a.commitMu.Lock()
	defer a.commitMu.Unlock()
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	return a.finishCommitLocked()
}

// finishCommitLocked is finishCommit for a caller that holds a.commitMu and a.stateMu. A commit
// that counts is completed: its line is appended to the log, and the journal's contents go to their
// places. (Without a journal the line makes the commit count.) A commit that does not count is
// undone: first its line, then the journal, which has the line too.
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
	if u.dropped {
		if err := a.log.WriteAgain(u.unsynced); err != nil {
			return err
		}
	}
	if err := a.committer.Apply(); err != nil {
		u.dropped = len(u.unsynced) > 0
		return err
	}
	u.unsynced = nil
	a.store.SetCommitted(u.chunks, a.log.Commits())
	head := headOf(a.log)
	// Reserve writes the head, under the log's lock; AcceptLoss writes it after the repair.
	if a.opts.Shared || a.opts.acceptLoss {
		head = nil
	}
	if err := a.committer.Finish(head); err != nil {
		return err
	}
	a.unfinished = nil
	return nil
}

// finishCompact completes an earlier Compact.
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

// addPresenceMap durably adds a presence map to an array without one. If head is not nil, the map
// stores it.
func (a *Array) addPresenceMap(head *chunktable.Head) error {
	file, err := vfs.CreateLike(a.fsys, fileset.Presence(a.name), a.file)
	if errors.Is(err, fs.ErrExist) { // left by a writer that died in addPresenceMap
		file, err = a.fsys.OpenNoFollow(fileset.Presence(a.name), true)
	}
	if err != nil {
		return err
	}
	if err := a.writer.AddPresence(file, head); err != nil {
		_ = file.Close()
		return err
	}
	return a.syncDir()
}

// syncDir makes the names of the array's files durable.
func (a *Array) syncDir() error {
	if a.opts.Durability == DurabilityNone {
		return nil
	}
	return a.fsys.SyncDir(filepath.Dir(a.name))
}

// openPresenceMap opens the presence map for a writer if the log alone does not say that there is
// one, because the commit that made the array one of version 2 is in the journal.
func (a *Array) openPresenceMap() error {
	if !a.opts.Write || a.opts.acceptLoss || a.store.HasPresence() || a.state.Load().Version < state.PresenceVersion {
		return nil
	}
	file, err := a.fsys.OpenNoFollow(fileset.Presence(a.name), true)
	if err == nil {
		a.store.Table().SetPresence(file)
	}
	return err
}

// Close commits all changes, as Sync does, and closes the files. If the commit fails, the array is
// closed anyway, as by Discard, and its files hold the last successful commit or the whole of the
// failed one. A second Close returns ErrClosed.
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

// Discard closes the files without a commit. The changes since the last Sync are lost, and the
// space that they took in the files, and in the journal, is freed. What is durable already remains:
// sections returned by Reserve, chunks shared with other processes, and a commit that a Sync has
// made but could not complete. The error is the file system's, or wraps ErrClosed; the array is
// then as if the program had died, and the next writer frees the space.
func (a *Array) Discard() error {
	return a.closeFiles("discard", a.abandon)
}

// abandon frees the space of uncommitted changes, before the files are closed. It reports whether
// the journal must stay unchanged.
func (a *Array) abandon() (keepJournal bool, err error) {
	if a.committer == nil || a.opts.acceptLoss || a.unfinishedCompact != nil {
		return true, nil
	}
	if u := a.unfinished; u != nil && !u.made {
		_ = a.finishCommitLocked() // undoes it; if that fails it remains
	}
	if a.unfinished != nil {
		return true, nil
	}
	err = a.committer.Abandon()
	return err != nil, err
}

// closeFiles calls last, with all locks held, and then closes the files, whether or not last fails.
// last reports whether the journal must stay unchanged.
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

// appends reports whether a section is outside of the bounds of the last commit. The caller holds
// commitMu.
func (a *Array) appends(sec nd.Section) bool {
	if a.committed == nil {
		return false
	}
	for d, r := range sec {
		lo, hi := 0, 1 // elements have index 0 in dimensions that were added
		if d < len(a.committed.Lo) {
			lo, hi = a.committed.Lo[d], a.committed.Hi[d]
		}
		if r.Hi <= lo || r.Lo >= hi {
			return true
		}
	}
	return false
}

// hasAppendedOnly reports whether the elements of the last commit are surely unchanged in all
// chunks of the next one. The caller holds commitMu.
func (a *Array) hasAppendedOnly() bool {
	return !a.overwrote.Load() && !a.opts.Shared && !a.opts.acceptLoss && a.writer != nil && a.chunks.Writer == a.writer
}
