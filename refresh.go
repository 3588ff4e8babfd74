package drx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/fsnotify/fsnotify"

	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/nd"
)

// Refresh lets an array that is open for reading see what a writer has committed since it
// was opened or last refreshed, and reports whether bounds or attributes have changed.
// Readers need no lock and never see a commit in part: the bounds are as they were at one
// commit, and every chunk is whole. (Without Refresh the bounds stay; a chunk that is read
// for the first time is as it is now.) If Compact has replaced the files, the new ones are
// opened: chunks have other numbers then. For an array open for writing, or opened with
// OpenAt, there is nothing to see. The error wraps ErrClosed or ErrCorrupt, or
// fs.ErrNotExist when the array was removed.
func (a *Array) Refresh() (changed bool, err error) {
	_, changed, err = a.refresh()
	return changed, err
}

// refresh is Refresh; it also returns the changes of the bounds.
func (a *Array) refresh() (events []Change, changed bool, err error) {
	a.gate.Lock()
	defer a.gate.Unlock()
	events, changed, err = a.readOn()
	if err != nil || a.write || a.fixed {
		return nil, false, err
	}
	if current, err := fileset.IsCurrent(a.fsys, a.name, a.file); err != nil || current {
		return events, changed, a.errorf("refresh", err)
	}
	more, moved, err := a.reopen()
	return append(events, more...), changed || moved, a.errorf("refresh", err)
}

// readOn sees what was committed to the files that are open.
func (a *Array) readOn() (events []Change, changed bool, err error) {
	done, err := a.enter("refresh", false)
	if err != nil {
		return nil, false, err
	}
	defer done()
	if a.write || a.fixed {
		return nil, false, nil
	}
	a.grow.Lock()
	defer a.grow.Unlock()
	before := a.state.Load()
	each := func(commit int, r state.Record, s *state.State) { events = appendChange(events, commit, r, s) }
	log, logged := *a.log, a.logged
	if err = a.readLog(each); err == nil {
		err = a.lookOn(each)
	}
	if err != nil {
		*a.log, a.logged = log, logged // the next time tells the same changes
		return nil, false, a.errorf("refresh", err)
	}
	after := a.state.Load() // another one, with the same bounds, if a line of the journal was replayed again
	return events, after != before && !after.Same(before), nil
}

// reopen goes on with the files that have replaced those that are open. The gate must be
// held.
func (a *Array) reopen() (events []Change, changed bool, err error) {
	next, err := open(a.name, a.options(), 0)
	if err != nil {
		return nil, false, err
	}
	before, after := a.state.Load(), next.state.Load()
	_, _, err = metalog.ReadLogTo(next.file, next.log.Commits(), func(commit int, r state.Record, s *state.State) {
		if r.Header == nil { // the bounds at the time of Compact are no change
			events = appendChange(events, commit, r, s)
		}
	})
	if err == nil && !after.Continues(before) {
		err = fmt.Errorf("another array has the name now: %w", fs.ErrNotExist)
	}
	if err != nil {
		_, _ = next.store.Close(true), next.file.Close() // nothing was written
		return nil, false, err
	}
	a.adopt(next)
	return events, !after.Same(before), nil
}

// pollEvery is how often Follow looks by itself: notifications do not exist everywhere, and
// not from other machines.
const pollEvery = 250 * time.Millisecond

// Follow calls f for every change that a writer commits, in order, as soon as it is
// committed; the array has been refreshed then. It returns when f returns an error, with
// that, or when ctx is done, with ctx.Err(). The array must be open for reading.
func (a *Array) Follow(ctx context.Context, f func(Change) error) error {
	if a.write || a.fixed {
		return a.errorf("follow", errors.New("only an array open for reading can be followed"))
	}
	notify, stop := a.notify()
	defer stop()
	ticks := time.NewTicker(pollEvery)
	defer ticks.Stop()
	for {
		events, _, err := a.refresh()
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := f(e); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-notify:
		case <-ticks.C:
		}
	}
}

// notify returns a channel that gets something when the log changes, as far as the system
// tells.
func (a *Array) notify() (<-chan fsnotify.Event, func()) {
	if a.fsys != vfs.OS {
		return nil, func() {}
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, func() {}
	}
	_ = w.Add(fileset.Log(a.name)) // else there is polling
	return w.Events, func() { _ = w.Close() }
}

// A ChangeKind says what a Change did.
type ChangeKind string

// The kinds of changes.
const (
	Created  ChangeKind = "create"
	Extended ChangeKind = "extend"
	Shrunk   ChangeKind = "shrink"
	AddedDim ChangeKind = "adddim"
	Attrs    ChangeKind = "attr"
)

// A Change is one change of the bounds, the dimensions or the attributes of an array.
type Change struct {
	Commit int        // the commit it belongs to, the creation being 1
	Kind   ChangeKind // what it did
	Dim    int        // the dimension extended, shrunk or added
	By     int        // elements that it was extended or shrunk by
	Low    bool       // on the low side
	Names  []string   // of the attributes set or removed
	Bounds nd.Section // of the array afterwards
}

// appendChange appends what record r of a commit has changed, if that is any of the ChangeKinds.
func appendChange(changes []Change, commit int, r state.Record, s *state.State) []Change {
	c := Change{Commit: commit, Bounds: nd.Box(s.Lo, s.Hi)}
	switch {
	case r.Header != nil:
		c.Kind = Created
	case r.Extend != nil:
		c.Kind, c.Dim, c.By, c.Low = Extended, r.Extend.Dim, r.Extend.By, r.Extend.Low
	case r.Shrink != nil:
		c.Kind, c.Dim, c.By, c.Low = Shrunk, r.Shrink.Dim, r.Shrink.By, r.Shrink.Low
	case r.AddDim != nil:
		c.Kind, c.Dim = AddedDim, len(s.Lo)-1
	case r.SetAttrs != nil:
		c.Kind = Attrs
		for name := range r.SetAttrs.Attrs {
			c.Names = append(c.Names, name)
		}
	case r.DelAttrs != nil:
		c.Kind, c.Names = Attrs, r.DelAttrs.Names
	default: // of the files only
		return changes
	}
	return append(changes, c)
}

// History returns the committed changes of the array, from its creation to the last commit
// that this Array has seen.
func (a *Array) History() ([]Change, error) {
	done, err := a.begin("history", false)
	if err != nil {
		return nil, err
	}
	defer done()
	a.grow.Lock()
	defer a.grow.Unlock()
	var changes []Change
	_, _, err = metalog.ReadLogTo(a.file, a.log.Commits(), func(commit int, r state.Record, s *state.State) {
		changes = appendChange(changes, commit, r, s)
	})
	return changes, a.errorf("history", err)
}
