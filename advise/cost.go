package advise

import (
	"slices"

	"drx/internal/errkind"
	"drx/nd"
)

// A Cost is the cost of an access pattern with a chunk shape. Numbers of chunks and of moved and
// requested bytes are expected values for one access.
type Cost struct {
	Chunk []int `json:"chunk"` // extents, in elements
	Bytes int   `json:"bytes"` // size of a chunk
	// Align is the alignment to create the array with, 0 for none. Slot is the space that a
	// chunk then takes in the file. Both are in bytes.
	Align int `json:"align"`
	Slot  int `json:"slot"`
	// Chunks is the number of chunks that an access touches by equation 5.2.2, see the package
	// comment. Estimate is the same by equation 5.2.1.
	Chunks   float64 `json:"chunks"`
	Estimate float64 `json:"estimate"`
	// Moved is the number of bytes in the chunks of an access, Asked the number in its box.
	Moved   float64     `json:"moved_bytes"`
	Asked   float64     `json:"asked_bytes"`
	Classes []ClassCost `json:"classes"` // as in the problem
	// Floored reports whether a smaller chunk would have the same cost, so that this one was chosen
	// because of Problem.Floor.
	Floored bool `json:"floored,omitempty"`
	// Nodes is the number of prefixes of shapes that Best has visited.
	Nodes int64 `json:"nodes,omitempty"`
}

// A ClassCost is the cost of one class. Weight is its probability; the other fields are as in Cost.
type ClassCost struct {
	Access
	Chunks   float64 `json:"chunks"`      // touched by an access, equation 5.2.2
	Estimate float64 `json:"estimate"`    // the same by equation 5.2.1
	Moved    float64 `json:"moved_bytes"` // bytes in the chunks of an access
	Asked    float64 `json:"asked_bytes"` // bytes in its box
}

// Of returns the cost of a given chunk shape, which need not fit the block. The error is one of
// Best, or wraps nd.ErrRank, nd.ErrBounds or nd.ErrOverflow for the chunk shape.
func Of(p Problem, chunk []int) (Cost, error) {
	if err := p.check(); err != nil {
		return Cost{}, err
	}
	if err := nd.CheckRank("chunk extents", len(chunk), p.rank()); err != nil {
		return Cost{}, err
	}
	for d, c := range chunk {
		if c < 1 || c > MaxExtent {
			return Cost{}, errkind.Errorf(nd.ErrBounds, "dimension %d: chunk extent %d is not in 1..%d", d, c, MaxExtent)
		}
	}
	if _, err := nd.Product(append([]int{p.ElemSize}, chunk...)...); err != nil {
		return Cost{}, err
	}
	return p.cost(chunk), nil
}

// cost is Of without the checks.
func (p Problem) cost(chunk []int) Cost {
	c := Cost{Chunk: slices.Clone(chunk), Bytes: p.ElemSize * elements(chunk)}
	c.Slot, c.Align = p.slot(c.Bytes)
	chunks := p.classCosts(chunk)
	for i, w := range p.weights() {
		a := p.Accesses[i]
		class := ClassCost{
			Access: Access{Box: a.Box, Weight: w},
			Chunks: chunks[i], Estimate: Estimate(a.Box, chunk), Asked: float64(p.ElemSize),
		}
		for _, n := range a.Box {
			class.Asked *= float64(n)
		}
		class.Moved = class.Chunks * float64(c.Bytes)
		c.Chunks += w * class.Chunks
		c.Estimate += w * class.Estimate
		c.Moved += w * class.Moved
		c.Asked += w * class.Asked
		c.Classes = append(c.Classes, class)
	}
	return c
}

// Expected returns the expected number of chunks that a box touches at a random position in an
// unbounded array (equation 5.2.2 for one class). box and chunk must have the same length, and
// extents of at least 1.
func Expected(box, chunk []int) float64 {
	product := 1.0
	for d, n := range box {
		product *= factor(n, chunk[d], 0).float()
	}
	return product
}

// Estimate returns the number of chunks that a box touches if it begins at a chunk boundary in
// every dimension (equation 5.2.1 for one class).
func Estimate(box, chunk []int) float64 {
	product := 1.0
	for d, n := range box {
		product *= float64(nd.CeilDiv(n, chunk[d]))
	}
	return product
}

// A fraction has a positive denominator.
type fraction struct{ num, den int64 }

func (f fraction) float() float64 { return float64(f.num) / float64(f.den) }

// factor returns the average number of chunks of extent c that an interval of a indices touches,
// over all its positions in an array of extent n: one, and one more for each chunk boundary inside
// the interval. With n = 0, for an unbounded array, each of the a-1 gaps between its indices is at
// a boundary in one of c positions.
//
// With n > 0, a boundary before index b = c, 2c, ... < n lies inside the interval in min(b, a-1,
// n-a+1, n-b) of the n-a+1 positions. The factor is 1 plus the sum of these minima divided by
// n-a+1. It never rises with c: as a function of b the minimum is a trapezoid, and as c grows,
// boundary m moves up in proportion to m. The falling slope is as wide as the rising one, has at
// least as many boundaries, and they have the greater m.
func factor(a, c, n int) fraction {
	if n == 0 {
		return fraction{int64(a) - 1 + int64(c), int64(c)}
	}
	positions := int64(n) - int64(a) + 1
	return fraction{positions + edges(int64(a), int64(c), int64(n)), positions}
}

// edges returns the sum of min(b, a-1, n-a+1, n-b) over the multiples b of c below n. With
// extents of at most MaxExtent it is below 2^61.
func edges(a, c, n int64) int64 {
	top := min(a-1, n-a+1)
	up, flat, all := top/c, (n-top)/c, (n-1)/c // the last multiple of c in each part of the trapezoid
	sum := c * up * (up + 1) / 2
	sum += (flat - up) * top
	if all > flat {
		sum += (all-flat)*n - c*(all*(all+1)/2-flat*(flat+1)/2)
	}
	return sum
}
