package drx

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/fsnotify/fsnotify"

	"drx/internal/chunktable"
	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/state"
	"drx/nd"
)

// Refresh updates an array that is open for reading to the last commit. It reports whether the
// bounds or the attributes have changed. Readers acquire no lock. The bounds and attributes are
// those of one commit, so everything that it added becomes visible at once, and every chunk is
// complete. Chunks that a later commit overwrites become visible one by one, also without Refresh,
// unless they are in memory: those, such as decompressed ones, stay unchanged until Refresh, or
// until Options.Cache has no room for them. If Compact has replaced the files, Refresh opens the
// new ones, in which chunks have other numbers. Refresh does nothing for an array that is open for
// writing or was opened by OpenAt. The error wraps ErrClosed, ErrCorrupt, or fs.ErrNotExist if the
// array was removed or renamed.
func (a *Array) Refresh() (changed bool, err error) {
	_, changed, err = a.refresh()
	return changed, err
}

// refresh is Refresh and also returns the changes.
func (a *Array) refresh() (events []Change, changed bool, err error) {
	a.changesMu.Lock()
	defer a.changesMu.Unlock()
	before := a.now().Form
	events, changed, err = a.refreshOpenFiles()
	if after := a.now(); err == nil && after.Codec != before.Codec {
		a.useCodec(after)
	}
	if err != nil || a.opts.Write || a.fixed {
		return nil, false, err
	}
	if current, err := fileset.IsCurrent(a.fsys, a.name, a.file); err != nil || current {
		return events, changed, a.errorf("refresh", err)
	}
	more, moved, err := a.reopen()
	return append(events, more...), changed || moved, a.errorf("refresh", err)
}

// refreshOpenFiles reads the commits that were added to the open files.
func (a *Array) refreshOpenFiles() (events []Change, changed bool, err error) {
	if err := a.rlockFiles(false); err != nil {
		return nil, false, a.errorf("refresh", err)
	}
	defer a.filesMu.RUnlock()
	if a.opts.Write || a.fixed {
		return nil, false, nil
	}
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	before := a.state.Load()
	each := func(commit int, r state.Record, s *state.State) { events = appendChange(events, commit, r, s) }
	log, logged := *a.log, a.logged
	read := func() error {
		if err := a.readNewLines(each); err != nil {
			return err
		}
		return a.readLastCommit(each)
	}
	if err = read(); errors.Is(err, ErrCorrupt) && a.system.StaleCaches {
		err = whileStale(err, a.logSize, func() error {
			*a.log, a.logged, events = log, logged, nil
			a.store.Refetch()
			return read()
		})
	}
	if err != nil {
		*a.log, a.logged = log, logged // otherwise the next call would miss these changes
		return nil, false, a.errorf("refresh", err)
	}
	after := a.state.Load() // may be another state with the same bounds: a replay makes one
	return events, after != before && !after.Same(before), nil
}

// reopen opens the files that have replaced the open ones, and uses them from then on. The caller
// holds a.changesMu exclusively.
func (a *Array) reopen() (events []Change, changed bool, err error) {
	next, err := open(a.name, a.opts, 0)
	if err != nil {
		return nil, false, err
	}
	before, after := a.state.Load(), next.state.Load()
	_, _, err = metalog.ReadLogTo(next.file, next.log.Commits(), func(commit int, r state.Record, s *state.State) {
		if r.Header == nil { // Compact has written the header: it is no change
			events = appendChange(events, commit, r, s)
		}
	})
	if err == nil && !after.Continues(before) {
		err = errkind.Errorf(fs.ErrNotExist, "another array has the name now")
	}
	if err != nil {
		_, _ = next.store.Close(true), next.file.Close() // errors do not matter: nothing was written
		return nil, false, err
	}
	a.useFilesOf(next)
	return events, !after.Same(before), nil
}

// pollEvery is the interval at which Follow refreshes without a notification. Not every file system
// sends notifications, and none does so for changes by other machines.
const pollEvery = 250 * time.Millisecond

