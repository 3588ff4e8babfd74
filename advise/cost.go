package advise

import (
	"fmt"
	"slices"

	"drx/nd"
)

// A Cost says what an access pattern costs with a chunk shape. Numbers of chunks and bytes
// are expectations for one access.
type Cost struct {
	Chunk []int `json:"chunk"` // extents, in elements
	Bytes int   `json:"bytes"` // of a chunk
	// Align is the alignment to create the array with, 0 for none, and Slot what a chunk
	// takes in the file then, in bytes.
	Align int `json:"align"`
	Slot  int `json:"slot"`
	// Chunks is how many chunks an access meets (equation 5.2.2, see the package comment);
	// Estimate is the same by equation 5.2.1.
	Chunks   float64 `json:"chunks"`
	Estimate float64 `json:"estimate"`
	// Moved is how many bytes of chunks an access moves, Asked how many it asks for.
	Moved   float64     `json:"moved_bytes"`
	Asked   float64     `json:"asked_bytes"`
	Classes []ClassCost `json:"classes"` // as in the problem
	// Nodes is how many prefixes of shapes Best looked at.
	Nodes int64 `json:"nodes,omitempty"`
}

// A ClassCost is the share of one class; Weight is its probability, the rest is as in Cost.
type ClassCost struct {
	Access
	Chunks   float64 `json:"chunks"`      // met by an access
	Estimate float64 `json:"estimate"`    // the same by equation 5.2.1
	Moved    float64 `json:"moved_bytes"` // bytes of chunks that an access moves
	Asked    float64 `json:"asked_bytes"` // bytes that it asks for
}

// Of returns the cost of a given chunk shape, which need not fit the block. The error is that
// of Best, or wraps nd.ErrRank, nd.ErrBounds or nd.ErrOverflow for the shape.
func Of(p Problem, chunk []int) (Cost, error) {
	if err := p.check(); err != nil {
		return Cost{}, err
	}
	if err := nd.CheckRank("chunk extents", len(chunk), p.rank()); err != nil {
		return Cost{}, err
	}
	for d, c := range chunk {
		if c < 1 || c > MaxExtent {
			return Cost{}, fmt.Errorf("dimension %d: chunk extent %d is not in 1..%d: %w", d, c, MaxExtent, nd.ErrBounds)
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

// Expected returns how many chunks a box meets if it may lie anywhere in an array without
// bounds (equation 5.2.2 for one class). Extents are at least 1 and of equal number.
func Expected(box, chunk []int) float64 {
	product := 1.0
	for d, n := range box {
		product *= factor(n, chunk[d], 0).float()
	}
	return product
}

// Estimate returns how many chunks a box meets if it begins where a chunk begins (equation
// 5.2.1 for one class).
func Estimate(box, chunk []int) float64 {
	product := 1.0
	for d, n := range box {
		product *= float64(nd.CeilDiv(n, chunk[d]))
	}
	return product
}

// A fraction of positive integers.
type fraction struct{ num, den int64 }

func (f fraction) float() float64 { return float64(f.num) / float64(f.den) }

// factor returns how many chunks of extent c an interval of a indices meets on average over
// its places in an array of extent n: one, and one more for each edge between two chunks that
// lies inside it. With n = 0, no bound, an edge lies in each of the a-1 gaps between its
// indices in one of c places.
//
// With n, an edge before index b = c, 2c, ... < n lies inside min(b, a-1, n-a+1, n-b) of the
// n-a+1 places, and the factor is 1 plus the sum of these over the places. It never rises with
// c. For the summand as a function of b is a trapezoid, and its edges move away from 0, edge m
// in proportion to m; as many of them at least are on the slope down as on the slope up, which
// is as wide, and they have the greater m.
func factor(a, c, n int) fraction {
	if n == 0 {
		return fraction{int64(a) - 1 + int64(c), int64(c)}
	}
	places := int64(n) - int64(a) + 1
	return fraction{places + edges(int64(a), int64(c), int64(n)), places}
}

// edges returns the sum of min(b, a-1, n-a+1, n-b) over the multiples b of c below n. With
// extents of at most MaxExtent it is below 2^61.
func edges(a, c, n int64) int64 {
	top := min(a-1, n-a+1)
	up, flat, all := top/c, (n-top)/c, (n-1)/c // the last multiples in each part of the trapezoid
	sum := c * up * (up + 1) / 2
	sum += (flat - up) * top
	if all > flat {
		sum += (all-flat)*n - c*(all*(all+1)/2-flat*(flat+1)/2)
	}
	return sum
}
