package drx

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"

	"drx/axial"
	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/state"
)

// recoverFromCrash completes or discards what a writer that died has left. (Recover is different:
// it saves chunks of a damaged array.) A commit that is complete in the journal counts: a writer
// moves it to its place, a reader reads its chunks from the journal. Changes that belong to no
// commit are removed by a writer and ignored by a reader.
func (a *Array) recoverFromCrash() error {
	if a.opts.Write && !a.opts.Shared {
		if err := a.writer.FinishSharers(); err != nil {
			return err
		}
	}
	commits, err := a.countCommits()
	if err != nil {
		return err
	}
	line, err := a.findCommit(commits)
	if err != nil && a.acceptsLoss(err) { // the journal is complete but contradicts the array
		line, err = nil, a.fsys.Remove(fileset.Journal(a.name))
	}
	if err != nil {
		return err
	}
	if a.fixed {
		return a.fix(line)
	}
	if err := a.replay(line); err != nil {
		return err
	}
	if err := a.openPresenceMap(); err != nil {
		return err
	}
	if err := a.checkJournaled(line); err != nil || !a.opts.Write {
		return err
	}
	if err := a.checkLog(line); err != nil {
		return err
	}
	if err := a.log.Tidy(a.opts.Durability != DurabilityNone); err != nil {
		return err
	}
	if err := a.syncRecovered(); err != nil {
		return err
	}
	a.unfinished = &unfinishedCommit{made: true, line: line, chunks: a.state.Load().Grid.Chunks()}
	if err := a.finishCommitLocked(); err != nil {
		return err
	}
	a.journaledLine = nil // the log has it now
	if err := a.writer.Trim(); err != nil || a.opts.Shared {
		return err
	}
	return a.blankAfterUnjournaled()
}

// fix sets the state to that after the commit of OpenAt. line is the line that the log lacks, from
// the journal, and nil if it lacks none.
func (a *Array) fix(line []byte) error {
	commit := a.fixedAt
	if commit > a.log.Commits() {
		if line == nil {
			return errkind.InFile(a.file.Name(), errkind.Errorf(ErrBounds, "no commit %d: there are 1 to %d", commit, a.log.Commits()))
		}
		if err := a.replay(line); err != nil {
			return err
		}
	}
	return a.pin(commit, a.end(a.journaledLine).Digits, a.quickHead)
}

// findCommit reads the journal beside a log with the given number of lines. If the journal has a
// commit whose line is not in the log, findCommit returns the line.
func (a *Array) findCommit(commits int) (line []byte, err error) {
	if a.opts.Write {
		return a.writer.Recover(commits)
	}
	return a.reader.Refresh(commits)
}

// checkJournaled returns an error if the last line of the log belongs to a commit that should be in
// the journal or in its place but is in neither, or whose new chunks have lost their entries. line
// is the result of findCommit.
func (a *Array) checkJournaled(line []byte) error {
	if err := a.unlessAccepted(a.store.Table().CheckAnnounced(a.end(line))); err != nil {
		return err
	}
	j := a.logged.Journaled
	if j == nil || line != nil || a.store.Unfinished() {
		return nil
	}
	return a.unlessAccepted(a.store.Table().CheckJournaled(fileset.Journal(a.name), *headOf(a.log), j.Chunks, j.Before, outsideBounds(a.logged)))
}

// checkLog returns an error if the log has lost its end: a writer would then overwrite data that
// can still be saved. line is the result of findCommit.
func (a *Array) checkLog(line []byte) error {
	now := a.end(line)
	err := a.store.Table().CheckLog(a.file.Name(), now, a.state.Load().Grid.Chunks())
	if err == nil {
		err = a.checkVersion()
	}
	if err != nil {
		return a.unlessAccepted(err)
	}
	if err = a.writer.AdoptHead(now); err == nil && a.opts.Shared && a.writer.Unjournaled() {
		err = errUnjournaled
	}
	return err
}

// errUnjournaled is returned to a process that shares the array if elements outside of the bounds
// must be set to the fill value, which only an exclusive writer can do.
var errUnjournaled = errors.New("a writer without journal died")

// checkVersion returns an error wrapping ErrCorrupt if the log is of version 1 but the presence map
// knows the log: a later commit, whose line is missing, has made the array one of version 2.
func (a *Array) checkVersion() error {
	if a.state.Load().Version >= state.PresenceVersion {
		return nil
	}
	head, known, err := fileset.PresenceHead(a.fsys, a.name)
	if err != nil || !known {
		return err
	}
	return errkind.Errorf(ErrCorrupt, "%s: lines at its end are missing: it has %d, %s knows of %d",
		a.file.Name(), a.log.Commits(), fileset.Presence(a.name), head.Commits)
}

