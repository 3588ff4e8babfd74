package cube

import (
	"context"
	"slices"

	"drx/axial"
	"drx/nd"
)

// A walk goes through the cells of a selection chunk by chunk, in file order.
type walk struct {
	c        *Cube
	sel      Selection
	strides  []int // per dimension, from one cell to the next in the result, 0 where it is the same
	progress func(cells int)
	buf      []byte
}

// rows calls f with rows of cells, the place of their first one in the result, and the step
// from one to the next. It returns ctx's error or the first one.
func (w *walk) rows(ctx context.Context, f func(cells []byte, to, stride int) error) error {
	lo, hi, ok := w.chunks()
	if !ok {
		return ctx.Err()
	}
	for _, run := range w.c.a.Grid().Runs(lo, hi) {
		err := eachChunk(&run, func(chunk []int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			skip, err := w.blank(run.Number(chunk))
			if err != nil {
				return err
			}
			return w.chunk(chunk, skip, f)
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// chunks returns the box of chunks that holds the selection, and whether that has any cells.
func (w *walk) chunks() (lo, hi []int, ok bool) {
	extents := w.c.a.ChunkShape()
	lo, hi = make([]int, len(w.sel)), make([]int, len(w.sel))
	for d, x := range w.sel {
		first := true
		for _, r := range x {
			if r.Len() == 0 {
				continue
			}
			from, to := nd.FloorDiv(r.Lo, extents[d]), nd.FloorDiv(r.Hi-1, extents[d])+1
			if first {
				lo[d], hi[d], first = from, to, false
			}
			lo[d], hi[d] = min(lo[d], from), max(hi[d], to)
		}
		if first {
			return nil, nil, false
		}
	}
	return lo, hi, true
}

// eachChunk calls f with the index of every chunk of a run, in file order, until it returns
// an error.
func eachChunk(run *axial.Run, f func(chunk []int) error) error {
	rank := len(run.Order)
	step, lo, hi, chunk := make([]int, rank), make([]int, rank), make([]int, rank), make([]int, rank)
	for i, d := range run.Order {
		hi[i] = run.Hi[d] - run.Lo[d]
	}
	for more := true; more; more = nd.Next(step, lo, hi) {
		for i, d := range run.Order {
			chunk[d] = run.Lo[d] + step[i]
			if i == 0 && run.Down {
				chunk[d] = run.Hi[d] - 1 - step[i]
			}
		}
		if err := f(chunk); err != nil {
			return err
		}
	}
	return nil
}

// A stretch is the part of a range of the selection in one chunk, and the position of its first
// index in the selection.
type stretch struct {
	r  nd.Range
	at int
}

// meet returns the parts of indices between lo and hi.
func (x Indices) meet(lo, hi int) []stretch {
	var parts []stretch
	at := 0
	for _, r := range x {
		step := r.Stride()
		skip := max(0, nd.CeilDiv(lo-r.Lo, step)) // indices below lo
		n := min(nd.CeilDiv(min(r.Hi, hi)-r.Lo, step), r.Len()) - skip
		if n > 0 {
			from := r.Lo + skip*step
			parts = append(parts, stretch{nd.Span(from, from+(n-1)*step+1).By(step), at + skip})
		}
		at += r.Len()
	}
	return parts
}

// blank reports whether a chunk has nothing but empty cells because it was never written.
func (w *walk) blank(q axial.Number) (bool, error) {
	if w.c.empty == nil {
		return false, nil
	}
	written, err := w.c.a.Written(q)
	return !written, err
}

// chunk calls f for the rows of the selection in one chunk, or skips them.
func (w *walk) chunk(chunk []int, skip bool, f func(cells []byte, to, stride int) error) error {
	extents, parts := w.c.a.ChunkShape(), make([][]stretch, len(chunk))
	for d, i := range chunk {
		parts[d] = w.sel[d].meet(i*extents[d], (i+1)*extents[d])
	}
	box := make(nd.Section, len(chunk))
	var each func(d, to int) error
	each = func(d, to int) error {
		if d == len(chunk) {
			return w.box(box, to, skip, f)
		}
		for _, p := range parts[d] {
			box[d] = p.r
			if err := each(d+1, to+p.at*w.strides[d]); err != nil {
				return err
			}
		}
		return nil
	}
	return each(0, 0)
}

// box reads a section of one chunk and calls f for its rows, unless they are to be skipped.
func (w *walk) box(box nd.Section, to int, skip bool, f func(cells []byte, to, stride int) error) error {
	n, err := box.Len()
	if err != nil {
		return err
	}
	if !skip {
		err = w.read(box, n, to, f)
	}
	if err == nil && w.progress != nil {
		w.progress(n)
	}
	return err
}

// read reads a section of n elements and calls f for its rows.
func (w *walk) read(box nd.Section, n, to int, f func(cells []byte, to, stride int) error) error {
	size := w.c.a.DType().Size()
	w.buf = slices.Grow(w.buf[:0], n*size)[:n*size]
	if err := w.c.a.ReadBytes(box, w.buf, nil); err != nil {
		return err
	}
	shape, last := box.Shape(), len(box)-1
	index, lo, row := make([]int, last), make([]int, last), shape[last]*size
	for b := w.buf; len(b) > 0; b = b[row:] {
		at := to
		for d, i := range index {
			at += i * w.strides[d]
		}
		if err := f(b[:row], at, w.strides[last]); err != nil {
			return err
		}
		nd.Next(index, lo, shape[:last])
	}
	return nil
}
