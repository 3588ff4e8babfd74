// Package advise chooses the chunk shape of an array for an access pattern (Nimako's thesis,
// section 5.2). It does no I/O.
//
// # Model
//
// An access pattern is a set of classes of boxes. All boxes of class i have shape A_i, each
// position in the array is equally probable, and the class has probability P_i. Every chunk that
// a box touches is moved as a whole, and the cost of a move is the same for all chunks that fit a
// block. So the cost of a chunk shape c is the expected number of chunks that an access touches,
// equation 5.2.2:
//
//	sum over i of P_i * product over j of ((A_ij - 1) / c_j + 1)
//
// An interval of A indices touches one chunk, and one more for each chunk boundary between
// two of its indices; each of its A-1 gaps is at a boundary with probability 1/c_j. Equation
// 5.2.1, the older estimate, has the ceiling of A_ij / c_j instead. It is right for boxes that
// begin at a chunk boundary.
//
// Equation 5.2.2 assumes that the array is much longer than the box. If the extent is known
// (Problem.Shape), the factor is the mean over the possible positions. That matters for boxes that
// take a large part of a dimension: a box that takes all of it has only one position, begins at a
// chunk boundary, and touches ceil(A_ij / c_j) chunks. See factor.
//
// # Search
//
// Best returns a shape of least cost among all integer shapes that fit the block. The search is
// exact: branch and bound, see search, with a bound from the inequality of the arithmetic and
// geometric means, see bound. Costs are compared as fractions, so ties are exact; Best says how it
// breaks them.
package advise

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"drx/internal/errkind"
	"drx/nd"
)

// ErrPattern is wrapped by errors about an access pattern without accesses, with too many classes,
// or with weights that are not positive numbers.
var ErrPattern = errors.New("bad access pattern")

// MaxElements is the largest number of elements in a block that Best accepts.
const MaxElements = 1 << 26

// MaxClasses is the largest number of classes in a pattern, see Merge.
const MaxClasses = 64

// MaxExtent is the largest extent of a box. Larger extents of an array count as unbounded.
const MaxExtent = 1 << 30

// maxStripe is the largest alignment of an array, in bytes.
const maxStripe = 1 << 30

// An Access is a class of boxes: their extents in elements, and their weight among all
// classes. Weights need not add up to 1.
type Access struct {
	Box    []int   `json:"box"`    // extents, in elements
	Weight float64 `json:"weight"` // relative to the other classes, above 0
}

// A Problem is the input of Best: an access pattern and the limits for chunks.
type Problem struct {
	// Accesses is the pattern: at least one class, all of one rank.
	Accesses []Access
	// ElemSize is the size of an element in bytes.
	ElemSize int
	// Block is the size of a block in bytes, the limit for the size of a chunk.
	Block int
	// Floor, if not zero, is the least size in bytes that chunks should have. Every chunk has costs
	// that the model ignores, such as its checksum, its entry in the chunk table and its page on
	// the disk.
	Floor int
	// Stripe, if not zero, is the stripe size of the file system in bytes. The slot of a chunk
	// is then a divisor or a multiple of it, so that a chunk lies in as few stripes as possible.
	Stripe int
	// Shape holds the extents of the array, 0 for an unbounded dimension, for example one that
	// grows. If Shape is nil, all dimensions are unbounded. No chunk is longer than the array.
	Shape []int
}

// Best returns the chunk shape for which an access touches the fewest chunks, with its cost. Among
// equal shapes it returns the one with the fewest elements, which moves the fewest bytes. Further
// ties are broken by the smallest sum of extents, which is nearest to a cube, then by the
// lexicographic order of the extents, which favours long rows. If that shape has fewer bytes than
// Problem.Floor, its shortest extents grow, as far as the block and the extents of the array allow;
// larger chunks are not touched more often. The error wraps ErrPattern, or nd.ErrRank, nd.ErrBounds
// or nd.ErrOverflow for a wrong rank, extent or size in p.
func Best(p Problem) (Cost, error) {
	limit, err := p.limit()
	if err != nil {
		return Cost{}, err
	}
	s := newSearch(p, limit)
	s.run()
	chunk := p.atLeastFloor(s.best, limit)
	c := p.cost(chunk)
	c.Nodes, c.Floored = s.nodes, !slices.Equal(chunk, s.best)
	return c, nil
}

