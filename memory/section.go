package memory

import (
	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/internal/plan"
	"drx/internal/strided"
	"drx/nd"
)

// Read returns the elements of a section, dense and row-major or in the given order. A nil section
// is the whole array. The error wraps drx.ErrRank for a section or an order of another rank,
// drx.ErrBounds for a section outside the bounds, or drx.ErrOverflow.
func (a *Array[T]) Read(sec nd.Section, order ...nd.Order) ([]T, error) {
	t, err := a.begin("read", sec, order)
	if err != nil {
		return nil, err
	}
	data := make([]T, t.n)
	t.read(data)
	return data, nil
}

// ReadInto is Read into data, which must have the length of the section; otherwise the error wraps
// drx.ErrSize.
func (a *Array[T]) ReadInto(sec nd.Section, data []T, order ...nd.Order) error {
	t, err := a.beginWith("read", data, sec, order)
	if err != nil {
		return err
	}
	t.read(data)
	return nil
}

// Write writes the elements of a section, dense and row-major or in the given order. The error
// wraps drx.ErrSize unless data has the length of the section, or is one of Read; nothing is
// written then.
func (a *Array[T]) Write(sec nd.Section, data []T, order ...nd.Order) error {
	t, err := a.beginWith("write", data, sec, order)
	if err != nil {
		return err
	}
	buf, elem := dtype.Bytes(data), a.DType().Size()
	t.view.boxes(t.sec, t.strides, func(b *box) {
		strided.Copy(b.mem[b.at:], b.strides, buf[b.buf:], t.strides, b.shape, elem)
	})
	return nil
}

// Fill sets every element of a section to value. A nil section is the whole array. The error
// wraps drx.ErrRank, drx.ErrBounds or drx.ErrOverflow.
func (a *Array[T]) Fill(sec nd.Section, value T) error {
	t, err := a.begin("fill", sec, nil)
	if err != nil {
		return err
	}
	t.view.fillBoxes(t.sec, value)
	return nil
}

// fillBoxes sets the elements of a resolved section.
func (v *view[T]) fillBoxes(sec nd.Section, value T) {
	bytes := dtype.Bytes([]T{value})
	v.boxes(sec, make([]int, len(sec)), func(b *box) { strided.Fill(b.mem[b.at:], b.strides, b.shape, bytes) })
}

// A transfer moves one section between a view and a buffer.
type transfer[T dtype.Element] struct {
	view    *view[T]
	sec     nd.Section
	strides []int // of the buffer, in bytes
	n       int   // elements
}

// begin checks a section and an order against the array.
func (a *Array[T]) begin(op string, sec nd.Section, order []nd.Order) (*transfer[T], error) {
	t := &transfer[T]{view: a.view.Load()}
	return t, fail(op, t.resolve(sec, order))
}

// beginWith is begin with a check of the length of data.
func (a *Array[T]) beginWith(op string, data []T, sec nd.Section, order []nd.Order) (*transfer[T], error) {
	t, err := a.begin(op, sec, order)
	if err == nil && len(data) != t.n {
		err = fail(op, errkind.Errorf(drx.ErrSize, "buffer of %d elements for section %v, which has %d", len(data), t.sec, t.n))
	}
	return t, err
}

func (t *transfer[T]) resolve(sec nd.Section, order []nd.Order) (err error) {
	s := t.view.state
	if t.sec, err = sec.Resolve(s.Lo, s.Hi); err != nil {
		return err
	}
	o := nd.RowMajor
	switch len(order) {
	case 0:
	case 1:
		o = order[0]
	default:
		return errkind.Errorf(nd.ErrRank, "%d orders given: want at most one", len(order))
	}
	if err := o.Check(len(s.Lo)); err != nil {
		return err
	}
	// The elements are in memory, so their size in bytes does not overflow.
	shape := t.sec.Shape()
	if t.n, err = nd.Product(shape...); err != nil {
		return err
	}
	t.strides = o.Strides(shape)
	for d := range t.strides {
		t.strides[d] *= s.DType.Size()
	}
	return nil
}

func (t *transfer[T]) read(data []T) {
	buf, elem := dtype.Bytes(data), t.view.state.DType.Size()
	t.view.boxes(t.sec, t.strides, func(b *box) {
		strided.Copy(buf[b.buf:], t.strides, b.mem[b.at:], b.strides, b.shape, elem)
	})
}

// A box is a part of a section whose elements lie in memory at constant distances.
type box struct {
	mem     []byte
	at, buf int   // its first element in mem and in the buffer, in bytes
	strides []int // in mem, in bytes; a dimension with a negative stride has extent 1
	shape   []int
}

