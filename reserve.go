package drx

import (
	"cmp"
	"fmt"
	"slices"

	"drx/internal/fileset"
	"drx/internal/state"
	"drx/nd"
)

// Reserve grows dimension dim by the given number of elements, as Extend does, and returns the new section. The
// section then belongs to this Array: it may write to the section while other processes write to theirs. The
// extension is committed when Reserve returns. The array must be open with Options.Shared; such an array can be
// written in reserved sections only.
//
// Written elements become visible and durable with Sync and Close if their chunk is completely in the section.
// Any other chunk, such as one in which several sections meet, is changed under a lock of its own, and is durable when Write, Fill or
// Set returns. The error wraps ErrRank, ErrBounds, ErrOverflow, ErrLocked if other processes hold the lock on
// the log for more than ten seconds, ErrReadOnly or ErrClosed.
func (a *Array) Reserve(dim, by int) (nd.Section, error) {
	return a.reserve(state.Extend{Dim: dim, By: by})
}

// ReserveLow is like Reserve but grows the array on the low side, as ExtendLow does.
func (a *Array) ReserveLow(dim, by int) (nd.Section, error) {
	return a.reserve(state.Extend{Dim: dim, By: by, Low: true})
}

// reserve is Reserve on either side.
func (a *Array) reserve(e state.Extend) (nd.Section, error) {
	op := fmt.Sprintf("reserve %d of dimension %d", e.By, e.Dim)
	done, err := a.begin(op, true)
	if err != nil {
		return nil, err
	}
	defer done()
	if !a.opts.Shared {
		return nil, a.errorf(op, fmt.Errorf("the array is not open with Options.Shared: %w", ErrReadOnly))
	}
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	if err := fileset.LockSoon(a.file); err != nil {
		return nil, a.errorf(op, err)
	}
	added, err := a.reserveLocked(e)
	if err = cmp.Or(err, a.file.Unlock()); err != nil {
		return nil, a.errorf(op, err)
	}
	a.reserved = append(a.reserved, added)
	return added, nil
}

// reserveLocked reads the latest state, extends it and commits that. The caller holds the lock on the log.
func (a *Array) reserveLocked(e state.Extend) (nd.Section, error) {
	before, err := a.log.ReadOn(a.logged, 0, nil)
	if err != nil {
		return nil, err
	}
	a.logged = before
	a.state.Store(before)
	record := state.Record{Extend: &e}
	after, err := before.Apply(record)
	if err != nil {
		return nil, err
	}
	if before.WidestLo != nil {
		if err := a.blankRegrown(before, after, e); err != nil {
			return nil, err
		}
	}
	if err := a.log.Append([]state.Record{record}, a.opts.Durability != DurabilityNone); err != nil {
		return nil, err
	}
	a.logged = after
	a.state.Store(after)
	a.store.SetCommitted(after.Grid.Chunks(), a.log.Commits())
	if err := a.committer.Finish(headOf(a.log)); err != nil {
		return nil, err
	}
	return state.Added(before, after, e), nil
}

// reservations returns the sections that this process may write.
func (a *Array) reservations() []nd.Section {
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	return slices.Clone(a.reserved)
}
