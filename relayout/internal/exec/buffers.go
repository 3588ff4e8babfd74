package exec

import (
	"slices"

	"drx/internal/strided"
	"drx/nd"
	"drx/relayout/internal/planner"
)

// A view is a buffer of elements: the element at x lies at the sum over d of
// (x[d] - origin[d]) * strides[d] bytes.
type view struct {
	buf     []byte
	origin  []int
	strides []int
}

// dense returns the view of a buffer that holds a box of the given extents without gaps, its
// dimensions in the given order.
func dense(buf []byte, origin, shape []int, order nd.Order, elemSize int) view {
	v := view{buf, origin, order.Strides(shape)}
	for d := range v.strides {
		v.strides[d] *= elemSize
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
func copyBox(dst, src view, b planner.Box, elemSize int) {
	strided.Copy(dst.from(b.Lo), dst.strides, src.from(b.Lo), src.strides, b.Shape(), elemSize)
}

// stepBuffers are the buffers of a pass as one step sees them.
type stepBuffers struct {
	*planner.Step
	traversal []int
	elemSize  int
	work      view
	// layers are the views of the layers when the step begins, next when it ends.
	layers, next []view
}

// newStepBuffers returns the views of a work buffer, whose dimensions are in workOrder, and of
// the layers.
func newStepBuffers(p *planner.Pass, s *planner.Step, work []byte, workOrder nd.Order, layers [][]byte) *stepBuffers {
	b := &stepBuffers{Step: s, traversal: p.Traversal, elemSize: p.Target.ElemSize}
	written := s.Written
	b.work = dense(work[:written.Elements()*b.elemSize], written.Lo, written.Shape(), workOrder, b.elemSize)
	for d, buf := range layers {
		origin, shape := s.Layer(d)
		layer := dense(buf, origin, shape, nil, b.elemSize)
		next := layer
		next.origin = slices.Clone(origin)
		next.origin[d] = written.Hi[d]
		b.layers, b.next = append(b.layers, layer), append(b.next, next)
	}
	return b
}

// moveUnused moves the elements that were unused before the step out of the layers. It begins with
// the slowest dimension, to free its layer: elements that remain unused may move from other layers
// to the layer of a slower dimension.
func (b *stepBuffers) moveUnused() {
	for _, d := range slices.Backward(b.traversal) {
		if box := b.Unused(d); box.Elements() > 0 {
			b.distribute(b.layers[d], box)
		}
	}
}

// distribute copies the elements of a box to their destinations (invariant 3 of the planner).
// Elements beyond the target chunks of this step go to the layer of the fastest dimension in which
// they are beyond; all others go to the work buffer.
func (b *stepBuffers) distribute(src view, box planner.Box) {
	written := b.Written
	for _, d := range b.traversal {
		end := written.Hi[d]
		if box.Hi[d] <= end {
			continue
		}
		copyBox(b.next[d], src, box.With(d, max(box.Lo[d], end), box.Hi[d]), b.elemSize)
		if box.Lo[d] >= end {
			return
		}
		box = box.With(d, box.Lo[d], end)
	}
	copyBox(b.work, src, box, b.elemSize)
}