// atLeastFloor enlarges a chunk until it has as many bytes as the floor, if limit elements permit
// that.
func (p Problem) atLeastFloor(chunk []int, limit int) []int {
	chunk = slices.Clone(chunk)
	want := min(limit, (p.Floor+p.ElemSize-1)/p.ElemSize)
	for have := elements(chunk); have < want; have = elements(chunk) {
		next, longer := -1, 0
		for d, c := range chunk {
			rest := have / c
			most := min(2*c, (want+rest-1)/rest, limit/rest)
			if n := p.extent(d); n > 0 {
				most = min(most, n)
			}
			if most > c && (next < 0 || c <= chunk[next]) { // of equal extents the last, for long rows
				next, longer = d, most
			}
		}
		if next < 0 {
			break
		}
		chunk[next] = longer
	}
	return chunk
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
		return 0, errkind.Errorf(nd.ErrBounds, "block of %d bytes: an element takes %d", block, p.ElemSize)
	case limit > MaxElements:
		return 0, fmt.Errorf("block of %d bytes: %d elements: %w: at most %d", block, limit, nd.ErrOverflow, MaxElements)
	}
	return limit, nil
}

// check checks the whole problem except the block.
func (p Problem) check() error {
	switch n := len(p.Accesses); {
	case n == 0:
		return errkind.Errorf(ErrPattern, "no accesses")
	case n > MaxClasses:
		return errkind.Errorf(ErrPattern, "%d classes of accesses: want at most %d", n, MaxClasses)
	case p.ElemSize < 1:
		return errkind.Errorf(nd.ErrBounds, "elements of %d bytes: want at least 1", p.ElemSize)
	case p.Floor < 0 || p.Floor > p.Block:
		return errkind.Errorf(nd.ErrBounds, "floor of %d bytes is not in 0..%d, the block", p.Floor, p.Block)
	case p.Stripe < 0 || p.Stripe > maxStripe:
		return errkind.Errorf(nd.ErrBounds, "stripe of %d bytes is not in 0..%d", p.Stripe, maxStripe)
	}
	k := p.rank()
	if k < 1 || k > nd.MaxRank {
		return errkind.Errorf(nd.ErrRank, "boxes of rank %d: want 1 to %d", k, nd.MaxRank)
	}
	if p.Shape != nil {
		if err := nd.CheckRank("boxes", k, len(p.Shape)); err != nil {
			return err
		}
	}
	for d, n := range p.Shape {
		if n < 0 {
			return errkind.Errorf(nd.ErrBounds, "dimension %d: extent %d is negative", d, n)
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
		return errkind.Errorf(ErrPattern, "the weights add up to %g: they must be smaller", total)
	}
	return nil
}

func (p Problem) checkAccess(a Access) error {
	if err := nd.CheckRank("extents", len(a.Box), p.rank()); err != nil {
		return err
	}
	if !(a.Weight > 0) || math.IsInf(a.Weight, 0) {
		return errkind.Errorf(ErrPattern, "weight %g is not positive", a.Weight)
	}
	for d, n := range a.Box {
		switch {
		case n < 1:
			return errkind.Errorf(nd.ErrBounds, "dimension %d: extent %d is less than 1", d, n)
		case n > MaxExtent:
			return fmt.Errorf("dimension %d: extent %d: %w: at most %d", d, n, nd.ErrOverflow, MaxExtent)
		case p.extent(d) > 0 && n > p.extent(d):
			return errkind.Errorf(nd.ErrBounds, "dimension %d: extent %d of an access, in an array of %d", d, n, p.extent(d))
		}
	}
	return nil
}

func (p Problem) rank() int { return len(p.Accesses[0].Box) }

// extent returns the extent of the array in dimension d, or 0 if it is unbounded or beyond
// MaxExtent, where it makes no difference.
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
