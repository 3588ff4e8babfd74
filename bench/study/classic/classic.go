// Package classic plans copies into other chunks by the method of Krishnamoorthy et al. (2006),
// section 4 and figures 2 to 4. It ignores array extents, partial chunks and permutations, and its
// costs are estimates. Copies use relayout.NewPlan, which has none of these limits. All shapes are
// in elements.
//
// Where the formulas of the paper disagree with its worked example, this package follows the
// example: the max-block is max(s, t) (the formula's <32, 18> would need 1408 elements where the
// example needs 1344).
package classic

import (
	"math"
	"slices"
)

// maxPasses is the largest number of passes of a plan, as in relayout.
const maxPasses = 4

// A Problem is a copy from chunks of one shape into chunks of another, in bounded memory.
type Problem struct {
	Source, Target []int // chunk shapes s and t
	Memory         int   // the bound, in elements
}

// LCM returns the lcm-block: the smallest box that is a whole number of chunks on both
// sides.
func (c Problem) LCM() []int { return each(c.Source, c.Target, lcm) }

// MaxBlock returns the max-block: the least that must be read to write one target chunk.
func (c Problem) MaxBlock() []int {
	return each(c.Source, c.Target, func(s, t int) int { return max(s, t) })
}

// Unused returns U, the largest extent per dimension that has been read and cannot be written yet.
func (c Problem) Unused() []int {
	u := make([]int, len(c.Source))
	for d := range u {
		u[d] = min(c.Source[d], c.Target[d]) - gcd(c.Source[d], c.Target[d])
	}
	return u
}

// Traversal returns the dimensions in the order of figure 3, the fastest first.
func (c Problem) Traversal() []int {
	dims := make([]int, len(c.Source))
	for d := range dims {
		dims[d] = d
	}
	u, m, l := c.Unused(), c.MaxBlock(), c.LCM()
	slices.SortStableFunc(dims, func(i, j int) int { return u[i]*m[j] + l[i]*u[j] - u[j]*m[i] - l[j]*u[i] })
	return dims
}

// Need returns the memory for a template: the max-block plus the unused data of every dimension.
// The unused data of a dimension extends over the template in the dimensions before it in the order
// of traversal, and over the max-block in those after it.
func (c Problem) Need(template []int) int {
	u, m := c.Unused(), c.MaxBlock()
	need := volume(m)
	order := c.Traversal()
	for i, d := range order {
		size := u[d]
		for j, e := range order {
			if j < i {
				size *= template[e]
			} else if j > i {
				size *= m[e]
			}
		}
		need += size
	}
	return need
}

// Cost returns the I/O per element: 2 plus the data that is read again, which is the product of s
// (lcm - template) / template / lcm over the dimensions.
func (c Problem) Cost(template []int) float64 {
	again := 1.0
	for d, l := range c.LCM() {
		again *= float64(c.Source[d]*(l-template[d])) / float64(template[d]*l)
	}
	return 2 + again
}

// Passes returns the chunk shapes from the source to the target, both included, and the templates
// between them, by figure 4: the cheapest of one pass, of two through the geometric mean, and of
// three through the two cubic means, recursively. It returns nil if nothing fits the memory.
func (c Problem) Passes() (chunks, templates [][]int) {
	chunks, templates, _ = c.passes(maxPasses)
	return chunks, templates
}

func (c Problem) passes(most int) (chunks, templates [][]int, cost float64) {
	if t, ok := c.Template(); ok {
		chunks, templates, cost = [][]int{c.Source, c.Target}, [][]int{t}, c.Cost(t)
	}
	root := func(w float64) []int { return each(c.Source, c.Target, func(s, t int) int { return mean(s, t, w) }) }
	for _, way := range [][][]int{{root(1. / 2)}, {root(1. / 3), root(2. / 3)}} {
		if len(way)+1 > most {
			continue
		}
		// An intermediate shape equal to the source or the target makes no progress.
		if slices.ContainsFunc(way, func(m []int) bool { return slices.Equal(m, c.Source) || slices.Equal(m, c.Target) }) {
			continue
		}
		if ch, te, co := c.by(way, most-len(way)); ch != nil && (chunks == nil || co < cost) {
			chunks, templates, cost = ch, te, co
		}
	}
	return chunks, templates, cost
}

// by joins the passes between the given intermediate shapes.
func (c Problem) by(way [][]int, most int) (chunks, templates [][]int, cost float64) {
	chunks = [][]int{c.Source}
	for _, to := range append(way, c.Target) {
		part := Problem{chunks[len(chunks)-1], to, c.Memory}
		ch, te, co := part.passes(most)
		if ch == nil {
			return nil, nil, 0
		}
		chunks, templates, cost = append(chunks, ch[1:]...), append(templates, te...), cost+co
	}
	return chunks, templates, cost
}

// each returns the shape of f(s, t) for the extents s, t of two shapes.
func each(a, b []int, f func(s, t int) int) []int {
	all := make([]int, len(a))
	for d := range all {
		all[d] = f(a[d], b[d])
	}
	return all
}

// mean returns s^(1-w) * t^w, rounded down.
func mean(s, t int, w float64) int {
	// A rounding error must not make the result one too small when the mean is an integer.
	return int(math.Pow(float64(s), 1-w)*math.Pow(float64(t), w) + 1e-9)
}

func volume(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func lcm(a, b int) int { return a / gcd(a, b) * b }
