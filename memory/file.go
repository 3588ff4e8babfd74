package memory

import (
	"slices"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/internal/state"
	"drx/nd"
)

// panelBytes is the approximate number of bytes that are copied at once between a file and memory.
const panelBytes = 4 << 20

// Load returns an array with the elements of a section of an array file; nil is the whole array.
// Indices, chunk extents, fill value and names are those of the file. If the whole array is loaded,
// its history comes with it: every chunk has the same number as in the file. The array of a section
// has a new history. The error wraps drx.ErrDType unless T is the Go type of the file's elements,
// drx.ErrBounds if the section has steps, or is one of drx.Read and New. Meanwhile the file must
// neither shrink nor get a new dimension.
func Load[T dtype.Element](file *drx.Array, sec nd.Section) (*Array[T], error) {
	a, err := load[T](file, sec)
	if err != nil {
		return nil, fail("load "+file.Name(), err)
	}
	return a, nil
}

func load[T dtype.Element](file *drx.Array, sec nd.Section) (*Array[T], error) {
	if t := dtype.Of[T](); t != file.DType() {
		return nil, errkind.Errorf(drx.ErrDType, "elements are %v, requested as %v", file.DType(), t)
	}
	bounds := file.Bounds() // before the grid, so that the grid is not smaller if the file grows
	grid := file.Grid()
	lo, hi := bounds.Bounds()
	whole := sec == nil
	sec, err := sec.Resolve(lo, hi)
	if err != nil {
		return nil, err
	}
	for d, r := range sec {
		if r.Step != 1 {
			return nil, errkind.Errorf(nd.ErrBounds, "dimension %d: step %d of a section that keeps its indices: want 1", d, r.Step)
		}
	}
	lo, hi = sec.Bounds()
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

// replay returns a view of fill values with the properties of a file, the given bounds and the
// history of the grid, or no history if grid is nil. It repeats the history rather than use the
// file's grid, because only the newest grid of a lineage may be extended.
func replay[T dtype.Element](file *drx.Array, lo, hi []int, grid *axial.Grid) (*view[T], error) {
	var fill [1]T
	copy(dtype.Bytes(fill[:]), file.FillValue())
	file.DType().ToLittle(dtype.Bytes(fill[:])) // converts from little-endian by the same swap
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

// FileSpec returns a spec for an array file with the array's initial state. If Store then writes
// the array to a file created from it, the file gets the array's history and so its chunk numbers.
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

// Store writes the elements of a section to an array file, at the same indices; nil is the whole
// array. If necessary, it first extends the file and adds dimensions. If the whole array is stored
// and the file is an earlier stage of it (loaded from it, or created from FileSpec), the file grows
// in the same steps as the array, so that chunks have the same numbers. Otherwise each dimension
// grows in one step per side, the high side first. The file's Sync makes the changes durable. The
// error wraps drx.ErrDType, drx.ErrRank for a file with more dimensions, or is one of
// drx.Array.Extend and drx.Write; parts of the file may be written then.
func (a *Array[T]) Store(file *drx.Array, sec nd.Section) error {
	return fail("store "+file.Name(), a.view.Load().storeTo(file, sec))
}

func (v *view[T]) storeTo(file *drx.Array, sec nd.Section) error {
	s := v.state
	if t := file.DType(); t != s.DType {
		return errkind.Errorf(drx.ErrDType, "elements are %v, those of the file %v", s.DType, t)
	}
	if k := file.Rank(); k > len(s.Lo) {
		return errkind.Errorf(nd.ErrRank, "file of rank %d for an array of rank %d", k, len(s.Lo))
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

// follow repeats in a file the steps that the array has made since it was like the file. It does
// nothing if the file is not an earlier stage of the array.
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

// raise extends a dimension of a file on the high side to at least hi.
func raise(file *drx.Array, dim, hi int) error {
	if by := hi - file.Bounds()[dim].Hi; by > 0 {
		_, err := file.Extend(dim, by)
		return err
	}
	return nil
}

// lower extends a dimension of a file on the low side to at most lo.
func lower(file *drx.Array, dim, lo int) error {
	if by := file.Bounds()[dim].Lo - lo; by > 0 {
		_, err := file.ExtendLow(dim, by)
		return err
	}
	return nil
}

// panels cuts a resolved section between chunks into parts of about panelBytes, and calls f with
// each part and a buffer for its elements.
func panels[T dtype.Element](sec nd.Section, chunk []int, f func(part nd.Section, data []T) error) error {
	var buffer []T
	for part := range sec.Tiles(chunk, panelBytes/dtype.Of[T]().Size()) {
		n, err := part.Len()
		if err != nil {
			return err
		}
		if cap(buffer) < n {
			buffer = make([]T, n)
		}
		if err := f(part, buffer[:n]); err != nil {
			return err
		}
	}
	return nil
}
