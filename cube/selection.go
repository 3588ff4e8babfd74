package cube

import (
	"math"
	"slices"

	"drx"
	"drx/internal/errkind"
	"drx/nd"
)

// Indices is a list of indices of one dimension, as resolved ranges in the order of the list.
type Indices []nd.Range

// Len returns the number of indices.
func (x Indices) Len() int {
	n := 0
	for _, r := range x {
		n += r.Len()
	}
	return n
}

// At returns the index at a position in the list, 0 to Len()-1.
func (x Indices) At(position int) int {
	for _, r := range x {
		if n := r.Len(); position >= n {
			position -= n
			continue
		}
		return r.Lo + position*r.Stride()
	}
	return 0
}

// Slice returns the n indices that begin at a position.
func (x Indices) Slice(position, n int) Indices {
	var part Indices
	for _, r := range x {
		if n == 0 {
			break
		}
		if position >= r.Len() {
			position -= r.Len()
			continue
		}
		count := min(n, r.Len()-position)
		lo := r.Lo + position*r.Stride()
		part = append(part, nd.Span(lo, lo+(count-1)*r.Stride()+1).By(r.Stride()))
		position, n = 0, n-count
	}
	return part
}

// Every returns every n-th index, beginning with the first.
func (x Indices) Every(n int) Indices {
	var part Indices
	skip := 0 // indices to skip before the next one
	for _, r := range x {
		count := r.Len()
		if skip >= count {
			skip -= count
			continue
		}
		step, ok := nd.Mul(r.Stride(), n)
		if !ok { // the step is larger than any range
			step = math.MaxInt
		}
		lo := r.Lo + skip*r.Stride()
		part = append(part, nd.Span(lo, r.Hi).By(step))
		skip += nd.CeilDiv(count-skip, n)*n - count
	}
	return part
}

// Append returns the indices of x, followed by the indices of more.
func (x Indices) Append(more Indices) Indices {
	for _, r := range more {
		x = x.appendRange(r)
	}
	return x
}

// Twice returns an index that is twice in the list, if there is one. The ranges must have step 1.
func (x Indices) Twice() (index int, found bool) {
	sorted := slices.Clone(x)
	slices.SortFunc(sorted, func(r, s nd.Range) int { return r.Lo - s.Lo })
	for i := 1; i < len(sorted); i++ {
		if sorted[i].Lo < sorted[i-1].Hi {
			return sorted[i].Lo, true
		}
	}
	return 0, false
}

// appendRange appends a range. It extends the last range if both have step 1 and are adjacent.
func (x Indices) appendRange(r nd.Range) Indices {
	if n := len(x); n > 0 && x[n-1].Hi == r.Lo && x[n-1].Stride() == 1 && r.Stride() == 1 {
		x[n-1].Hi = r.Hi
		return x
	}
	return append(x, r)
}

// A Selection has a list of indices per dimension. It selects the elements whose index is in the
// list in every dimension.
type Selection []Indices

// Box returns a resolved section as a selection.
func Box(sec nd.Section) Selection {
	sel := make(Selection, len(sec))
	for d, r := range sec {
		sel[d] = Indices{r.By(r.Stride())}
	}
	return sel
}

// Section returns the selection as a section. It returns false unless each dimension has exactly
// one range.
func (s Selection) Section() (nd.Section, bool) {
	sec := make(nd.Section, len(s))
	for d, x := range s {
		if len(x) != 1 {
			return nil, false
		}
		sec[d] = x[0]
	}
	return sec, true
}

// Shape returns the number of indices per dimension.
func (s Selection) Shape() []int {
	shape := make([]int, len(s))
	for d, x := range s {
		shape[d] = x.Len()
	}
	return shape
}