// acceptsLoss reports whether an error is about lost data whose loss the caller accepts, see
// AcceptLoss.
func (a *Array) acceptsLoss(err error) bool {
	accepted := a.opts.acceptLoss && errors.Is(err, ErrCorrupt)
	a.lost = a.lost || accepted
	return accepted
}

// unlessAccepted returns nil for nil and for an error that acceptsLoss accepts. It adds to any
// other error what the user can do.
func (a *Array) unlessAccepted(err error) error {
	if err == nil || a.acceptsLoss(err) {
		return nil
	}
	return &fileset.Advice{
		Err: err, InPlace: true,
		Text: "recover what is left into another array, or give up what is lost and recover it in place",
	}
}

// countCommits returns the number of lines of the log. OpenAt reads only a part of the log, but the
// journal belongs to all of it. Damage after that part does not matter to OpenAt.
func (a *Array) countCommits() (int, error) {
	if !a.fixed {
		return a.log.Commits(), nil
	}
	all := *a.log
	_, err := all.ReadOn(a.logged, 0, nil)
	if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrVersion) {
		err = nil
	}
	return all.Commits(), err
}

// syncRecovered makes the recovered files durable. The previous writer may have been killed before
// it could do so, and later commits depend on them.
func (a *Array) syncRecovered() error {
	if a.opts.Durability == DurabilityNone {
		return nil
	}
	if err := a.file.Sync(); err != nil {
		return err
	}
	if err := a.writer.SyncJournal(); err != nil {
		return err
	}
	return a.fsys.SyncDir(filepath.Dir(a.name))
}

// replay sets the state to that of the log followed by line, a further line from the journal; nil
// for none.
func (a *Array) replay(line []byte) error {
	state := a.logged
	if line != nil {
		var err error
		if state, err = a.log.Replay(state, line); err != nil {
			return err
		}
	}
	if err := a.store.CheckJournal(state.Grid.Chunks()); err != nil {
		return err
	}
	a.state.Store(state)
	a.committed, a.journaledLine = state, bytes.Clone(line)
	return nil
}

// blankAfterUnjournaled sets elements outside of the bounds to the fill value if a writer without
// journal has died: it may have written elements beyond the bounds of the last commit. It then
// records whether this writer uses the journal.
func (a *Array) blankAfterUnjournaled() error {
	if a.opts.acceptLoss {
		return nil
	}
	if a.writer.Unjournaled() {
		if err := a.loseVersions(); err != nil { // first: blankOutsideBounds commits
			return err
		}
		if err := a.blankOutsideBounds(context.Background()); err != nil {
			return err
		}
		if err := a.sync(); err != nil {
			return err
		}
	}
	return a.writer.SetUnjournaled(a.opts.Durability != DurabilityFull, *headOf(a.log))
}

// loseVersions has the next commit begin a new history: a writer without journal that died, or a
// commit that the log has lost, may have overwritten chunks that are within the bounds of earlier
// commits, or cleared them. Later commits get the numbers of theirs, and nothing would show that.
func (a *Array) loseVersions() error {
	if a.state.Load().ID == "" {
		return nil // the next commit identifies the array
	}
	return a.precede(identify())
}

// blankOutsideBounds makes the written chunks agree with the bounds. It sets elements outside of
// the bounds to the fill value, makes chunks that are completely outside unwritten, and rewrites
// chunks of commits that the log lacks, so that they belong to the next commit. It commits after
// every acceptBatch bytes, which bounds the journal.
func (a *Array) blankOutsideBounds(ctx context.Context) error {
	s := a.state.Load()
	c := newClip(s)
	buf := make([]byte, s.ChunkBytes)
	var rewritten int64
	var outside []axial.Number
	err := a.store.Each(s.Grid.Chunks(), func(q axial.Number, entry error) error {
		if err := ctx.Err(); err != nil || entry != nil {
			return err // damaged entries are skipped: reading the chunk reports them
		}
		s.Grid.Index(q, c.index)
		whole := c.clipChunk()
		if c.outside() {
			outside = append(outside, q)
			return nil
		}
		if future, err := a.store.OfLostCommit(q); err != nil || whole && !future {
			return err
		}
		if err := a.store.Check(q, buf); err != nil {
			if errors.Is(err, ErrCorrupt) {
				err = nil // reading the chunk reports the damage, even after the array has grown
			}
			return err
		}
		c.blankOutside(buf)
		if err := a.committer.Write(q, buf); err != nil {
			return err
		}
		if rewritten += int64(len(buf)); rewritten < acceptBatch {
			return nil
		}
		rewritten = 0
		return a.sync()
	})
	if err != nil {
		return err
	}
	return a.writer.Clear(outside)
}

// acceptBatch is the number of bytes that blankOutsideBounds rewrites between two commits. Tests
// change it.
var acceptBatch int64 = 64 << 20
