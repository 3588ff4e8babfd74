package drx

import (
	"drx/internal/state"
)

// Sync makes every change so far durable and visible to whoever opens the array: the
// chunks, then their table entries, then the bounds and attributes. It is the one place
// where an array is committed. When it returns an error the changes are kept and the next
// Sync tries again; until then the commit, as a whole, may be there for others or not.
func (a *Array) Sync() error {
	done, err := a.begin("sync", true)
	if err != nil {
		return err
	}
	defer done()
	return a.errorf("sync", a.sync())
}

// sync commits. The order of the steps is what makes a crash harmless: before the commit is
// made, in the journal or in the log, nothing has changed that the last commit has; and once
// it is made in the journal, opening the array does the rest.
func (a *Array) sync() error {
	a.commit.Lock()
	defer a.commit.Unlock()
	a.grow.Lock()
	defer a.grow.Unlock()
	if err := a.finishLeft(); err != nil {
		return err
	}
	if err := a.finish(); err != nil {
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
	a.unfinished = &unfinished{chunks: a.state.Load().Grid.Chunks()}
	if a.committer.Changed() {
		err = a.committer.Journal(commits, line)
	}
	if err == nil {
		err = a.log.AppendLine(line, a.durability != DurabilityNone)
	}
	if err != nil {
		_ = a.finish() // what cannot be taken back now is before the next change
		return err
	}
	a.unfinished.made, a.pending = true, nil
	return a.finish()
}

// records returns the records of the next commit: those that are pending, behind one that says how
// many chunks it has in the journal.
func (a *Array) records() []state.Record {
	if len(a.pending) == 0 || !a.committer.Changed() {
		return a.pending
	}
	return append([]state.Record{{Journal: &state.Journal{Chunks: a.writer.Replaced()}}}, a.pending...)
}

// upgrade gives an array of version 1 a presence map before its next commit, and that commit a record
// that says so. Processes that share an array leave it as it is.
func (a *Array) upgrade() error {
	s := a.state.Load()
	if s.HasPresenceMap() || a.shared || (len(a.pending) == 0 && !a.writer.Uncommitted()) {
		return nil
	}
	if a.store.HasPresence() { // an earlier try has come so far
		if err := a.syncDir(); err != nil {
			return err
		}
	} else if err := a.addPresence(nil); err != nil {
		return err
	}
	return a.reformat()
}

// reformat puts the record that makes the array one of version 2 before those of the next commit.
func (a *Array) reformat() error {
	r := state.Record{Format: &state.Format{Version: state.PresenceVersion}}
	s, err := a.state.Load().Apply(r)
	if err != nil {
		return err
	}
	a.pending = append([]state.Record{r}, a.pending...)
	a.state.Store(s)
	return nil
}

// lockChunks takes a.commit, shared, for an operation that changes chunks. What is left of an
// earlier commit comes first: while one is in the journal or the log but not made for
// certain, or not in its place, nothing may change that it has.
func (a *Array) lockChunks() error {
	for {
		a.commit.RLock()
		if a.unfinished == nil {
			return nil
		}
		a.commit.RUnlock()
		if err := a.settle(); err != nil {
			return err
		}
	}
}

// beginChange begins an operation that changes chunks; endChange ends it.
func (a *Array) beginChange(op string) error {
	a.gate.RLock()
	err := a.hold(op, true)
	if err == nil {
		if err = a.errorf(op, a.lockChunks()); err == nil {
			return nil
		}
		a.life.RUnlock()
	}
	a.gate.RUnlock()
	return err
}

// beginChunks begins an operation that changes or only reads chunks.
func (a *Array) beginChunks(op string, change bool) (done func(), err error) {
	if !change {
		return a.begin(op, false)
	}
	return a.endChange, a.beginChange(op)
}

func (a *Array) endChange() {
	a.commit.RUnlock()
	a.life.RUnlock()
	a.gate.RUnlock()
}

func (a *Array) settle() error {
	a.commit.Lock()
	defer a.commit.Unlock()
	a.grow.Lock()
	defer a.grow.Unlock()
	return a.finish()
}

// finish does what is left of a commit: its line goes to the log, what is in the journal to
// its place. If there is no journal, it is the line that makes the commit. One that is not
// made is taken back: first the line, then the journal, which has it too.
func (a *Array) finish() error {
	u := a.unfinished
	if u == nil {
		return nil
	}
	if !u.made {
		if err := a.log.Tidy(a.durability != DurabilityNone); err != nil {
			return err
		}
		if err := a.committer.Retract(); err != nil {
			return err
		}
		a.unfinished = nil
		return nil
	}
	if err := a.log.AppendLine(u.line, a.durability != DurabilityNone); err != nil {
		return err
	}
	u.line = nil
	if err := a.committer.Apply(); err != nil {
		return err
	}
	a.store.SetCommitted(u.chunks, a.log.Commits())
	head := headOf(a.log)
	if a.shared || a.acceptLoss { // Reserve writes it, with the log locked; AcceptLoss when all is mended
		head = nil
	}
	if err := a.committer.Finish(head); err != nil {
		return err
	}
	a.unfinished = nil
	return nil
}

// finishLeft does what an earlier Compact could not.
func (a *Array) finishLeft() error {
	if a.left == nil {
		return nil
	}
	if err := a.left(); err != nil {
		return err
	}
	a.left = nil
	return nil
}
