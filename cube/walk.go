package cube

import (
	"context"
	"slices"

	"drx"
	"drx/nd"
)

// A chunkWalk visits the cells of a selection chunk by chunk, in file order.
type chunkWalk struct {
	c        *Cube
	sel      Selection
	strides  []int // per dimension, the distance of neighbours in the result; 0 if reduced
	reduced  []bool
	progress func(cells int)
	empty    func(cell []byte) bool // nil if no cell is empty
	seen     int                    // cells so far
	buf      []byte
}

// rows calls f with rows of cells, the position of a row's first cell in the result, and the
// distance between neighbouring cells there. It skips unwritten chunks, so that its time depends on
// the written ones. It returns the error of ctx or the first error of f.
func (w *chunkWalk) rows(ctx context.Context, f func(cells []byte, to, stride int) error) error {
	sec, ok := w.section()
	if !ok {
		return ctx.Err()
	}
	for p, err := range w.c.a.Parts(drx.Walk{Section: sec, Written: true}) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = w.chunkRows(p.Index, f)
		}
		if err != nil {
			return err
		}
	}
	if n, err := nd.Product(w.sel.Shape()...); err == nil && w.progress != nil && n > w.seen {
		w.progress(n - w.seen)
	}
	return ctx.Err()
}

// section returns the bounding box of the selection. ok is false for an empty selection.
func (w *chunkWalk) section() (sec nd.Section, ok bool) {
	for _, x := range w.sel {
		box, found := nd.Range{}, false
		for _, r := range x {
			switch {
			case r.Len() == 0:
			case !found:
				box, found = nd.Span(r.Lo, r.Hi), true
			default:
				box = nd.Span(min(box.Lo, r.Lo), max(box.Hi, r.Hi))
			}
		}
		if !found {
			return nil, false
		}
		sec = append(sec, box)
	}
	return sec, true
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

// chunkRows calls f for the rows of the selection in one chunk.
func (w *chunkWalk) chunkRows(chunk []int, f func(cells []byte, to, stride int) error) error {
	extents, parts := w.c.a.ChunkShape(), make([][]chunkPart, len(chunk))
	for d, i := range chunk {
		parts[d] = w.sel[d].between(i*extents[d], (i+1)*extents[d])
	}
	box := make(nd.Section, len(chunk))
	var each func(d, to int) error
	each = func(d, to int) error {
		if d == len(chunk) {
			return w.boxRows(box, to, f)
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

// boxRows reads a section of one chunk, calls f for its rows and reports the progress.
func (w *chunkWalk) boxRows(box nd.Section, to int, f func(cells []byte, to, stride int) error) error {
	n, err := box.Len()
	if err == nil {
		err = w.readRows(box, n, to, f)
	}
	if err != nil {
		return err
	}
	if w.seen += n; w.progress != nil {
		w.progress(n)
	}
	return nil
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
