package relayout

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"drx/dtype"
	"drx/nd"
)

// ErrMemory is returned when no plan fits the bound on memory. One that holds a chunk of the
// source and one of the target is always enough for NewPlan.
var ErrMemory = errors.New("too little memory")

// A Grid is the bounds [Lo, Hi) of an array or of a section of one, in elements, the extents
// of its chunks, which begin at multiples of these, and the bytes of an element. How the
// array grew makes no difference to what is read and written.
type Grid struct {
	Lo, Hi []int // bounds, in elements
	Chunk  []int // extents of a chunk, in elements
	Elem   int   // bytes of an element
}

// A Described array says what it is, as drx.Array and drxmp.Array do.
type Described interface {
	Name() string
	DType() dtype.DType
	Bounds() nd.Section
	ChunkShape() []int // its extents, in elements
	Attrs() map[string]json.RawMessage
}

// GridOf returns the grid of an array.
func GridOf(a Described) Grid {
	lo, hi := limits(a.Bounds())
	return Grid{lo, hi, a.ChunkShape(), a.DType().Size()}
}

func limits(sec nd.Section) (lo, hi []int) {
	for _, r := range sec {
		lo, hi = append(lo, r.Lo), append(hi, r.Hi)
	}
	return lo, hi
}

// check returns an error that wraps nd.ErrRank or nd.ErrBounds for a grid that is none.
func (g Grid) check(what string) error {
	if err := nd.CheckRank("high bounds of the "+what, len(g.Hi), len(g.Lo)); err != nil {
		return err
	}
	if err := nd.CheckRank("chunk extents of the "+what, len(g.Chunk), len(g.Lo)); err != nil {
		return err
	}
	for d := range g.Lo {
		if g.Lo[d] > g.Hi[d] {
			return fmt.Errorf("%s: dimension %d: bounds %d:%d: %w", what, d, g.Lo[d], g.Hi[d], nd.ErrBounds)
		}
		if g.Chunk[d] < 1 {
			return fmt.Errorf("%s: dimension %d: chunk extent %d: %w: at least 1", what, d, g.Chunk[d], nd.ErrBounds)
		}
	}
	if g.Elem < 1 {
		return fmt.Errorf("%s: elements of %d bytes: %w: at least 1", what, g.Elem, nd.ErrBounds)
	}
	size, err := nd.Product(append([]int{g.Elem}, g.Chunk...)...)
	if err != nil || int64(size) > math.MaxUint32 {
		return fmt.Errorf("%s: chunks of %v elements of %d bytes: %w: at most %d bytes", what, g.Chunk, g.Elem, nd.ErrOverflow, int64(math.MaxUint32))
	}
	return nil
}

// permuted returns the grid with dimension order[d] in place d.
func (g Grid) permuted(order nd.Order) Grid {
	return Grid{order.Apply(g.Lo), order.Apply(g.Hi), order.Apply(g.Chunk), g.Elem}
}

// A Plan says how to copy one grid to another, and what that costs.
type Plan struct {
	Order  nd.Order // dimension d of the target is dimension Order[d] of the source
	Memory int64    // the bound, in bytes
	Passes []Pass   // none if there are no elements
}

// A Pass is one copy of everything. The source of the first pass and the target of the last
// are those of the plan, all others temporary arrays. Grids are in the order of the target's
// dimensions.
type Pass struct {
	Source, Target Grid
	Template       []int // extents, in elements; smaller at the edges
	Traversal      []int // the dimensions, the one traversed fastest first
	Cost           Cost
	Works          int   // buffers for what a step writes: two overlap reading and writing
	Stages         int   // buffers of a source chunk or, if there is one, of a part
	Peak           int64 // bytes of all buffers

	problem *problem
	choice  choice
	layout  layout
}

// Cost returns the cost of all passes together.
func (p *Plan) Cost() Cost {
	var c Cost
	for i := range p.Passes {
		c = c.plus(p.Passes[i].Cost)
	}
	return c
}

// Peak returns the most bytes that the buffers of a pass take.
func (p *Plan) Peak() int64 {
	var peak int64
	for i := range p.Passes {
		peak = max(peak, p.Passes[i].Peak)
	}
	return peak
}

// NewPlan plans the copy of src, with its dimensions in the given order (nil leaves them),
// to dst. The extents of dst are those of src in that order; its low bounds need not be, nor
// the size of its elements: temporary arrays have the smaller ones. No more than memory bytes are used for buffers, and never
// less than one chunk of the target; what the arrays themselves keep in memory, at least a
// chunk each, comes on top.
//
// It is the plan that moves the least bytes, and of these the one with the fewest
// operations, that was found: the best single pass (see best), or several by way of
// intermediate chunks (section 4.3 of the paper, and more). The error wraps nd.ErrRank,
// nd.ErrBounds, nd.ErrOverflow or ErrMemory.
func NewPlan(src, dst Grid, order nd.Order, memory int64) (*Plan, error) {
	if err := checkGrids(src, dst, order); err != nil {
		return nil, err
	}
	p := &Plan{Order: order, Memory: memory}
	s := newSolver(src.permuted(order), dst, memory)
	if s.empty() {
		return p, nil
	}
	grids := s.solve()
	if grids == nil {
		return nil, fmt.Errorf("memory of %d bytes: %w: a chunk of the target, within its bounds, takes %d",
			memory, ErrMemory, s.problem(s.src, s.dst).least())
	}
	for i := range grids[1:] {
		p.Passes = append(p.Passes, s.pass(grids[i], grids[i+1]))
	}
	return p, nil
}

func checkGrids(src, dst Grid, order nd.Order) error {
	if err := src.check("source"); err != nil {
		return err
	}
	if err := dst.check("target"); err != nil {
		return err
	}
	if err := order.Check(len(src.Lo)); err != nil {
		return err
	}
	if err := nd.CheckRank("dimensions of the target", len(dst.Lo), len(src.Lo)); err != nil {
		return err
	}
	want := order.Apply(nd.Shape(src.Lo, src.Hi))
	if have := nd.Shape(dst.Lo, dst.Hi); !slices.Equal(want, have) {
		return fmt.Errorf("target of shape %v: %w: the source has %v in that order", have, nd.ErrBounds, want)
	}
	return nil
}

// least returns the bytes that templates of one target chunk need: its largest part within
// the bounds and, where elements become smaller, a part of a source chunk.
func (p *problem) least() int64 {
	ones := choice{blocks: make([]int, len(p.axes)), atLeast: make([]int, len(p.axes))}
	for d := range ones.blocks {
		ones.blocks[d] = 1
	}
	l := p.layout(p.profilesOf(ones), mostHalved)
	return l.bytes(1, 1)
}

// newPass returns the pass of a problem with a choice and so many buffers.
func newPass(src, dst Grid, p *problem, c choice, works, stages int) Pass {
	l := p.layout(p.profilesOf(c), c.halved)
	pass := Pass{
		Source: src, Target: dst, Traversal: l.traversal, Cost: p.cost(l.profiles),
		Works: works, Stages: stages, Peak: l.bytes(works, stages),
		problem: p, choice: c, layout: l,
	}
	if l.stage == 0 {
		pass.Stages = 0
	}
	for _, profile := range l.profiles {
		pass.Template = append(pass.Template, profile.templ)
	}
	return pass
}

// templates returns the number of templates of a pass, per dimension.
func (p *Pass) templates() []int {
	n := make([]int, len(p.choice.blocks))
	for d, a := range p.problem.axes {
		n[d] = nd.CeilDiv(a.blocks(), p.choice.blocks[d])
	}
	return n
}
