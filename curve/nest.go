package curve

import "math/bits"

// nest has the properties of a box that curves of nested cubes share: the k dimensions with an
// extent above one, and the levels of the tree of the enclosing cube. A node at level s is the
// aligned cube of side 2^s around an index; at level 0 it is one element.
type nest struct {
	box
	dims  []int // the dimensions with an extent above one
	k     int   // their number
	order int   // the level of the root: the enclosing cube has side 2^order
}

func newNest(shape []int) (nest, error) {
	b, err := newBox(shape)
	t := nest{box: b}
	if err != nil {
		return t, err
	}
	for d, n := range shape {
		if n > 1 {
			t.dims = append(t.dims, d)
		}
		t.order = max(t.order, bits.Len(uint(n-1)))
	}
	t.k = len(t.dims)
	return t, nil
}

// whole reports whether the box contains the whole node at level s around the index.
func (t *nest) whole(index []int, s int) bool {
	for _, d := range t.dims {
		if index[d]|(1<<s-1) >= t.shape[d] {
			return false
		}
	}
	return true
}

// point returns the child, at level s, of the node around the index: the n-point of the thesis,
// one bit per dimension, the first dimension in the most significant one.
func (t *nest) point(index []int, s int) uint {
	p := uint(0)
	for _, d := range t.dims {
		p = p<<1 | uint(index[d])>>s&1
	}
	return p
}

// enter moves the first corner of a node to the first corner of its child at level s.
func (t *nest) enter(index []int, s int, point uint) {
	for j, d := range t.dims {
		index[d] |= int(point>>(t.k-1-j)&1) << s
	}
}

// halves returns how many indices of dimension d the box has in the lower and the upper half of the
// node around the index whose children are at level s.
func (t *nest) halves(index []int, d, s int) (lower, upper int) {
	half := 1 << s
	rest := t.shape[d] - index[d]&^(2*half-1)
	return min(half, rest), min(half, max(0, rest-half))
}
