package planner

import "drx/nd"

// A Plan describes how to copy one grid to another, and the cost. The first pass reads the source
// of the copy, the last one writes its target; all other arrays are temporary.
type Plan struct {
	Order  nd.Order // dimension d of the target is dimension Order[d] of the source
	Memory int64    // the bound, in bytes
	Passes []Pass   // none if there are no elements
}

// NewPlan plans the copy of src, with its dimensions in the given order, to dst, with buffers of at
// most memory bytes. Of the plans found it chooses the one that moves the fewest bytes, and of
// these the one with the fewest operations: the best single pass, or several passes by way of
// intermediate chunks (section 4.3 of the paper, and more). The error wraps ErrMemory, or is that
// of CheckGrids.
func NewPlan(src, dst Grid, order nd.Order, memory int64) (*Plan, error) {
	if err := CheckGrids(src, dst, order); err != nil {
		return nil, err
	}
	p := &Plan{Order: order, Memory: memory}
	if dst.empty() {
		return p, nil
	}
	var err error
	p.Passes, err = newPassSearch(src.permuted(order), dst, memory).passes()
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Cost returns the cost of all passes together.
func (p *Plan) Cost() Cost {
	var c Cost
	for i := range p.Passes {
		c = c.Plus(p.Passes[i].Cost)
	}
	return c
}

// PeakMemory returns the largest number of bytes of the buffers of a pass.
func (p *Plan) PeakMemory() int64 {
	var peak int64
	for i := range p.Passes {
		peak = max(peak, p.Passes[i].PeakMemory)
	}
	return peak
}

// ChunkByChunkCost returns the cost of the simple loop over the target chunks that reads, for each,
// all source chunks that have some of its elements. It returns the errors of CheckGrids.
func ChunkByChunkCost(src, dst Grid, order nd.Order) (Cost, error) {
	if err := CheckGrids(src, dst, order); err != nil || dst.empty() {
		return Cost{}, err
	}
	p := newProblem(src.permuted(order), dst)
	return p.cost(p.profiles(p.oneChunk())), nil
}
