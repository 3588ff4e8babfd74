package memory

import (
	"fmt"
	"slices"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/internal/state"
	"drx/nd"
)

// panelBytes is about what is read or written at once between a file and memory.
const panelBytes = 4 << 20

// Load returns an array with the elements of a section of an array file; nil is all of it.
// Indices, chunk extents, fill value and names are the file's. The whole of a file comes with
// its history: every chunk has the number that it has in the file. A section begins a history
// of its own. T must be the Go type of the file's elements (drx.ErrDType), and the section have
// no steps (drx.ErrBounds). Other errors are those of drx.Read and New. Nobody may add a
// dimension to the file or shrink it meanwhile.
func Load[T dtype.Element](file *drx.Array, sec nd.Section) (*Array[T], error) {
	a, err := load[T](file, sec)
	if err != nil {
		return nil, fail("load "+file.Name(), err)
	}
	return a, nil
}

func load[T dtype.Element](file *drx.Array, sec nd.Section) (*Array[T], error) {
	if t := dtype.Of[T](); t != file.DType() {
		return nil, fmt.Errorf("elements are %v, asked for as %v: %w", file.DType(), t, drx.ErrDType)
	}
	bounds := file.Bounds() // before the grid, which may only be larger then
	grid := file.Grid()
	lo, hi := ends(bounds)
	whole := sec == nil
	sec, err := sec.Resolve(lo, hi)
	if err != nil {
		return nil, err
	}
	for d, r := range sec {
		if r.Step != 1 {
			return nil, fmt.Errorf("dimension %d: step %d of a section that keeps its indices: %w", d, r.Step, nd.ErrBounds)
		}
	}
	lo, hi = ends(sec)
	if !whole {
		grid = nil
	}
	v, err := replay[T](file, lo, hi, grid)
	if err != nil {
		return nil, err
	}
	a := &Array[T]{}
	a.view.Store(v)
	return a, panels(sec, file.ChunkShape(), func(part nd.Section, data []T) error {
		if err := drx.ReadInto(file, part, data); err != nil {
			return err
		}
		return a.Write(part, data)
	})
}

func ends(sec nd.Section) (lo, hi []int) {
	for _, r := range sec {
		lo, hi = append(lo, r.Lo), append(hi, r.Hi)
	}
	return lo, hi
}

// replay returns a view of fill values like a file's, with the given bounds and the history of
// the grid, or none for nil. The grid itself stays the file's: only one of its successors
// may be extended at a time.
func replay[T dtype.Element](file *drx.Array, lo, hi []int, grid *axial.Grid) (*view[T], error) {
	var fill [1]T
	copy(dtype.Bytes(fill[:]), file.FillValue())
	file.DType().ToLittle(dtype.Bytes(fill[:])) // and from it: the same swap
	chunk, names := file.ChunkShape(), file.Dims()
	first, last, steps := slices.Clone(lo), slices.Clone(hi), []step(nil)
	if grid != nil {
		first, last, steps = history(grid)
		for d, c := range chunk[:len(first)] {
			first[d], last[d] = first[d]*c, last[d]*c
		}
	}
	k := len(first)
	spec := Spec[T]{Shape: nd.Shape(first, last), Lo: first, ChunkShape: chunk[:k], FillValue: fill[0], Dims: names[:k]}
	a, err := New(spec)
	if err != nil {
		return nil, err
	}
	v := a.view.Load()
	for _, s := range steps {
		if v, err = v.step(s, names); err != nil {
			return nil, err
		}
	}
	s := *v.state
	s.Lo, s.Hi = lo, hi
	v.setState(&s)
	return v, nil
}

// step returns the view after a step of a history.
func (v *view[T]) step(s step, names []string) (*view[T], error) {
	if !s.addDim {
		return v.extend(state.Extend{Dim: s.dim, By: s.by * v.state.Chunk[s.dim], Low: s.side == axial.Low})
	}
	state, err := v.state.Apply(state.Record{AddDim: &state.AddDim{Name: names[s.dim]}})
	if err != nil {
		return nil, err
	}
	return v.addDim(state), nil
}

// FileSpec returns the spec of an array file that is as the array began: a file created from it,
// and then given to Store, gets the array's history and so its chunks' numbers.
func (a *Array[T]) FileSpec() drx.Spec {
	v := a.view.Load()
	s := v.state
	lo, hi, _ := history(s.Grid)
	for d, c := range s.Chunk[:len(lo)] {
		lo[d] = min(max(lo[d]*c, s.Lo[d]), s.Hi[d])
		hi[d] = max(min(hi[d]*c, s.Hi[d]), lo[d])
	}
	fill := s.DType.Format(s.Fill)
	k := len(lo)
	return drx.Spec{
		DType: s.DType, Shape: nd.Shape(lo, hi), Lo: lo, ChunkShape: slices.Clone(s.Chunk[:k]),
		FillValue: fill, Dims: slices.Clone(s.Dims[:k]),
	}
}

