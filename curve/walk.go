package curve

import "drx/nd"

// A walk follows the curve through the box and gives each element the next position. That is faster
// than Position for each element, which would descend from the root every time.
type walk struct {
	*bitwise
	positions []int32 // the elements in row-major order
	next      int32
	index     []int // first corner of the node
	strides   []int
}

// walk stores the position of every element in positions, the elements in row-major order.
func (o *bitwise) walk(positions []int32) {
	w := walk{bitwise: o, positions: positions, index: make([]int, o.Rank()), strides: nd.RowMajor.Strides(o.shape)}
	w.node(o.order-1, 0, state{})
}

// node visits a node whose children are at level s and whose first corner is element at.
func (w *walk) node(s, at int, orientation state) {
	if s < 0 {
		w.positions[at] = w.next
		w.next++
		return
	}
	w.children(s, at, orientation, orientation.turn, 0, 0)
}

// children visits those children of a node whose key begins with the n bits given, in the order of
// their keys. The next bit decides about dimension j. Halves without elements are skipped, so that
// every visited child has an element.
func (w *walk) children(s, at int, orientation state, j, n int, key uint) {
	if n == w.k {
		if w.hilbert {
			orientation.enter(key, w.k)
		}
		w.node(s-1, at, orientation)
		return
	}
	d, after := w.dims[j], j+1
	if after == w.k {
		after = 0
	}
	first := w.upperFirst(orientation, j, key)
	for bit := range uint(2) {
		if bit^first == 0 {
			w.children(s, at, orientation, after, n+1, key<<1|bit)
		} else if corner := w.index[d]; corner+1<<s < w.shape[d] {
			w.index[d] = corner + 1<<s
			w.children(s, at+w.strides[d]<<s, orientation, after, n+1, key<<1|bit)
			w.index[d] = corner
		}
	}
}