// boxes calls f with the parts of a resolved section, in the order of their chunks' numbers.
// strides are the strides of the buffer, in bytes. The box is reused between calls.
func (v *view[T]) boxes(sec nd.Section, strides []int, f func(*box)) {
	k := len(sec)
	b := &box{strides: make([]int, k), shape: make([]int, k)}
	if v.single {
		v.boxesOfSegments(sec, strides, b, f)
		return
	}
	for d, r := range sec {
		b.strides[d] = v.state.Strides[d] * r.Step
	}
	elem := v.state.DType.Size()
	// plan.Each returns only errors of this function, which has none.
	_ = plan.Each(v.state, sec, func(p *plan.Piece) error {
		mem, at := v.locate(p.Chunk)
		b.mem, b.at, b.buf, b.shape = dtype.Bytes(mem), at*elem, 0, p.Shape
		for d := range strides {
			b.at += p.First[d] * v.state.Strides[d]
			b.buf += p.Pos[d] * strides[d]
		}
		f(b)
		return nil
	})
}

// boxesOfSegments is boxes for chunks of one element, for which a whole segment is one affine map.
func (v *view[T]) boxesOfSegments(sec nd.Section, strides []int, b *box, f func(*box)) {
	lo, hi := make([]int, len(sec)), make([]int, len(sec))
	for d, r := range sec {
		n := r.Len()
		if n == 0 {
			return
		}
		lo[d], hi[d] = r.Lo, r.Lo+(n-1)*r.Step+1
	}
	for _, run := range v.runs(lo, hi) {
		c := segmentCut[T]{view: v, sec: sec, buf: strides, box: b, run: &run, m: v.mapOf(run.Segment)}
		c.walk(f)
	}
}

// runs is Grid.Runs for a box that is not empty. It is faster for a box in one segment, for example
// one that Extend has added. Segments are boxes, so a box lies in one segment if two opposite
// corners do, and the records of its other indices need not be looked up.
func (v *view[T]) runs(lo, hi []int) []axial.Run {
	g, last, above := v.grid, make([]int, len(lo)), make([]int, len(lo))
	for d := range lo {
		last[d], above[d] = hi[d]-1, lo[d]+1
	}
	first, _ := g.SegmentOf(lo)
	if other, _ := g.SegmentOf(last); first != other {
		return g.Runs(lo, hi)
	}
	runs := g.Runs(lo, above)
	copy(runs[0].Hi, hi)
	return runs
}

// A segmentCut divides the part of a section that lies in one segment by pieces of memory.
type segmentCut[T dtype.Element] struct {
	view *view[T]
	sec  nd.Section
	buf  []int // strides of the buffer, in bytes
	box  *box
	run  *axial.Run
	m    []int // the segment's map
}

// walk calls f with a box for each piece of memory with slabs of the run.
func (c *segmentCut[T]) walk(f func(*box)) {
	dim := c.run.Order[0]
	lo, hi := c.run.Lo[dim], c.run.Hi[dim]
	seg := &c.view.segs[c.run.Segment]
	heads := seg.headSlabs()
	start := c.firstSlab(seg.slab)
	for at, end := start, start+hi-lo; at < end; {
		mem, first, n := seg.head, 0, heads
		if at >= heads {
			var i int
			i, first, n = seg.block(at - heads)
			mem, first = c.view.blocks[seg.first+i], first+heads
		}
		next := min(end, first+n)
		from, to := lo+at-start, lo+next-start
		if c.run.Down {
			from, to = hi-(next-start), hi-(at-start)
		}
		c.cut(dim, from, to, mem, first*seg.slab, f)
		at = next
	}
}

// firstSlab returns the number of the run's first slab, counted from the segment's first slab.
func (c *segmentCut[T]) firstSlab(slab int) int {
	dim, at := c.run.Order[0], c.m[0]
	for d, i := range c.run.Lo {
		if d == dim && c.run.Down {
			i = c.run.Hi[d] - 1
		}
		at += c.m[1+d] * i
	}
	return at / slab
}

// cut calls f with the part of the run whose indices along dim are in [from, to). mem begins origin
// elements after the beginning of the segment.
func (c *segmentCut[T]) cut(dim, from, to int, mem []T, origin int, f func(*box)) {
	b, elem := c.box, c.view.state.DType.Size()
	at := c.m[0] - origin
	b.mem, b.buf = dtype.Bytes(mem), 0
	for d, r := range c.sec {
		lo, hi := c.run.Lo[d], c.run.Hi[d]
		if d == dim {
			lo, hi = from, to
		}
		pos := 0
		if lo > r.Lo {
			pos = (lo-r.Lo-1)/r.Step + 1
		}
		r.Lo += pos * r.Step
		r.Hi = hi
		if b.shape[d] = r.Len(); b.shape[d] == 0 {
			return
		}
		b.strides[d] = c.m[1+d] * r.Step * elem
		b.buf += pos * c.buf[d]
		at += c.m[1+d] * r.Lo
	}
	b.at = at * elem
	if !c.run.Down {
		f(b)
		return
	}
	// strided needs ascending addresses, so copy one index along dim at a time.
	n := b.shape[dim]
	b.shape[dim] = 1
	for range n {
		f(b)
		b.at += b.strides[dim]
		b.buf += c.buf[dim]
	}
}