// Store writes the elements of a section to an array file, at the indices that they have here;
// nil is all of the array. Where the file does not reach as far, it is extended first, and given
// the dimensions that it lacks: by the array's own steps if it is an earlier stage of the whole
// array that is stored (one that was loaded, or created from FileSpec), so that chunks have the
// same numbers; else each dimension at once, the high side first. What was changed becomes
// durable with the file's Sync. The error wraps drx.ErrDType, drx.ErrRank for a file with more
// dimensions, or is one of drx.Array.Extend and drx.Write; some of the file may be written
// then.
func (a *Array[T]) Store(file *drx.Array, sec nd.Section) error {
	return fail("store "+file.Name(), a.view.Load().storeTo(file, sec))
}

func (v *view[T]) storeTo(file *drx.Array, sec nd.Section) error {
	s := v.state
	if t := file.DType(); t != s.DType {
		return fmt.Errorf("elements are %v, those of the file %v: %w", s.DType, t, drx.ErrDType)
	}
	if k := file.Rank(); k > len(s.Lo) {
		return fmt.Errorf("file of rank %d for an array of rank %d: %w", k, len(s.Lo), nd.ErrRank)
	}
	whole := sec == nil
	sec, err := sec.Resolve(s.Lo, s.Hi)
	if err != nil {
		return err
	}
	if whole {
		err = v.follow(file)
	}
	if err == nil {
		err = v.reach(file, sec)
	}
	if err != nil {
		return err
	}
	return panels(sec, file.ChunkShape(), func(part nd.Section, data []T) error {
		t := transfer[T]{view: v}
		if err := t.resolve(part, nil); err != nil {
			return err
		}
		t.read(data)
		return drx.Write(file, part, data)
	})
}

// follow makes with a file the steps that the array made since it was like the file.
func (v *view[T]) follow(file *drx.Array) error {
	s, chunk := v.state, file.ChunkShape()
	steps, ok := following(file.Grid(), s.Grid)
	if !ok || !slices.Equal(chunk, s.Chunk[:len(chunk)]) {
		return nil
	}
	lo, hi := slices.Clone(file.Grid().Lo()), slices.Clone(file.Grid().Hi())
	for _, t := range steps {
		var err error
		switch {
		case t.addDim:
			lo, hi = append(lo, 0), append(hi, 1)
			_, err = file.AddDim(s.Dims[t.dim])
		case t.side == axial.Low:
			lo[t.dim] -= t.by
			err = lower(file, t.dim, max(lo[t.dim]*s.Chunk[t.dim], s.Lo[t.dim]))
		default:
			hi[t.dim] += t.by
			err = raise(file, t.dim, min(hi[t.dim]*s.Chunk[t.dim], s.Hi[t.dim]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reach extends a file so that a section lies within its bounds.
func (v *view[T]) reach(file *drx.Array, sec nd.Section) error {
	for d := file.Rank(); d < len(sec); d++ {
		if _, err := file.AddDim(v.state.Dims[d]); err != nil {
			return err
		}
	}
	for d, r := range sec {
		if r.Lo == r.Hi {
			continue
		}
		if err := raise(file, d, r.Hi); err != nil {
			return err
		}
		if err := lower(file, d, r.Lo); err != nil {
			return err
		}
	}
	return nil
}

// raise extends a dimension of a file up to hi, if it does not reach as far.
func raise(file *drx.Array, dim, hi int) error {
	if by := hi - file.Bounds()[dim].Hi; by > 0 {
		_, err := file.Extend(dim, by)
		return err
	}
	return nil
}

// lower extends a dimension of a file down to lo, if it does not reach as far.
func lower(file *drx.Array, dim, lo int) error {
	if by := file.Bounds()[dim].Lo - lo; by > 0 {
		_, err := file.ExtendLow(dim, by)
		return err
	}
	return nil
}

// panels calls f with parts of a resolved section that are cut between chunks and take about
// panelBytes, and with room for their elements.
func panels[T dtype.Element](sec nd.Section, chunk []int, f func(part nd.Section, data []T) error) error {
	var room []T
	for part := range sec.Tiles(chunk, panelBytes/dtype.Of[T]().Size()) {
		n, err := part.Len()
		if err != nil {
			return err
		}
		if cap(room) < n {
			room = make([]T, n)
		}
		if err := f(part, room[:n]); err != nil {
			return err
		}
	}
	return nil
}