// Parts cuts the selection into parts of about the given number of bytes, but at least one
// element, where elem is the element size in bytes. It calls f for each part, and returns the first
// error of f. The parts come in the order of their elements in a dense buffer of the given order.
func (s Selection) Parts(order nd.Order, elem, bytes int, f func(part Selection) error) error {
	dims, shape := order.Dims(len(s)), s.Shape()
	for _, n := range shape {
		if n == 0 {
			return nil
		}
	}
	level, below := len(dims)-1, max(1, elem)
	for ; level > 0; level-- {
		next, ok := nd.Mul(below, shape[dims[level]])
		if !ok || next > bytes {
			break
		}
		below = next
	}
	return s.parts(slices.Clone(s), dims[:level+1], max(1, bytes/below), f)
}

// parts iterates over the dimensions in dims: the last one in steps of step indices, the others
// index by index.
func (s Selection) parts(part Selection, dims []int, step int, f func(part Selection) error) error {
	d, by := dims[0], 1
	if len(dims) == 1 {
		by = step
	}
	for i, n := 0, s[d].Len(); i < n; i += by {
		part[d] = s[d].Slice(i, min(by, n-i))
		var err error
		if len(dims) == 1 {
			err = f(part)
		} else {
			err = s.parts(part, dims[1:], step, f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Read reads the elements of a selection into buf: dense, little-endian, with the dimensions in
// the given order. The error wraps drx.ErrSize if buf does not have the size of the elements,
// drx.ErrRank for a wrong rank of the selection or the order, drx.ErrBounds for a selection outside
// the bounds, or is that of drx.Array.ReadBytes.
func (c *Cube) Read(sel Selection, buf []byte, order nd.Order) error {
	if sec, ok := sel.Section(); ok {
		return c.a.ReadBytes(sec, buf, order)
	}
	if err := sel.Check(c.a.Bounds(), c.dimName); err != nil {
		return err
	}
	if err := order.Check(len(sel)); err != nil {
		return err
	}
	size := c.a.DType().Size()
	n, err := nd.Product(sel.Shape()...)
	if err != nil {
		return err
	}
	if bytes, ok := nd.Mul(n, size); !ok || bytes != len(buf) {
		return errkind.Errorf(drx.ErrSize, "%s: the buffer has %d bytes, the selection %d elements of %d", c.a.Name(), len(buf), n, size)
	}
	g := gather{dims: order.Dims(len(sel)), strides: order.Strides(sel.Shape()), elem: size, to: buf}
	return sel.Boxes(func(box nd.Section, at []int) error {
		n, _ := box.Len()
		g.from = slices.Grow(g.from[:0], n*size)[:n*size]
		if err := c.a.ReadBytes(box, g.from, order); err != nil {
			return err
		}
		g.copy(box.Shape(), at)
		return nil
	})
}

// Boxes calls f for every section of the selection with the position of the section's first element
// in each dimension. f must not keep them. It returns the first error of f.
func (s Selection) Boxes(f func(box nd.Section, at []int) error) error {
	box, at := make(nd.Section, len(s)), make([]int, len(s))
	var walk func(d int) error
	walk = func(d int) error {
		if d == len(s) {
			return f(box, at)
		}
		at[d] = 0
		for _, r := range s[d] {
			box[d] = r
			if err := walk(d + 1); err != nil {
				return err
			}
			at[d] += r.Len()
		}
		return nil
	}
	return walk(0)
}

// A gather copies boxes from dense buffers into the buffer of a selection.
type gather struct {
	dims     []int // slowest first
	strides  []int // of the selection's buffer, in elements
	elem     int   // size of an element in bytes
	from, to []byte
}

// copy copies a box of the given shape to position at. Rows of the fastest dimension are contiguous
// in both buffers.
func (g *gather) copy(shape, at []int) {
	outer := g.dims[:len(g.dims)-1]
	index, lo, hi := make([]int, len(outer)), make([]int, len(outer)), make([]int, len(outer))
	start := 0
	for d, p := range at {
		start += p * g.strides[d]
	}
	for i, d := range outer {
		hi[i] = shape[d]
	}
	row := shape[g.dims[len(outer)]] * g.elem
	from := g.from
	for more := len(from) > 0; more; more = nd.Next(index, lo, hi) {
		to := start
		for i, d := range outer {
			to += index[i] * g.strides[d]
		}
		copy(g.to[to*g.elem:][:row], from)
		from = from[row:]
	}
}