// Follow calls f for every change that a writer commits, in order, as soon as it is committed. The
// array has been refreshed when f is called. Follow returns the first error of f, or ctx.Err() when
// ctx is done, or an error of Refresh. It returns an error at once if the array is open for writing
// or was opened by OpenAt.
func (a *Array) Follow(ctx context.Context, f func(Change) error) error {
	if a.fixed {
		return a.errorf("follow", errors.New("an array of a past commit does not change: open the array without a commit to follow it"))
	}
	if a.opts.Write {
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

// notify returns a channel that receives a value when the log changes, if the system supports it,
// and a function that ends the notifications.
func (a *Array) notify() (<-chan fsnotify.Event, func()) {
	if a.fsys != fileset.OS() {
		return nil, func() {}
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, func() {}
	}
	_ = w.Add(fileset.OnDisk(a.fsys, fileset.Log(a.name))) // after an error Follow polls
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
	Renamed  ChangeKind = "renamedim"
	Attrs    ChangeKind = "attr"

	Recompress   ChangeKind = "recompress"   // a new codec from this commit on
	Recompressed ChangeKind = "recompressed" // no chunk has the previous codec any more
)

// A Change is one change of the bounds, the dimensions, the attributes or the codec of an array.
type Change struct {
	Commit int        // the commit to which the change belongs; the creation is 1
	Kind   ChangeKind // what the change did
	Dim    int        // the dimension that was extended, shrunk, added or renamed
	By     int        // the number of elements by which it was extended or shrunk
	Low    bool       // whether it was extended or shrunk on the low side
	Names  []string   // the attributes that were set or removed; the new name of a dimension
	Codec  string     // the codec for Recompress and Recompressed, as in Layout.Codec
	Bounds nd.Section // the bounds of the array after the change
}

// appendChange appends the change that record r of a commit has made, unless r concerns only the
// files. s is the state after the record.
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
	case r.RenameDim != nil:
		c.Kind, c.Dim, c.Names = Renamed, r.RenameDim.Dim, []string{r.RenameDim.Name}
	case r.SetAttrs != nil:
		c.Kind = Attrs
		for name := range r.SetAttrs.Attrs {
			c.Names = append(c.Names, name)
		}
	case r.DelAttrs != nil:
		c.Kind, c.Names = Attrs, r.DelAttrs.Names
	case r.Recompress != nil:
		c.Kind, c.Codec = Recompress, r.Recompress.Codec
	case r.Recompressed != nil:
		c.Kind, c.Codec = Recompressed, r.Recompressed.Codec
	default: // a record that concerns only the files
		return changes
	}
	return append(changes, c)
}

// History returns the committed changes of the array, from its creation to the last commit that
// this Array has seen. The error wraps ErrClosed or ErrCorrupt, or is the file system's.
func (a *Array) History() ([]Change, error) {
	done, err := a.begin("history", false)
	if err != nil {
		return nil, err
	}
	defer done()
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	var changes []Change
	_, _, err = metalog.ReadLogTo(a.file, a.log.Commits(), func(commit int, r state.Record, s *state.State) {
		changes = appendChange(changes, commit, r, s)
	})
	if errors.Is(err, ErrBounds) { // lines are lost that this Array has seen
		damage, checkErr := a.verifyLogHead()
		err = cmp.Or(damage, checkErr, err)
	}
	return changes, a.errorf("history", err)
}

