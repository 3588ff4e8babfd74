package drx

import (
	"cmp"
	"errors"
	"math"
	"sync"
	"time"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/metalog"
	"drx/internal/state"
	"drx/internal/vfs"
)

// whyUntold returns an error wrapping ErrGone if the elements of a commit, after which the state is
// s, cannot be told from those of later commits.
func whyUntold(commit int, s *state.State) error {
	switch {
	case s.ID == "":
		return errkind.Errorf(ErrGone, "%v: commit %d is of a program that did not note which commit wrote a chunk: "+
			"the next commit begins to, from then on commits can be read again", ErrGone, commit)
	case s.Shared:
		return errkind.Errorf(ErrGone, "%v: commit %d was made while several processes could write, at different times: "+
			"open it for writing alone and sync, which makes a commit that can be read again", ErrGone, commit)
	}
	return nil
}

// A past recognises the chunks of an earlier commit. The table entry of a chunk has the number of
// the commit that wrote it, modulo chunktable.CommitNumbers, so a chunk with the number of a later
// commit is gone. What the log has gained since the commit says the rest: a chunk without an entry
// was dropped if a Shrink has put it outside of the bounds.
type past struct {
	commit int
	head   func() (chunktable.Head, bool, error) // of the presence map
	file   vfs.File                              // of the log
	stale  bool                                  // the file system may show an old log

	mu      sync.Mutex
	log     *metalog.Log
	logged  *state.State
	id      string
	changed int                   // the first later commit that did not only append
	kept    [][2]int              // the chunk indices that were within the bounds all the time
	cleared map[axial.Number]bool // by a commit that was in the journal only
	gone    error                 // why no chunk is certain any more
	read    time.Time             // when the log was last read
}

// mostLater is how many commits after a commit its chunks can be recognised: numbers of commits in
// table entries repeat. Readers look at the log once a second at least, in which time no writer
// makes so many.
const mostLater = chunktable.CommitNumbers / 4

// pin restricts the Array, which was opened as it was after a commit, to the elements of that time.
// digits are those of its line, and head reads the head of the presence map.
func (a *Array) pin(commit int, digits [8]byte, head func() (chunktable.Head, bool, error)) error {
	s := a.state.Load()
	if want := a.opts.digits; want != "" && want != string(digits[:]) {
		return errkind.Errorf(ErrGone, "%v: commit %d is %s now, it was %s: another array has the name, or another history",
			ErrGone, commit, digits[:], want)
	}
	log := *a.log
	p := &past{
		commit: commit, head: head, file: a.file, stale: a.system.StaleCaches,
		log: &log, logged: a.logged, id: s.ID, changed: math.MaxInt, gone: whyUntold(commit, s),
	}
	p.cleared = a.reader.IgnoreAfter(int64(commit))
	for range s.Lo {
		p.kept = append(p.kept, [2]int{math.MinInt, math.MaxInt})
	}
	a.reader.SetPast(p.check)
	return nil
}

// check returns nil if chunk q, which has entry e now, or none if that is zero, is what it was
// after the commit, and otherwise an error wrapping ErrGone.
func (p *past) check(q axial.Number, e chunktable.Entry) error {
	later := e.IsAfter(int64(p.commit))
	p.mu.Lock()
	defer p.mu.Unlock()
	var unsure error
	if p.gone == nil && e.Length == 0 {
		unsure = p.checkJournaled(q)
	}
	if p.gone == nil && (later || e.Length == 0 || time.Since(p.read) > time.Second) {
		if err := p.readLog(); err != nil {
			return err
		}
	}
	switch {
	case p.gone != nil:
		return p.gone
	case e.Length == 0:
		return cmp.Or(unsure, p.checkAbsent(q))
	case later && p.overwritten(p.commit+e.CommitsAfter(int64(p.commit))):
		return errkind.Errorf(ErrGone, "%v: chunk %d was overwritten after commit %d", ErrGone, q, p.commit)
	}
	return nil
}

// overwritten reports whether a chunk of a later commit may have other elements than those of the
// commit p: unless the number is of none, as numbers repeat, or all commits up to it have only
// appended.
func (p *past) overwritten(commit int) bool {
	known := p.log.Commits()
	if commit <= known && commit < p.changed {
		return false
	}
	return p.stale || commit <= known+1
}

// checkJournaled returns an error for a chunk without an entry if a writer without journal has the
// array open, or died: it drops chunks before its line is written. The log must be read after this:
// the writer ends with its line first, then with the flag in the head.
func (p *past) checkJournaled(q axial.Number) error {
	head, known, err := p.head()
	if err != nil || !known || !head.Unjournaled {
		return err
	}
	return errkind.Errorf(ErrGone, "%v: chunk %d has no entry, and a writer without journal may have dropped it after commit %d",
		ErrGone, q, p.commit)
}

// checkAbsent is check for a chunk that has no entry, once the log was read.
func (p *past) checkAbsent(q axial.Number) error {
	index := make([]int, len(p.kept))
	p.logged.Grid.Index(q, index)
	for d, i := range index {
		if i < p.kept[d][0] || i >= p.kept[d][1] || p.cleared[q] {
			return errkind.Errorf(ErrGone, "%v: chunk %d was dropped, when the array shrank after commit %d", ErrGone, q, p.commit)
		}
	}
	return nil
}

// readLog reads what the log has gained.
func (p *past) readLog() error {
	if p.stale {
		vfs.Refetch(p.file, 0, -1)
	}
	logged, err := p.log.ReadOn(p.logged, 0, func(commit int, r state.Record, s *state.State) {
		if commit > p.commit && (r.Shrink != nil || r.Shared != nil || r.Journal != nil && !r.Journal.Appended) {
			p.changed = min(p.changed, commit)
		}
		switch {
		case commit <= p.commit:
		case r.Identity != nil && r.Identity.ID != p.id:
			p.gone = errkind.Errorf(ErrGone, "%v: commit %d cannot be read again, because commit %d began a new history: "+
				"a writer without journal had died", ErrGone, p.commit, commit)
		case r.AddDim != nil:
			p.kept = append(p.kept, [2]int{math.MinInt, math.MaxInt})
		case r.Shrink != nil:
			for d := range p.kept {
				lo, hi := s.ChunkRange(d)
				p.kept[d] = [2]int{max(p.kept[d][0], lo), min(p.kept[d][1], hi)}
			}
		}
	})
	if err != nil {
		return err
	}
	p.logged, p.read = logged, time.Now()
	if n := p.log.Commits() - p.commit; n > mostLater && p.gone == nil {
		p.gone = errkind.Errorf(ErrGone, "%v: %d commits were made after commit %d, of the last %d can be read", ErrGone, n, p.commit, mostLater)
	}
	return nil
}

// readLogTo reads the log of an array up to a commit, 0 for the last one; for OpenAt that may be in
// the journal only. next is the size of the log from which on it needs another checkpoint.
func readLogTo(fsys vfs.FS, name string, file vfs.File, commit int) (s *state.State, log *metalog.Log, next int64, err error) {
	if commit == 0 {
		return fileset.ReadLog(fsys, name, file)
	}
	s, log, err = metalog.ReadLogTo(file, commit, nil)
	if !errors.Is(err, ErrBounds) || errors.Is(err, ErrCorrupt) {
		return s, log, 0, err
	}
	all, whole, allErr := metalog.ReadLogTo(file, 0, nil)
	if allErr != nil || whole.Commits()+1 != commit {
		return nil, nil, 0, err
	}
	return all, whole, 0, nil
}
