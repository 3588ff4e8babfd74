package relayout

import (
	"slices"

	"drx/internal/strided"
	"drx/nd"
)

// A box is the elements [lo, hi) of a pass, in target dimensions counted from the first.
type box struct{ lo, hi []int }

func (b box) shape() []int { return nd.Shape(b.lo, b.hi) }

func (b box) size(elem int) int {
	n := elem
	for d := range b.lo {
		n *= b.hi[d] - b.lo[d]
	}
	return n
}

// with returns the box with [lo, hi) in dimension d.
func (b box) with(d, lo, hi int) box {
	b = box{slices.Clone(b.lo), slices.Clone(b.hi)}
	b.lo[d], b.hi[d] = lo, hi
	return b
}

// A view is a buffer that holds elements: the one at x lies at the sum over d of
// (x[d] - origin[d]) * strides[d] bytes.
type view struct {
	buf     []byte
	origin  []int
	strides []int
}

// dense returns the view of a buffer that holds a box of the given extents without gaps, its
// dimensions in the given order.
func dense(buf []byte, origin, shape []int, order nd.Order, elem int) view {
	v := view{buf, origin, order.Strides(shape)}
	for d := range v.strides {
		v.strides[d] *= elem
	}
	return v
}

// from returns the buffer from element x on.
func (v view) from(x []int) []byte {
	at := 0
	for d := range x {
		at += (x[d] - v.origin[d]) * v.strides[d]
	}
	return v.buf[at:]
}

// copyBox copies the elements of a box from one view to another.
func copyBox(dst, src view, b box, elem int) {
	strided.Copy(dst.from(b.lo), dst.strides, src.from(b.lo), src.strides, b.shape(), elem)
}

// A move is one step of a pass at work: where it is, and the views of its buffers.
type move struct {
	pass  *Pass
	steps []step // of each dimension
	work  view
	// layers are the views of the layers as the step finds them, next as it leaves them.
	layers, next []view
}

// written is what the step writes.
func (m *move) written() box {
	return m.box(func(s step) (int, int) { return s.w0, s.w1 })
}

// read is what the step reads.
func (m *move) read() box {
	return m.box(func(s step) (int, int) { return s.y0, s.y1 })
}

func (m *move) box(f func(step) (int, int)) box {
	b := box{make([]int, len(m.steps)), make([]int, len(m.steps))}
	for d, s := range m.steps {
		b.lo[d], b.hi[d] = f(s)
	}
	return b
}

// direct says that the step writes what it reads and nothing else.
func (m *move) direct() bool {
	for _, s := range m.steps {
		if s.y0 != s.w0 || s.y1 != s.w1 {
			return false
		}
	}
	return true
}

// waiting is what the layer of dimension d holds for this step: what is unused along d, of
// what was read since the slower dimensions moved, and what the step writes of the faster.
func (m *move) waiting(d int) box {
	b := m.read()
	for _, e := range m.pass.Traversal {
		if e == d {
			b.lo[d], b.hi[d] = m.steps[d].w0, m.steps[d].y0
			return b
		}
		b.lo[e], b.hi[e] = m.steps[e].w0, m.steps[e].w1
	}
	return b
}

// gather places what was unused before the step. It begins with the slowest dimension: what
// the others hold may have to wait on, in the layer of a slower one.
func (m *move) gather() {
	for _, d := range slices.Backward(m.pass.Traversal) {
		if b := m.waiting(d); b.size(1) > 0 {
			m.place(m.layers[d], b)
		}
	}
}

// place copies a box of elements to where they belong (invariant 3): what is beyond the
// target chunks of this step waits in the layer of the fastest such dimension, all else is
// written now.
func (m *move) place(src view, b box) {
	elem := m.pass.problem.elem
	for _, d := range m.pass.Traversal {
		w := m.steps[d].w1
		if b.hi[d] <= w {
			continue
		}
		copyBox(m.next[d], src, b.with(d, max(b.lo[d], w), b.hi[d]), elem)
		if b.lo[d] >= w {
			return
		}
		b = b.with(d, b.lo[d], w)
	}
	copyBox(m.work, src, b, elem)
}

// A sweep enumerates the steps of a template.
type sweep struct {
	pass  *Pass
	first []int    // first element of the template
	steps [][]step // of each dimension
	at    []int    // the step, per dimension
}

// sweep returns the steps of the template with the given index.
func (p *Pass) sweep(index []int) *sweep {
	s := &sweep{pass: p, at: make([]int, len(index))}
	for d, a := range p.problem.axes {
		lo := index[d] * p.choice.blocks[d]
		hi := min(lo+p.choice.blocks[d], a.blocks())
		s.first = append(s.first, a.targetCut(lo))
		s.steps = append(s.steps, a.steps(lo, hi, p.choice.atLeast[d]))
	}
	return s
}

// next goes on to the next step, along the first dimension of the traversal that has one,
// and reports whether there was one.
func (s *sweep) next() bool {
	for _, d := range s.pass.Traversal {
		if s.at[d]++; s.at[d] < len(s.steps[d]) {
			return true
		}
		s.at[d] = 0
	}
	return false
}

// bare returns the present step without buffers.
func (s *sweep) bare() *move {
	m := &move{pass: s.pass}
	for d, i := range s.at {
		m.steps = append(m.steps, s.steps[d][i])
	}
	return m
}

// move returns the present step with its views of the buffers.
func (s *sweep) move(work []byte, layers [][]byte, order nd.Order) *move {
	p, m := s.pass, s.bare()
	w := m.written()
	m.work = dense(work[:w.size(p.problem.elem)], w.lo, w.shape(), order, p.problem.elem)
	for d := range layers {
		shape, origin := make([]int, len(s.at)), make([]int, len(s.at))
		i := slices.Index(p.Traversal, d)
		for j, e := range p.Traversal {
			shape[e] = p.layout.profiles[e].inLayer(i, j)
			if origin[e] = s.first[e]; j > i {
				origin[e] = m.steps[e].y0
			}
		}
		m.layers = append(m.layers, m.layer(layers[d], d, m.steps[d].w0, origin, shape))
		m.next = append(m.next, m.layer(layers[d], d, m.steps[d].w1, origin, shape))
	}
	return m
}

// layer returns the view of the layer of dimension d that begins there at element from.
func (m *move) layer(buf []byte, d, from int, origin, shape []int) view {
	at := slices.Clone(origin)
	at[d] = from
	return dense(buf, at, shape, nil, m.pass.problem.elem)
}