// readLastCommit sets the state to the last commit, whether it is in the log or in the journal. The
// log has just been read. readLastCommit calls each for the records of lines that were added since.
// It is for readers, which acquire no lock on the files.
//
// A writer first completes the journal, then appends the commit's line to the log, then writes the
// chunks to their places, and then empties the journal. A reader that reads first the log and then
// the journal finds one of two situations:
//
//  1. The journal has a commit that counts for this log: the log lacks the commit's line, or has it
//     as the last one. No later commit was made before the journal was read. The bounds are those
//     of the log and of that line, and the chunks are in the journal or in their places.
//  2. The journal has no such commit. Then the chunks of the log's last commit are in their places.
//     But somebody may have seen a later commit already: it was in the journal when the log was
//     read, and had left it when the journal was read. So the log is read again. If it is
//     unchanged, there was no such commit. If it has changed, it now has every commit that anybody
//     can have seen before this call, and the journal is read for the new log, which gives
//     situation 1 or 2 again. Commits made after that are for the next call.
//
// So nobody sees an earlier commit than was seen before, or a part of a commit, unless the writer
// could not complete the commit and undid it. A reservation is a line without a journal. Compact
// empties the journal before it replaces the files, and does not change the files that a reader has
// open.
//
// The head of the presence map is read before the log is read again: it is written after the line
// that it names, so a log that lacks that line has lost it.
func (a *Array) readLastCommit(each func(commit int, r state.Record, s *state.State)) error {
	head, known, err := a.quickHead()
	if err != nil {
		return err
	}
	line, err := a.reader.Refresh(a.log.Commits())
	if err == nil && !a.store.Unfinished() {
		before := a.logged
		if err = a.readNewLines(each); err == nil && a.logged != before {
			line, err = a.reader.Refresh(a.log.Commits())
		}
	}
	if err == nil && known && head.Contradicts(a.end(line), a.logged.HasPresenceMap()) {
		line, err = a.checkEnd(each)
	}
	if err == nil && !(known && head.Finished(a.end(line))) { // else the map was opened for nothing
		err = a.checkJournaled(line)
	}
	if err != nil {
		return err
	}
	a.pool.Reset() // before anybody sees the new bounds: the pool has old contents of the chunks
	return a.replay(line)
}

// quickHead returns the head of the presence map and whether it is valid. For an array in several
// files it opens the map only for this, so after a Compact it may return the head of the new map.
func (a *Array) quickHead() (chunktable.Head, bool, error) {
	switch {
	case a.opts.noPresence:
		return chunktable.Head{}, false, nil
	case fileset.OneFile(a.name):
		return a.store.Table().Presence().Head()
	}
	return fileset.PresenceHead(a.fsys, a.name)
}

// end returns the head after the last line of the log and line, the further line in the journal;
// nil for none.
func (a *Array) end(line []byte) chunktable.Head {
	now := *headOf(a.log)
	if line != nil {
		now.Commits++
		copy(now.Digits[:], line)
	}
	return now
}

// checkEnd reads log, journal and presence map again if the map seemed to know lines that the log
// lacks: a writer may have committed in between, or the map may belong to files that have replaced
// the open ones. It returns the line of the journal, or an error wrapping ErrCorrupt if the log has
// lost lines.
func (a *Array) checkEnd(each func(commit int, r state.Record, s *state.State)) (line []byte, err error) {
	head, known, err := a.quickHead()
	if err == nil && !fileset.OneFile(a.name) && a.store.HasPresence() {
		head, known, err = a.store.Table().Presence().Head() // certainly of the open files
	}
	if err == nil {
		err = a.readNewLines(each)
	}
	if err == nil {
		line, err = a.reader.Refresh(a.log.Commits())
	}
	now := a.end(line)
	if err != nil || !known || a.opts.Examine || !head.Contradicts(now, a.logged.HasPresenceMap()) {
		return line, err
	}
	if current, err := fileset.IsCurrent(a.fsys, a.name, a.file); err != nil || !current {
		return line, err // opening the array checks again, and Refresh opens the new files
	}
	return nil, a.unlessAccepted(head.Lost(a.file.Name(), fileset.Presence(a.name), now))
}

// readNewLines reads the lines that were appended to the log since it was last read.
func (a *Array) readNewLines(each func(commit int, r state.Record, s *state.State)) error {
	state, err := a.log.ReadOn(a.logged, 0, each)
	if err == nil {
		a.logged = state
	}
	return err
}
