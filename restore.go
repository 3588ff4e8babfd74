package drx

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"drx/axial"
	"drx/internal/fileset"
	"drx/internal/state"
)

// recover makes good what a writer left behind that died. A commit that is whole in the
// journal counts: a writer finishes it, a reader reads the chunks from there. What is not
// part of a commit is removed by a writer and not looked at by a reader.
func (a *Array) recover() error {
	if a.write && !a.shared {
		if err := a.writer.FinishSharers(); err != nil {
			return err
		}
	}
	commits, err := a.commitsNow()
	if err != nil {
		return err
	}
	line, err := a.findCommit(commits)
	if err != nil && a.accepts(err) { // the journal is whole but cannot be
		line, err = nil, a.fsys.Remove(fileset.Journal(a.name))
	}
	if err != nil || a.fixed {
		return err
	}
	if err := a.replay(line); err != nil {
		return err
	}
	if err := a.openPresence(); err != nil {
		return err
	}
	if err := a.checkJournaled(line); err != nil || !a.write {
		return err
	}
	if err := a.checkLog(line); err != nil {
		return err
	}
	if err := a.log.Tidy(a.durability != DurabilityNone); err != nil {
		return err
	}
	if err := a.secure(); err != nil {
		return err
	}
	a.unfinished = &unfinished{made: true, line: line, chunks: a.state.Load().Grid.Chunks()}
	if err := a.finish(); err != nil {
		return err
	}
	if err := a.writer.Trim(); err != nil || a.shared {
		return err
	}
	return a.blankUnjournaled()
}

// findCommit returns the line of a commit in the journal that a log of so many lines lacks.
func (a *Array) findCommit(commits int) (line []byte, err error) {
	if a.write {
		return a.writer.Recover(commits)
	}
	return a.reader.Refresh(commits)
}

// checkJournaled returns an error when the last line of the log is of a commit that should be in the
// journal, or in its place, and is neither. line is what the log lacks and the journal has.
func (a *Array) checkJournaled(line []byte) error {
	j := a.logged.Journaled
	if j == nil || line != nil || a.store.Unfinished() {
		return nil
	}
	outside := outsideBounds(a.logged)
	err := a.store.CheckJournaled(*headOf(a.log), j.Chunks, j.Before, outside)
	if err != nil && !a.accepts(err) {
		return fmt.Errorf("%w; copy what is left with drx recover, or give up what is lost with drx recover --in-place", err)
	}
	return nil
}

// checkLog returns an error when the log has lost its end: what a writer would do next would take
// the place of what can still be saved. line is what the log lacks and the journal has.
func (a *Array) checkLog(line []byte) error {
	now := *headOf(a.log)
	if line != nil {
		now.Commits++
		copy(now.Digits[:], line)
	}
	err := a.store.CheckLog(a.file.Name(), now, a.state.Load().Grid.Chunks())
	if err == nil {
		err = a.checkVersion()
	}
	if err != nil {
		if a.accepts(err) {
			return nil
		}
		return fmt.Errorf("%w; copy what is left with drx recover, or give up what is lost with drx recover --in-place", err)
	}
	if err = a.writer.AdoptHead(now); err == nil && a.shared && a.writer.Unjournaled() {
		err = errUnjournaled
	}
	return err
}

// errUnjournaled says that elements outside of the bounds have to be set to the fill value, which a process
// that shares the array cannot do.
var errUnjournaled = errors.New("a writer without journal died")

// checkVersion returns an error wrapping ErrCorrupt when the log is of version 1 beside a presence map that
// knows the log: it has had a commit since that made the array one of version 2.
func (a *Array) checkVersion() error {
	if a.state.Load().Version >= state.PresenceVersion {
		return nil
	}
	head, known, err := fileset.PresenceHead(a.fsys, a.name)
	if err != nil || !known {
		return err
	}
	return fmt.Errorf("%s: lines at its end are missing: it has %d, %s knows of %d: %w",
		a.file.Name(), a.log.Commits(), fileset.Presence(a.name), head.Commits, ErrCorrupt)
}

// accepts reports whether an error is a loss that is to be accepted.
func (a *Array) accepts(err error) bool {
	is := a.acceptLoss && errors.Is(err, ErrCorrupt)
	a.lost = a.lost || is
	return is
}

// commitsNow returns the number of lines of the log, which OpenAt has read only in part: the journal
// counts for all of it. What is damaged behind that part does not matter there.
func (a *Array) commitsNow() (int, error) {
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

// secure makes durable what was found: the writer before may have been killed before it
// could, and what is committed from now on builds on it.
func (a *Array) secure() error {
	if a.durability == DurabilityNone {
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

// replay sets the state to that of the log, and of a line of the journal that the log lacks.
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
	return nil
}

// blankUnjournaled does the same for a writer that overwrote chunks in place and died: what it wrote
// beyond the bounds of the last commit was never committed.
func (a *Array) blankUnjournaled() error {
	if a.acceptLoss {
		return nil
	}
	if a.writer.Unjournaled() {
		if err := a.blankBeyond(context.Background()); err != nil {
			return err
		}
		if err := a.sync(); err != nil {
			return err
		}
	}
	return a.writer.SetUnjournaled(a.durability != DurabilityFull, *headOf(a.log))
}

// blankBeyond sets to the fill value what chunks hold outside of the bounds, makes those that lie
// outside as a whole unwritten, and gives those of commits that the log does not have the number of
// the next one.
func (a *Array) blankBeyond(ctx context.Context) error {
	s := a.state.Load()
	c := newClip(s)
	buf := make([]byte, s.ChunkBytes)
	var rewritten int64
	var outside []axial.Number
	err := a.store.Each(s.Grid.Chunks(), func(q axial.Number, entry error) error {
		if err := ctx.Err(); err != nil || entry != nil {
			return err // a damaged entry is reported by whoever reads it
		}
		s.Grid.Index(q, c.index)
		whole := c.locate()
		if c.outside() {
			outside = append(outside, q)
			return nil
		}
		if future, err := a.store.OfLostCommit(q); err != nil || whole && !future {
			return err
		}
		if err := a.store.Check(q, buf); err != nil {
			if errors.Is(err, ErrCorrupt) {
				err = nil // so are the elements outside
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

// acceptBatch is how many bytes of chunks AcceptLoss rewrites between two commits.
const acceptBatch = 64 << 20
