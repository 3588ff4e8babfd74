// Package curve numbers the elements of a box: row by row, column by column, along the
// Morton and Hilbert curves, and in symmetric linear shells. The element orders of chunks are
// among these. It does no I/O.
//
// An Order is a bijection between the indices of a box and the positions 0 to Len()-1. It has
// no holes for any extents: if they are not all the same power of two, the elements have the
// order of the curve through the enclosing cube, and elements outside of the box are not
// counted. For extents that are different powers of two, these are the compact Hilbert indices
// of Hamilton and Rau-Chaplin (2007), which Nimako's thesis (2016), section 5.4, suggests.
// Dimensions of extent one are ignored: a box of shape (1, 64, 64) has the 2-D curve.
//
// The position of an element is computed by descending the tree of the curve, without a table of
// the elements. A node at level s is an aligned cube of side 2^s; its 2^k children are the
// cubes of half the side, and a state (the curve's rotation and reflection in that node) orders
// them. One bit per dimension of the index selects a child:
//
//	index      s=2  s=1  s=0        position
//	(5, 3)      1    0    1         11 01 00 = 52     Hilbert, 8 x 8
//	            0    1    1         10 01 11 = 39     Morton, 8 x 8
//
// Inside of a node that is whole, the key of each child, k bits, is appended to the position. In a
// node that the box cuts, the elements of the earlier children are counted: the keys
// below a given one fall into k sets at most, each the box of the children that agree
// with it in the first bits and differ in the next. So both directions take O(k) per level
// and O(k log n) for an extent of n.
//
// The arbitrary linear shell sequence of the 2007 paper, figure 2d, is the mapping of an
// extendible array: package axial. Figure 2 also has the other orders except Hilbert.
package curve

import (
	"fmt"
	"math"
	"slices"

	"drx/internal/errkind"
	"drx/nd"
)

// An Order is a dense bijection between the indices of a box, 0 <= index[d] < Shape()[d],
// and the positions 0 to Len()-1. It never changes and is safe for any number of goroutines.
type Order interface {
	// Rank returns the number of dimensions.
	Rank() int
	// Shape returns the extents of the box; the caller must not change them.
	Shape() []int
	// Len returns the number of elements, the product of the extents.
	Len() int
	// Position returns the position of an element; it returns -1 and false when the index is
	// outside of the box or has not one entry per dimension. It allocates nothing.
	Position(index []int) (int, bool)
	// Index computes the inverse: it stores in index the index of the element at a position.
	// It returns false, index untouched, when there is no such position or index has not one
	// entry per dimension. It allocates nothing.
	Index(position int, index []int) bool
}

// orders lists the orders by the names that files and command lines use.
var orders = []struct {
	name string
	make func([]int) (Order, error)
}{{"row", Row}, {"col", Column}, {"morton", Morton}, {"hilbert", Hilbert}, {"shell", Shell}}

// Names returns the names that New accepts.
func Names() []string {
	names := make([]string, len(orders))
	for i := range orders {
		names[i] = orders[i].name
	}
	return names
}

// New returns the order of the given name for a box: "row", "col", "morton", "hilbert" or
// "shell". Errors are those of Row, or an error for an unknown name.
func New(name string, shape []int) (Order, error) {
	for _, o := range orders {
		if o.name == name {
			return o.make(shape)
		}
	}
	return nil, fmt.Errorf("order %q is none of %q", name, Names())
}

// Permutation returns the position of every element of the box, with the elements in row-major
// order. It is a table for moving a chunk from one order to another. It returns an error
// wrapping nd.ErrOverflow if there are more than 2^31-1 elements.
func Permutation(o Order) ([]int32, error) {
	if o.Len() > math.MaxInt32 {
		return nil, fmt.Errorf("permutation of %d elements: %w: more than %d", o.Len(), nd.ErrOverflow, math.MaxInt32)
	}
	positions := make([]int32, o.Len())
	if b, ok := o.(*bitwise); ok {
		b.walk(positions)
		return positions, nil
	}
	lo, index := make([]int, o.Rank()), make([]int, o.Rank())
	for i := range positions {
		q, _ := o.Position(index)
		positions[i] = int32(q)
		nd.Next(index, lo, o.Shape())
	}
	return positions, nil
}

// A box has the properties that all orders share.
type box struct {
	shape []int
	n     int // number of elements
}

// newBox returns the box of a shape. It returns the errors of Row.
func newBox(shape []int) (box, error) {
	if len(shape) < 1 || len(shape) > nd.MaxRank {
		return box{}, errkind.Errorf(nd.ErrRank, "rank %d is not in 1..%d", len(shape), nd.MaxRank)
	}
	for d, n := range shape {
		if n < 1 {
			return box{}, errkind.Errorf(nd.ErrBounds, "dimension %d: extent %d below 1", d, n)
		}
	}
	n, err := nd.Product(shape...)
	return box{shape: slices.Clone(shape), n: n}, err
}

// Rank returns the number of dimensions.
func (b *box) Rank() int { return len(b.shape) }

// Shape returns the extents, in elements, which must not be changed.
func (b *box) Shape() []int { return b.shape }

// Len returns the number of elements.
func (b *box) Len() int { return b.n }

// holds reports whether an index lies within the box.
func (b *box) holds(index []int) bool {
	if len(index) != len(b.shape) {
		return false
	}
	for d, i := range index {
		if uint(i) >= uint(b.shape[d]) {
			return false
		}
	}
	return true
}

// has reports whether a position exists and index has one entry per dimension.
func (b *box) has(position int, index []int) bool {
	return position >= 0 && position < b.n && len(index) == len(b.shape)
}
