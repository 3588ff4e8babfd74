package drx

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"drx/axial"
	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/state"
	"drx/nd"
)

// Reserve grows dimension dim by the given number of elements, as Extend does, and returns the new
// section. The section then belongs to this Array until it is closed: it may write to the section
// while other processes write elsewhere. The extension is committed when Reserve returns. The array
// must be open with Options.Shared.
//
// Written elements become visible and durable with Sync and Close if their chunk is completely in
// the section. Any other chunk, such as one at the border of several sections, is changed under a
// lock of its own, and is durable when Write, Fill or Set returns. So are all chunks of a section
// that is spread over more than 4096 places of the file. The error wraps ErrRank,
// ErrBounds, ErrOverflow, ErrLocked if other processes hold the lock on the log for more than ten
// seconds, ErrReadOnly or ErrClosed.
func (a *Array) Reserve(dim, by int) (nd.Section, error) {
	return a.reserve("", state.Extend{Dim: dim, By: by})
}

// ReserveLow is like Reserve but grows the array on the low side, as ExtendLow does.
func (a *Array) ReserveLow(dim, by int) (nd.Section, error) {
	return a.reserve("", state.Extend{Dim: dim, By: by, Low: true})
}

// ReserveKey is like Reserve or, for axial.Low, ReserveLow, but returns the same section for every
// call with the same key, by any process, even if the first one was killed. Thus a task that is
// retried does not append twice. Keys are part of the history, which Compact forgets. The error
// also wraps ErrLocked if another process that has reserved the section still has the array open
// after Options.Wait; fs.ErrInvalid for an empty key, and for a key that was used for another
// extension; and ErrBounds if Shrink has removed the section.
func (a *Array) ReserveKey(key string, dim, by int, side axial.Side) (nd.Section, error) {
	err := state.CheckSide(side)
	if err == nil && key == "" {
		err = errkind.Errorf(fs.ErrInvalid, "the key is empty: give a text that names what is written, such as that of a task")
	}
	if err != nil {
		return nil, a.errorf("reserve", err)
	}
	return a.reserve(key, state.Extend{Dim: dim, By: by, Low: side == axial.Low})
}

// reserve is Reserve on either side or, if key is not empty, ReserveKey.
func (a *Array) reserve(key string, e state.Extend) (nd.Section, error) {
	op := fmt.Sprintf("reserve %d of dimension %d", e.By, e.Dim)
	if key != "" {
		op += fmt.Sprintf(" with key %q", key)
	}
	done, err := a.begin(op, true)
	if err != nil {
		return nil, err
	}
	defer done()
	if !a.opts.Shared {
		return nil, a.errorf(op, errkind.Errorf(ErrReadOnly, "the array is not open with Options.Shared"))
	}
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	sec, again, err := a.lockedReserve(key, e)
	if err == nil && again {
		err = a.ownAgain(sec)
	}
	if err != nil {
		return nil, a.errorf(op, err)
	}
	return slices.Clone(sec), nil
}

// lockedReserve calls reserveLocked with the lock on the log. It claims a new section for this
// process before others can see it.
func (a *Array) lockedReserve(key string, e state.Extend) (sec nd.Section, again bool, err error) {
	if err := fileset.LockSoon(a.file); err != nil {
		return nil, false, err
	}
	sec, again, err = a.reserveLocked(key, e)
	if err == nil && !again {
		err = a.claim(sec)
	}
	return sec, again, cmp.Or(err, a.file.Unlock())
}

// ownAgain claims a section that was reserved before. A killed process has given it up; a live one
// may still be writing to it.
func (a *Array) ownAgain(sec nd.Section) error {
	if slices.ContainsFunc(a.reserved, func(own nd.Section) bool { return slices.Equal(own, sec) }) {
		return nil
	}
	err := waiting(a.opts.Wait, func() error { return a.claim(sec) })
	if errors.Is(err, ErrLocked) {
		err = errkind.Errorf(ErrLocked, "section %v: another process has reserved or changes it, and has the array open (%v)", sec, err)
	}
	return err
}

