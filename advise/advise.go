// Package advise chooses the chunk shape of an array from the way it is going to be
// accessed (Nimako's thesis, section 5.2). It does no I/O.
//
// # Model
//
// An access pattern is a set of classes of boxes: all boxes of class i have the shape A_i,
// lie anywhere in the array with equal probability, and are P_i of all accesses. Every chunk
// that a box meets is moved as a whole, and moving a chunk costs the same for all chunks that
// fit a block. So the cost of a chunk shape c is the expected number of chunks that an access
// meets, equation 5.2.2:
//
//	sum over i of P_i * product over j of ((A_ij - 1) / c_j + 1)
//
// An interval of A indices meets one chunk and one more for each of the c_j equally probable
// positions at which a chunk's edge lies between two of its indices. Equation 5.2.1, the older
// estimate, has the ceiling of A_ij / c_j instead, which is right for boxes that begin where
// chunks do.
//
// Equation 5.2.2 takes the array for much longer than the box. Where the extent is known
// (Problem.Shape) the factor is the mean over the places that there are, which makes a
// difference for boxes that take much of it: a whole dimension has one place only, begins
// where a chunk begins, and meets ceil(A_ij / c_j) chunks. See factor.
//
// # Search
//
// Best finds the shape of least cost among all shapes of whole numbers that fit the block,
// and has proved it when it returns. It is branch and bound, see search; the bound comes
// from the inequality between the arithmetic and the geometric mean, see bounds. All shapes
// that cost the same, compared as fractions, are told apart by less.
package advise

import (
	"errors"
	"fmt"
	"math"

	"drx/nd"
)

// ErrPattern is returned for an access pattern that makes no sense.
var ErrPattern = errors.New("bad access pattern")

// MaxElements is the largest number of elements of a block that Best searches.
const MaxElements = 1 << 26

// MaxClasses is the largest number of classes in a pattern, see Merge.
const MaxClasses = 64

// MaxExtent is the largest extent of a box, and of an array whose extent is taken for known.
const MaxExtent = 1 << 30

// maxStripe is the largest alignment of an array, in bytes.
const maxStripe = 1 << 30

// An Access is a class of boxes: their extents in elements, and their weight among all
// classes. Weights need not add up to 1.
type Access struct {
	Box    []int   `json:"box"`    // extents, in elements
	Weight float64 `json:"weight"` // relative to the other classes, above 0
}

// A Problem is what a chunk shape is to be chosen for.
type Problem struct {
	// Accesses is the pattern: at least one class, all of one rank.
	Accesses []Access
	// ElemSize is the size of an element in bytes.
	ElemSize int
	// Block is the size of a block in bytes: chunks are at most so large.
	Block int
	// Stripe, if not zero, is the size in bytes of a stripe of the file system. A slot is
	// made a divisor or a multiple of it, so that a chunk lies in as few stripes as it can.
	Stripe int
	// Shape holds the extents of the array, 0 for a dimension without bound, because it
	// grows, say. nil is no bounds at all. Chunks are at most as long as the array.
	Shape []int
}

// Best returns the cost of the chunk shape for which an access meets the fewest chunks. Of
// several such shapes it is that of the fewest elements, which moves the fewest bytes; then
// the one nearest to a cube, of the smallest sum of extents; then the one with the smallest
// first extent that differs, whose rows are longer. The error wraps ErrPattern, nd.ErrRank,
// nd.ErrBounds or nd.ErrOverflow.
func Best(p Problem) (Cost, error) {
	limit, err := p.limit()
	if err != nil {
		return Cost{}, err
	}
	s := newSearch(p, limit)
	s.run()
	c := p.cost(s.best)
	c.Nodes = s.nodes
	return c, nil
}

// limit checks the problem and returns the largest number of elements of a chunk.
func (p Problem) limit() (int, error) {
	if err := p.check(); err != nil {
		return 0, err
	}
	block := p.block()
	limit := block / p.ElemSize
	switch {
	case limit < 1:
		return 0, fmt.Errorf("block of %d bytes: %w: an element takes %d", block, nd.ErrBounds, p.ElemSize)
	case limit > MaxElements:
		return 0, fmt.Errorf("block of %d bytes: %d elements: %w: at most %d", block, limit, nd.ErrOverflow, MaxElements)
	}
	return limit, nil
}

// check checks what does not concern the block.
func (p Problem) check() error {
	switch n := len(p.Accesses); {
	case n == 0:
		return fmt.Errorf("no accesses: %w", ErrPattern)
	case n > MaxClasses:
		return fmt.Errorf("%d classes of accesses: %w: at most %d", n, ErrPattern, MaxClasses)
	case p.ElemSize < 1:
		return fmt.Errorf("elements of %d bytes: %w", p.ElemSize, nd.ErrBounds)
	case p.Stripe < 0 || p.Stripe > maxStripe:
		return fmt.Errorf("stripe of %d bytes is not in 0..%d: %w", p.Stripe, maxStripe, nd.ErrBounds)
	}
	k := p.rank()
	if k < 1 || k > nd.MaxRank {
		return fmt.Errorf("boxes of rank %d: %w: 1 to %d", k, nd.ErrRank, nd.MaxRank)
	}
	if p.Shape != nil {
		if err := nd.CheckRank("boxes", k, len(p.Shape)); err != nil {
			return err
		}
	}
	for d, n := range p.Shape {
		if n < 0 {
			return fmt.Errorf("dimension %d: extent %d is negative: %w", d, n, nd.ErrBounds)
		}
	}
	total := 0.0
	for i, a := range p.Accesses {
		if err := p.checkAccess(a); err != nil {
			return fmt.Errorf("access %d: %w", i, err)
		}
		total += a.Weight
	}
	if math.IsInf(total, 0) {
		return fmt.Errorf("weights add up to %g: %w", total, ErrPattern)
	}
	return nil
}

func (p Problem) checkAccess(a Access) error {
	if err := nd.CheckRank("extents", len(a.Box), p.rank()); err != nil {
		return err
	}
	if !(a.Weight > 0) || math.IsInf(a.Weight, 0) {
		return fmt.Errorf("weight %g is not positive: %w", a.Weight, ErrPattern)
	}
	for d, n := range a.Box {
		switch {
		case n < 1:
			return fmt.Errorf("dimension %d: extent %d is less than 1: %w", d, n, nd.ErrBounds)
		case n > MaxExtent:
			return fmt.Errorf("dimension %d: extent %d: %w: at most %d", d, n, nd.ErrOverflow, MaxExtent)
		case p.extent(d) > 0 && n > p.extent(d):
			return fmt.Errorf("dimension %d: extent %d in an array of %d: %w", d, n, p.extent(d), nd.ErrBounds)
		}
	}
	return nil
}

func (p Problem) rank() int { return len(p.Accesses[0].Box) }

// extent returns the extent of the array if it is known, else 0. Beyond MaxExtent it makes no
// difference whether it is.
func (p Problem) extent(d int) int {
	if p.Shape == nil || p.Shape[d] > MaxExtent {
		return 0
	}
	return p.Shape[d]
}

// weights returns the probabilities of the classes.
func (p Problem) weights() []float64 {
	total := 0.0
	for _, a := range p.Accesses {
		total += a.Weight
	}
	w := make([]float64, len(p.Accesses))
	for i, a := range p.Accesses {
		w[i] = a.Weight / total
	}
	return w
}
