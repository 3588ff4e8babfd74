package relayout

import (
	"encoding/json"

	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
	"drx/relayout/internal/planner"
)

// ErrMemory is returned when no plan fits the bound on memory. For NewPlan, a bound that holds a
// chunk of the source and one of the target is always enough.
var ErrMemory = planner.ErrMemory

// A Grid describes an array, or a section of one, as far as a plan depends on it. Chunks begin
// at multiples of their extents. How the array grew makes no difference.
type Grid struct {
	Lo, Hi     []int // bounds [Lo, Hi), in elements
	ChunkShape []int // extents of a chunk, in elements
	ElemSize   int   // bytes of an element
}

// ArrayInfo describes an array, as drx.Array and drxmp.Array do.
type ArrayInfo interface {
	Name() string
	DType() dtype.DType
	Bounds() nd.Section
	ChunkShape() []int                 // extents of a chunk, in elements
	Attrs() map[string]json.RawMessage // attributes, as JSON
}

// GridOf returns the grid of an array.
func GridOf(a ArrayInfo) Grid {
	lo, hi := a.Bounds().Bounds()
	return Grid{lo, hi, a.ChunkShape(), a.DType().Size()}
}

// GridOfSection returns the grid of a section of an array; a nil section is the whole array. The
// error wraps nd.ErrRank, or nd.ErrBounds if the section exceeds the array or has a step other
// than one.
func GridOfSection(a ArrayInfo, sec nd.Section) (Grid, error) {
	g := GridOf(a)
	sec, err := sec.Resolve(g.Lo, g.Hi)
	if err != nil {
		return Grid{}, err
	}
	for d, r := range sec {
		if r.Step > 1 {
			return Grid{}, nd.DimErrorf(d, "%w", errkind.Errorf(nd.ErrBounds, "step %d of section %v: only 1 can be copied", r.Step, sec))
		}
	}
	g.Lo, g.Hi = sec.Bounds()
	return g, nil
}

// A Cost counts what a copy reads and writes. An operation moves one whole chunk, even where the
// chunk reaches beyond the bounds.
type Cost struct {
	Reads, Writes           int64 // chunks
	BytesRead, BytesWritten int64
}

// Bytes returns the bytes moved in both directions.
func (c Cost) Bytes() int64 { return planner.Cost(c).Bytes() }

// Operations returns the chunks moved in both directions.
func (c Cost) Operations() int64 { return planner.Cost(c).Operations() }

// A Plan describes how to copy one grid to another, and the cost. The first pass reads the source
// of the copy, the last one writes its target; all other arrays are temporary.
type Plan struct {
	Order  nd.Order // dimension d of the target is dimension Order[d] of the source
	Memory int64    // the bound on the bytes of all buffers
	Passes []Pass   // none if there are no elements
}

// A Pass is one copy of all elements. Its dimensions are in the order of the target of the copy.
type Pass struct {
	Source, Target Grid
	Template       []int // extents of a template, in elements; those at the edges are smaller
	Cost           Cost
	PeakMemory     int64 // bytes of all buffers
}

// NewPlan plans the copy of src, with its dimensions in the given order, to dst. A nil order leaves
// the dimensions as they are. The extents of dst must be the extents of src in that order; its low
// bounds and the size of its elements may differ. Memory bounds the bytes of all buffers. What the
// arrays themselves keep in memory, at least a chunk each, comes on top.
//
// Of the plans that it finds, NewPlan returns the one that moves the fewest bytes, and of these
// the one with the fewest operations. The error wraps nd.ErrRank, nd.ErrBounds, nd.ErrOverflow or
// ErrMemory.
func NewPlan(src, dst Grid, order nd.Order, memory int64) (*Plan, error) {
	p, err := planner.NewPlan(planner.Grid(src), planner.Grid(dst), order, memory)
	if err != nil {
		return nil, err
	}
	return describe(p), nil
}

// describe returns the public description of a plan.
func describe(p *planner.Plan) *Plan {
	plan := &Plan{Order: p.Order, Memory: p.Memory}
	for i := range p.Passes {
		plan.Passes = append(plan.Passes, describePass(&p.Passes[i]))
	}
	return plan
}

func describePass(p *planner.Pass) Pass {
	return Pass{Grid(p.Source), Grid(p.Target), p.Template, Cost(p.Cost), p.PeakMemory}
}

// Cost returns the cost of all passes together.
func (p *Plan) Cost() Cost {
	var sum planner.Cost
	for _, pass := range p.Passes {
		sum = sum.Plus(planner.Cost(pass.Cost))
	}
	return Cost(sum)
}

// PeakMemory returns the largest number of bytes of the buffers of a pass.
func (p *Plan) PeakMemory() int64 {
	var peak int64
	for _, pass := range p.Passes {
		peak = max(peak, pass.PeakMemory)
	}
	return peak
}

// ChunkByChunkCost returns the cost of the simple loop over the target chunks that reads, for each,
// all source chunks that have some of its elements. It returns the errors of NewPlan, except
// ErrMemory.
func ChunkByChunkCost(src, dst Grid, order nd.Order) (Cost, error) {
	c, err := planner.ChunkByChunkCost(planner.Grid(src), planner.Grid(dst), order)
	return Cost(c), err
}
