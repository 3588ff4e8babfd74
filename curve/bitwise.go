package curve

// bitwise is an order by the bits of the index: Morton, or Hilbert by the algorithm of Butz.
// There are two dimensions at least, so that no extent has more than 62 bits.
type bitwise struct {
	nest
	hilbert bool
}

// Morton returns the Z order, figure 2b of the 2007 paper: it interleaves the bits of the indices,
// the first dimension's bit first. It returns the errors of Row.
func Morton(shape []int) (Order, error) { return newBitwise(shape, false) }

// Hilbert returns the order along the Hilbert curve, by the algorithm of Butz in the form of the
// thesis, section 5.4.2. If all extents above one are the same power of two, elements at successive
// positions are neighbours. It returns the errors of Row.
func Hilbert(shape []int) (Order, error) { return newBitwise(shape, true) }

func newBitwise(shape []int, hilbert bool) (Order, error) {
	t, err := newNest(shape)
	if err != nil || t.k < 2 {
		return Row(shape) // it returns the same errors; with one dimension there is only one curve
	}
	return &bitwise{nest: t, hilbert: hilbert}, nil
}

// Position returns the position of an element, and false if the box has no such index.
func (o *bitwise) Position(index []int) (int, bool) {
	if !o.holds(index) {
		return -1, false
	}
	var orientation state
	position, whole := 0, false
	for s := o.order - 1; s >= 0; s-- {
		key := o.point(index, s)
		if o.hilbert {
			key = orientation.key(key, o.k)
		}
		if whole = whole || o.whole(index, s+1); whole {
			position += int(key << (o.k * s))
		} else {
			position += o.before(index, s, orientation.turn, key)
		}
		if o.hilbert {
			orientation.enter(key, o.k)
		}
	}
	return position, true
}

// before counts the elements in those children of a node that come before the one with the given
// key. It goes through the bits of the key from the last to the first. After each bit, before is
// the number among those children that agree with the index in the dimensions of the remaining
// bits, and below is the product of the node's extents in the dimensions of the finished bits.
func (o *bitwise) before(index []int, s, turn int, key uint) int {
	before, below := 0, 1
	j := turn // the dimension of the last bit precedes turn
	for range o.k {
		if j == 0 {
			j = o.k
		}
		j--
		d := o.dims[j]
		own, other := o.halves(index, d, s)
		if index[d]>>s&1 == 1 {
			own, other = other, own
		}
		before *= own
		if key&1 == 1 {
			before += other * below
		}
		below *= own + other
		key >>= 1
	}
	return before
}

// Index stores the index of the element at a position in index, and reports whether there is one.
func (o *bitwise) Index(position int, index []int) bool {
	if !o.has(position, index) {
		return false
	}
	clear(index)
	var orientation state
	size, whole := o.n, false // elements of the node
	for s := o.order - 1; s >= 0; s-- {
		var key uint
		if whole = whole || o.whole(index, s+1); whole {
			key = uint(position >> (o.k * s))
			position &= 1<<(o.k*s) - 1
		} else {
			key, position, size = o.child(index, s, orientation, position, size)
		}
		point := key
		if o.hilbert {
			point = orientation.point(key, o.k)
			orientation.enter(key, o.k)
		}
		o.enter(index, s, point)
	}
	return true
}

// child finds the child, at level s, that contains a position in a node of the given size. It
// returns its key, the position in it and its size. Each bit of the key halves the number of
// candidates.
func (o *bitwise) child(index []int, s int, orientation state, position, size int) (uint, int, int) {
	key, j := uint(0), orientation.turn
	for range o.k {
		first, second := o.halves(index, o.dims[j], s)
		if o.upperFirst(orientation, j, key) == 1 {
			first, second = second, first
		}
		key <<= 1
		size /= first + second
		if position < size*first {
			size *= first
		} else {
			position -= size * first
			size *= second
			key |= 1
		}
		if j++; j == o.k {
			j = 0
		}
	}
	return key, position, size
}

// upperFirst returns 1 if the upper half of dimension j has bit 0 of the key, after the bits
// given: if the curve is reflected in j or, by the Gray code, comes from a bit 1, but not both.
func (o *bitwise) upperFirst(orientation state, j int, key uint) uint {
	if !o.hilbert {
		return 0
	}
	return (key ^ orientation.flip>>(o.k-1-j)) & 1
}
