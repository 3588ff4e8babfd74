package cube

import (
	"context"
	"slices"

	"drx/axial"
	"drx/nd"
)

// A chunkWalk goes through the cells of a selection chunk by chunk, in file order.
type chunkWalk struct {
	c        *Cube
	sel      Selection
	strides  []int // per dimension, the distance of neighbours in the result; 0 in reduced dimensions
	progress func(cells int)
	buf      []byte
}

// rows calls f with rows of cells, the position of the first cell in the result, and the distance
// from each cell to the next. It returns the error of ctx or the first error of f.
func (w *chunkWalk) rows(ctx context.Context, f func(cells []byte, to, stride int) error) error {
	lo, hi, ok := w.chunks()
	if !ok {
		return ctx.Err()
	}
	for _, run := range w.c.a.Grid().Runs(lo, hi) {
		err := eachChunk(&run, func(chunk []int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			skip, err := w.isUnwritten(run.Number(chunk))
			if err != nil {
				return err
			}
			return w.chunkRows(chunk, skip, f)
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// chunks returns the bounding box of the selection's chunks. ok is false for an empty selection.
func (w *chunkWalk) chunks() (lo, hi []int, ok bool) {
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

// eachChunk calls f with the index of every chunk of a run, in file order. It returns the first
// error of f.
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

// A chunkPart is the part of a range of the selection that lies in one chunk. at is the position of
// its first index in the selection.
type chunkPart struct {
	r  nd.Range
	at int
}

// between returns the parts of the ranges in [lo, hi).
func (x Indices) between(lo, hi int) []chunkPart {
	var parts []chunkPart
	at := 0
	for _, r := range x {
		step := r.Stride()
		skip := max(0, nd.CeilDiv(lo-r.Lo, step)) // indices below lo
		n := min(nd.CeilDiv(min(r.Hi, hi)-r.Lo, step), r.Len()) - skip
		if n > 0 {
			from := r.Lo + skip*step
			parts = append(parts, chunkPart{nd.Span(from, from+(n-1)*step+1).By(step), at + skip})
		}
		at += r.Len()
	}
	return parts
}

// isUnwritten reports whether a chunk has only empty cells because it was never written.
func (w *chunkWalk) isUnwritten(q axial.Number) (bool, error) {
	if w.c.empty == nil {
		return false, nil
	}
	written, err := w.c.a.Written(q)
	return !written, err
}

// chunkRows calls f for the rows of the selection in one chunk. With skip it only reports the progress.
func (w *chunkWalk) chunkRows(chunk []int, skip bool, f func(cells []byte, to, stride int) error) error {
	extents, parts := w.c.a.ChunkShape(), make([][]chunkPart, len(chunk))
	for d, i := range chunk {
		parts[d] = w.sel[d].between(i*extents[d], (i+1)*extents[d])
	}
	box := make(nd.Section, len(chunk))
	var each func(d, to int) error
	each = func(d, to int) error {
		if d == len(chunk) {
			return w.boxRows(box, to, skip, f)
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

// boxRows reads a section of one chunk and calls f for its rows. With skip it only reports the progress.
func (w *chunkWalk) boxRows(box nd.Section, to int, skip bool, f func(cells []byte, to, stride int) error) error {
	n, err := box.Len()
	if err != nil {
		return err
	}
	if !skip {
		err = w.readRows(box, n, to, f)
	}
	if err == nil && w.progress != nil {
		w.progress(n)
	}
	return err
}

// readRows reads a section of n elements and calls f for its rows.
func (w *chunkWalk) readRows(box nd.Section, n, to int, f func(cells []byte, to, stride int) error) error {
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
