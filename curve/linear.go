package curve

import "drx/nd"

// linear is the order of a dope vector: the dimensions one after the other.
type linear struct {
	box
	dims    []int // from the slowest varying to the fastest
	strides []int // per dimension, in elements
}

// Row returns the order of C, the last dimension varying fastest: figure 2a of the 2007
// paper. It returns an error wrapping nd.ErrRank when the rank is not in
// 1..nd.MaxRank, nd.ErrBounds when an extent is below 1, and nd.ErrOverflow when the number of
// elements does not fit an int.
func Row(shape []int) (Order, error) { return newLinear(shape, nd.RowMajor) }

// Column returns the order of Fortran, the first dimension varying fastest. It returns the errors
// of Row.
func Column(shape []int) (Order, error) { return newLinear(shape, nd.ColMajor(len(shape))) }

func newLinear(shape []int, o nd.Order) (Order, error) {
	b, err := newBox(shape)
	if err != nil {
		return nil, err
	}
	return &linear{box: b, dims: o.Dims(len(shape)), strides: o.Strides(shape)}, nil
}

// Position returns the position of an element, and false if its index is outside of the box.
func (o *linear) Position(index []int) (int, bool) {
	if !o.holds(index) {
		return -1, false
	}
	position := 0
	for d, i := range index {
		position += i * o.strides[d]
	}
	return position, true
}

// Index stores the index of the element at a position in index, and reports whether there is one.
func (o *linear) Index(position int, index []int) bool {
	if !o.has(position, index) {
		return false
	}
	for _, d := range o.dims {
		index[d] = position / o.strides[d]
		position %= o.strides[d]
	}
	return true
}
