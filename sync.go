package drx

import "drx/axial"

// Sync makes every change so far durable and visible to whoever opens the array: the
// chunks, then their table entries, then the bounds and attributes. It is the one place
// where an array is committed. When it returns an error nothing counts as committed; the
// changes are kept, and the next Sync tries again.
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
	if err := a.finish(); err != nil {
		return err
	}
	if err := a.pool.Flush(); err != nil {
		return err
	}
	if err := a.store.Prepare(); err != nil {
		return err
	}
	line, err := a.log.Line(a.pending)
	if err != nil {
		return err
	}
	commits := a.log.Commits()
	if line != nil {
		commits++
	}
	if a.store.Changed() {
		if err := a.store.Journal(commits, line); err != nil {
			return err
		}
	}
	a.unfinished = &unfinished{line, a.state.Load().Grid.Chunks()}
	a.pending = nil
	return a.finish()
}

// unfinished is what finish has to do: the line that the log lacks, and the number of
// chunks that it has then.
type unfinished struct {
	line   []byte
	chunks axial.Number
}

// finish does what is left of a commit: its line goes to the log, what is in the journal to
// its place. If there is no journal, it is the line that makes the commit.
func (a *Array) finish() error {
	u := a.unfinished
	if u == nil {
		return nil
	}
	if err := a.log.AppendLine(u.line, a.durability != DurabilityNone); err != nil {
		return err
	}
	u.line = nil
	if err := a.store.Apply(); err != nil {
		return err
	}
	a.store.SetCommitted(u.chunks, a.log.Commits())
	a.store.Release()
	a.unfinished = nil
	return nil
}
