package curve

// shell numbers the elements in shells: shell n has the elements of the cube of side n+1 that are
// not in the cube of side n, both cut to the box. A shell is a sequence of k slabs, beginning with
// the last dimension: slab d has index[d] = n, indices below n in the dimensions before d, and up
// to n in those after it.
type shell struct {
	box
	side int // the largest extent
}

// Shell returns the symmetric linear shell sequence of figure 2c of the 2007 paper, for any
// rank: the cube grows by one index at a time in each dimension in turn, the last first, and
// the elements of each slab follow in row-major order:
//
//	0  1  4  9
//	2  3  5 10
//	6  7  8 11
//	12 13 14 15
//
// The elements of a cube have the same positions in any larger cube. A box that is not a cube has
// the part of the sequence that lies in it. It returns the errors of Row.
func Shell(shape []int) (Order, error) {
	b, err := newBox(shape)
	if err != nil {
		return nil, err
	}
	o := &shell{box: b}
	for _, n := range shape {
		o.side = max(o.side, n)
	}
	return o, nil
}

// largest returns the largest n in 0..limit for which ok holds; ok holds for 0 and for
// every number below one for which it holds.
func largest(limit int, ok func(int) bool) int {
	lo, hi := 0, limit
	for lo < hi {
		middle := lo + (hi-lo)/2 + (hi-lo)%2
		if ok(middle) {
			lo = middle
		} else {
			hi = middle - 1
		}
	}
	return lo
}

// Position returns the position of an element, and false if the box has no such index.
func (o *shell) Position(index []int) (int, bool) {
	if !o.holds(index) {
		return -1, false
	}
	n, slab := 0, 0
	for d, i := range index {
		if i > n {
			n, slab = i, d
		}
	}
	// before counts the elements before the slab, position those of the slab before this one.
	before, position := n, 0
	for d, i := range index {
		if d == slab {
			continue
		}
		extent := min(n, o.shape[d])
		if d > slab {
			extent = min(n+1, o.shape[d])
		}
		before *= extent
		position = position*extent + i
	}
	return before + position, true
}

// Index stores the index of the element at a position in index, and reports whether there is one.
func (o *shell) Index(position int, index []int) bool {
	if !o.has(position, index) {
		return false
	}
	n := largest(o.side-1, func(n int) bool { return o.cube(n) <= position })
	if n == 0 { // the first element: its shell has no slabs to divide by
		clear(index)
		return true
	}
	before := o.cube(n)
	slab := len(index) - 1
	for ; ; slab-- {
		next := before / min(n, o.shape[slab]) * min(n+1, o.shape[slab])
		if position < next {
			break
		}
		before = next
	}
	position -= before
	index[slab] = n
	for d := len(index) - 1; d >= 0; d-- {
		if d == slab {
			continue
		}
		extent := min(n, o.shape[d])
		if d > slab {
			extent = min(n+1, o.shape[d])
		}
		index[d] = position % extent
		position /= extent
	}
	return true
}

// cube returns the number of elements in the cube of side n, cut to the box.
func (o *shell) cube(n int) int {
	p := 1
	for _, extent := range o.shape {
		p *= min(n, extent)
	}
	return p
}
