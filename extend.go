package drx

import (
	"fmt"
	"slices"

	"drx/axial"
	"drx/internal/state"
	"drx/nd"
)

// Extend grows dimension dim by the given number of elements above its highest index. It returns
// the new section, which has all present indices of the other dimensions. Extend writes no data:
// the new elements read as the fill value. The extension becomes durable with Sync.
//
// The error wraps ErrRank if the dimension does not exist, ErrBounds if by is less than 1,
// ErrOverflow if the elements or chunks of the array could no longer be counted in 64 bits, or if
// its files would be longer than the file system allows (16 TiB on ext4), ErrReadOnly or ErrClosed.
// After an error the array is unchanged.
func (a *Array) Extend(dim, by int) (nd.Section, error) {
	return a.extend(dim, by, axial.High, false)
}

// ExtendLow is like Extend but grows the dimension below its lowest index, so that indices become
// negative in time. Every element keeps its index.
func (a *Array) ExtendLow(dim, by int) (nd.Section, error) {
	return a.extend(dim, by, axial.Low, false)
}

// ExtendCubical is like Extend or, for axial.Low, ExtendLow. It then extends the other dimensions
// on the same side, in turn and each time by at most a chunk's extent, until all extents are equal
// (Nimako's thesis, section 5.3). It returns the section of all new indices of dim, with the other
// dimensions as they are after the call. The error also wraps ErrOverflow if more than 2^20 steps
// are needed, and ErrBounds for an invalid side.
func (a *Array) ExtendCubical(dim, by int, side axial.Side) (nd.Section, error) {
	if err := state.CheckSide(side); err != nil {
		return nil, a.errorf("extend", err)
	}
	return a.extend(dim, by, side, true)
}

// extend is Extend and its variants. It composes the name of the operation only for an error,
// because composing it takes longer than the extension itself.
func (a *Array) extend(dim, by int, side axial.Side, cubical bool) (nd.Section, error) {
	added, err := a.applyExtension(state.Extend{Dim: dim, By: by, Low: side == axial.Low}, cubical)
	if err != nil {
		return nil, a.errorf(fmt.Sprintf("extend dimension %d by %d", dim, by), err)
	}
	return added, nil
}

// applyExtension applies an extension, and those of ExtendCubical if cubical is true, and returns
// the new section.
func (a *Array) applyExtension(e state.Extend, cubical bool) (nd.Section, error) {
	if err := a.lockChunkChange(); err != nil {
		return nil, err
	}
	defer a.endChunkChange()
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	if err := a.errUnlessExclusive(); err != nil {
		return nil, err
	}
	before := a.state.Load()
	steps := []state.Extend{e}
	if cubical {
		var err error
		if steps, err = before.Cubical(e); err != nil {
			return nil, err
		}
	}
	var one [1]state.Record // avoids an allocation in the usual case
	records := one[:0]
	for i := range steps {
		records = append(records, state.Record{Extend: &steps[i]})
	}
	if err := a.apply(records); err != nil {
		return nil, err
	}
	after := a.state.Load()
	return state.Added(before, after, e), nil
}

// AddDim adds a last dimension of extent 1 with the given name, which may be empty, and returns its
// number. No element moves: each gets index 0 in the new dimension, which can be extended like any
// other. The error wraps ErrRank if the array has nd.MaxRank dimensions already or the name is
// taken, ErrReadOnly or ErrClosed.
func (a *Array) AddDim(name string) (int, error) {
	op := "add dimension " + name
	if err := a.change(op, state.Record{AddDim: &state.AddDim{Name: name}}); err != nil {
		return 0, err
	}
	return a.Rank() - 1, nil
}

// RenameDim renames a dimension; the new name may be empty. It becomes durable with the next Sync.
// Attributes are not changed; dataset.Dataset.Rename also updates those that mention the dimension.
// The error wraps ErrRank if there is no such dimension or another one has the name, fs.ErrInvalid
// for a name that is not text, ErrReadOnly or ErrClosed.
func (a *Array) RenameDim(dim int, name string) error {
	return a.change("rename dimension", state.Record{RenameDim: &state.RenameDim{Dim: dim, Name: name}})
}

// change applies records to the state and keeps them for the next Sync. After an error no record is
// applied.
func (a *Array) change(op string, records ...state.Record) error {
	done, err := a.begin(op, true)
	if err != nil {
		return err
	}
	defer done()
	a.stateMu.Lock()
	defer a.stateMu.Unlock()
	if err := a.errUnlessExclusive(); err != nil {
		return a.errorf(op, err)
	}
	return a.errorf(op, a.apply(records))
}

// apply is change for a caller that holds the locks.
func (a *Array) apply(records []state.Record) error {
	s := a.state.Load()
	for _, r := range records {
		next, err := s.Apply(r)
		if err == nil && r.Extend != nil && s.WidestLo != nil {
			err = a.blankRegrown(s, next, *r.Extend)
		}
		if err == nil && next.Grid.Chunks() > s.Grid.Chunks() {
			err = a.store.Fits(next.Grid.Chunks())
		}
		if err != nil {
			return err
		}
		s = next
	}
	for _, r := range records {
		a.addPending(r)
	}
	a.state.Store(s)
	if a.writer != nil {
		a.writer.Expect(s.Grid.Chunks())
	}
	return nil
}

// Fits returns an error wrapping ErrOverflow if the file system does not allow files that have room
// for all chunks of the array: such an array can be created, but not be written completely.
func (a *Array) Fits() error {
	done, err := a.begin("fits", false)
	if err != nil {
		return err
	}
	defer done()
	return a.errorf("fits", a.store.Fits(a.state.Load().Grid.Chunks()))
}

// addPending appends a record to those of the next commit. An extension that continues the last one
// is merged with it: the state is the same, and a million uncommitted steps become one record.
func (a *Array) addPending(r state.Record) {
	if n := len(a.pending); n > 0 && r.Extend != nil {
		last := a.pending[n-1].Extend
		if last != nil && last.Dim == r.Extend.Dim && last.Low == r.Extend.Low {
			a.pending[n-1].Extend = &state.Extend{Dim: last.Dim, By: last.By + r.Extend.By, Low: last.Low}
			return
		}
	}
	if len(a.pending) == cap(a.pending) { // append alone would move long lists more often
		a.pending = slices.Grow(a.pending, len(a.pending)+1)
	}
	a.pending = append(a.pending, r)
}
