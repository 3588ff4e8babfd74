package drx

import (
	"fmt"
	"slices"

	"drx/internal/fileset"
	"drx/internal/state"
	"drx/nd"
)

// Reserve grows dimension dim by so many elements, as Extend does, and returns the section
// that is new: it belongs to this Array now, which may write to it while other processes do
// the same with theirs. The extension is committed when Reserve returns. The array must have
// been opened with Options.Shared; nothing but reserved sections can be written then.
//
// What is written becomes visible and durable with Sync and Close: chunks that lie in the
// section as a whole. A chunk that two sections share is changed under a lock of its own,
// durably at once, by Write, Fill and Set. The error wraps ErrRank, ErrBounds, ErrOverflow,
// ErrLocked when the others do not come to an end for ten seconds, ErrReadOnly or ErrClosed.
func (a *Array) Reserve(dim, by int) (nd.Section, error) {
	return a.reserve(state.Extend{Dim: dim, By: by})
}

// ReserveLow is Reserve that grows as ExtendLow does.
func (a *Array) ReserveLow(dim, by int) (nd.Section, error) {
	return a.reserve(state.Extend{Dim: dim, By: by, Low: true})
}

func (a *Array) reserve(e state.Extend) (nd.Section, error) {
	op := fmt.Sprintf("reserve %d of dimension %d", e.By, e.Dim)
	done, err := a.begin(op, true)
	if err != nil {
		return nil, err
	}
	defer done()
	if !a.shared {
		return nil, a.errorf(op, fmt.Errorf("the array is not open with Options.Shared: %w", ErrReadOnly))
	}
	a.grow.Lock()
	defer a.grow.Unlock()
	if err := fileset.LockSoon(a.file); err != nil {
		return nil, a.errorf(op, err)
	}
	added, err := a.reserveLocked(e)
	if unlockErr := a.file.Unlock(); err == nil {
		err = unlockErr
	}
	if err != nil {
		return nil, a.errorf(op, err)
	}
	a.reserved = append(a.reserved, added)
	return added, nil
}

// reserve extends and commits with the log locked.
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
	line, err := a.log.Line([]state.Record{record})
	if err != nil {
		return nil, err
	}
	if err := a.log.AppendLine(line, a.durability != DurabilityNone); err != nil {
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

// reservations returns what this process may write.
func (a *Array) reservations() []nd.Section {
	a.grow.Lock()
	defer a.grow.Unlock()
	return slices.Clone(a.reserved)
}
