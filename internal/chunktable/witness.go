package chunktable

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"drx/axial"
	"drx/internal/errkind"
	"drx/internal/state"
)

// CheckLog returns an error wrapping state.ErrCorrupt if the log has lost lines, or is another log:
// the presence map knows of commits or of chunks that the log does not have. now describes the end
// of the log, and chunks is its number of chunks. For an array of version 1 CheckLog uses the
// entries instead, which show the loss of more than the last line.
func (t *Table) CheckLog(log string, now Head, chunks axial.Number) error {
	p := t.Presence()
	h, known, err := p.Head()
	if err != nil {
		return err
	}
	if known && h.Contradicts(now, true) {
		return h.Lost(log, p.beside(log), now)
	}
	beyond, err := p.beyond(chunks)
	if err != nil {
		return err
	}
	if beyond {
		return errkind.InFile(log, errkind.Errorf(state.ErrCorrupt, "lines at its end are missing: it has %d chunks, %s knows of more", chunks, p.beside(log)))
	}
	if p != nil {
		return nil
	}
	q, newest, err := t.Newest()
	if err == nil && newest > now.Commits+1 {
		err = errkind.InFile(log, errkind.Errorf(state.ErrCorrupt, "lines at its end are missing: it has %d, chunk %d was written after line %d", now.Commits, q, newest-1))
	}
	return err
}

// Contradicts reports whether the log, whose end is now, has lost lines, or is another log. mapped
// reports whether the log has the line for the presence map: if not, that line was lost, because
// the head was written after it.
func (h Head) Contradicts(now Head, mapped bool) bool {
	return !mapped || h.Commits > now.Commits || h.Commits == now.Commits && h.Digits != now.Digits
}

// Lost returns the error for a log whose end is now, and which contradicts the head of a presence
// map.
func (h Head) Lost(log, presence string, now Head) error {
	presence = beside(log, presence, "the presence map")
	if h.Commits == now.Commits {
		return errkind.InFile(log, errkind.Errorf(state.ErrCorrupt, "line %d begins with %s, %s knows it as %s: one of the two is of another time",
			now.Commits, now.Digits[:], presence, h.Digits[:]))
	}
	return errkind.InFile(log, errkind.Errorf(state.ErrCorrupt, "lines at its end are missing: it has %d, %s knows of %d", now.Commits, presence, h.Commits))
}

// MissingLines returns how many lines a log of the given length has lost, as far as the presence
// map shows or, if there is none, the entries: then there may be more.
func (t *Table) MissingLines(lines int64) (int64, error) {
	h, known, err := t.Presence().Head()
	if err != nil || known {
		return max(0, h.Commits-lines), err
	}
	_, newest, err := t.Newest()
	return max(0, newest-1-lines), err
}

// CheckJournaled returns an UnappliedError unless the last commit of the log was applied, which had
// the given number of chunks below before in the journal. It counts entries only if the presence
// map does not say that the commit was finished, as after a writer that died. outside reports
// whether a chunk lies outside the bounds, and so must not have an entry. journal is the name of
// the journal, for the error.
func (t *Table) CheckJournaled(journal string, now Head, chunks int64, before axial.Number, outside func(axial.Number) bool) error {
	h, known, err := t.Presence().Head()
	if errors.Is(err, fs.ErrNotExist) { // a reader may lack the map, see CheckAnnounced
		return New(t.file, t.data, t.slot, nil).CheckJournaled(journal, now, chunks, before, outside)
	}
	if err != nil || known && h.Finished(now) {
		return err
	}
	var found int64
	remains := false // whether a chunk remains that the commit has cleared
	commits := []uint32{uint32(now.Commits) & commitMask, uint32(now.Commits+1) & commitMask}
	err = t.Each(before, func(q axial.Number, err error) error {
		if err != nil {
			return nil // reading the chunk reports the damage
		}
		e, err := t.ReadEntry(q)
		if slices.Contains(commits, e.Commit()) {
			found++
		}
		remains = remains || e.Length > 0 && outside(q)
		return err
	})
	if err != nil || found >= chunks && !remains {
		return err
	}
	// A writer may have changed the entries since. Then the presence map shows that the commit was
	// finished.
	if h, known, err = t.Presence().Head(); err != nil || known && h.Finished(now) {
		return err
	}
	return &UnappliedError{Journal: journal, Commit: now.Commits, Chunks: chunks}
}

// An UnappliedError reports a commit in the log whose chunks are neither in the journal, which is
// damaged or gone, nor all in their slots. It wraps state.ErrCorrupt.
type UnappliedError struct {
	Journal string
	Commit  int64 // its number
	Chunks  int64 // number of its chunks, some of which still have their earlier contents
}

// Error names the journal, the commit and its number of chunks.
func (e *UnappliedError) Error() string {
	return fmt.Sprintf("%s is damaged or gone: it had %d chunks of commit %d, not all of which are in their places: %v",
		e.Journal, e.Chunks, e.Commit, state.ErrCorrupt)
}

// Unwrap returns state.ErrCorrupt.
func (e *UnappliedError) Unwrap() error { return state.ErrCorrupt }