// reserveLocked reads the latest state, extends it and commits the extension, unless the key
// already has a section. The caller holds the lock on the log.
func (a *Array) reserveLocked(key string, e state.Extend) (sec nd.Section, again bool, err error) {
	before, err := a.readReservations(key != "")
	if err != nil {
		return nil, false, err
	}
	a.logged = before
	a.state.Store(before)
	if was, again := a.keys[key]; again && key != "" {
		return was.section, true, was.check(key, e, before)
	}
	records := []state.Record{{Extend: &e}}
	if key != "" {
		records = append([]state.Record{{Reserve: &state.Reserve{Key: key}}}, records...)
		if _, err := before.Apply(records[0]); err != nil {
			return nil, false, err
		}
	}
	after, err := before.Apply(state.Record{Extend: &e})
	if err == nil && after.Grid.Chunks() > before.Grid.Chunks() {
		err = a.store.Fits(after.Grid.Chunks())
	}
	if err != nil {
		return nil, false, err
	}
	if before.WidestLo != nil {
		if before, err = a.announceLocked(before); err != nil {
			return nil, false, err
		}
		if err := a.blankRegrown(before, after, e); err != nil {
			return nil, false, err
		}
	}
	if before.ID != "" {
		records = append(records, state.Record{Shared: &state.Shared{Shared: true}})
		after.Shared = true // after is new, and nobody else has it
	}
	if err := a.log.Append(records, a.opts.Durability != DurabilityNone); err != nil {
		return nil, false, err
	}
	a.announced.Store(true)
	a.logged = after
	a.state.Store(after)
	a.store.SetCommitted(after.Grid.Chunks(), a.log.Commits())
	if err := a.committer.Finish(headOf(a.log)); err != nil {
		return nil, false, err
	}
	sec = state.Added(before, after, e)
	if key != "" {
		a.keys[key] = reservation{e, sec}
	}
	return sec, false, nil
}

// check returns an error unless a reservation is for the given extension and still exists.
func (r reservation) check(key string, e state.Extend, s *state.State) error {
	if r.Extend != e {
		side := map[bool]string{false: "high", true: "low"}
		return errkind.Errorf(fs.ErrInvalid, "key %q was used for %d of dimension %d on the %s side: give another key",
			key, r.By, r.Dim, side[r.Low])
	}
	if !nd.Box(s.Lo, s.Hi).Contains(r.section) {
		return errkind.Errorf(ErrBounds, "the section %v of key %q was removed: give another key", r.section, key)
	}
	return nil
}

// mostSpans is the largest number of spans of chunks that one reservation locks. The system
// searches the locks of a file one by one.
const mostSpans = 4096

// claim reserves the chunks that lie completely in a section for this process. If the extents of
// the array are not multiples of those of chunks, these may be more spans than can be locked, and
// in a petabyte more than fit into memory. Then the section stays common, and its chunks are
// changed under single locks, like those at its border.
func (a *Array) claim(sec nd.Section) error {
	if a.chunks.Sharer.HasOwners() {
		spans, few := spansWithin(a.state.Load(), sec)
		if !few {
			return nil
		}
		if err := a.chunks.Sharer.Own(spans); err != nil {
			return err
		}
	}
	a.reserved = append(a.reserved, sec)
	return nil
}

// spansWithin returns the spans of the chunks that lie completely in a section, ascending, and
// whether there are no more than mostSpans.
func spansWithin(s *state.State, sec nd.Section) (spans []axial.Span, few bool) {
	lo, hi := make([]int, len(sec)), make([]int, len(sec))
	for d, r := range sec {
		c := s.Chunk[d]
		lo[d], hi[d] = -nd.FloorDiv(-r.Lo, c), nd.FloorDiv(r.Hi, c)
	}
	for _, run := range s.Grid.Runs(lo, hi) {
		if spans = run.AppendSpans(spans, mostSpans+1); len(spans) > mostSpans {
			return nil, false
		}
	}
	return spans, true
}

// reservations returns the sections that this process has reserved.
func (a *Array) reservations() []nd.Section {
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	return slices.Clone(a.reserved)
}

// waiting repeats f until it returns no error that wraps ErrLocked, for at most the given time.
func waiting(most time.Duration, f func() error) error {
	end := time.Now().Add(most)
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		err := f()
		if !errors.Is(err, ErrLocked) || !time.Now().Before(end) {
			return err
		}
		time.Sleep(min(wait, time.Until(end)))
	}
}
