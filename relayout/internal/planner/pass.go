package planner

import "drx/nd"

// A Pass is one copy of all elements. Grids are in the order of the target's dimensions.
type Pass struct {
	Source, Target Grid
	Template       []int // extents of a template, in elements; those at the edges are smaller
	Traversal      []int // the dimensions, the one traversed fastest first
	Cost           Cost
	WorkBuffers    int   // buffers for the output of a step; two let reading overlap with writing
	StagingBuffers int   // buffers for source chunks, or for parts of them
	PeakMemory     int64 // bytes of all buffers

	problem *problem
	choice  choice
	buffers buffers
}

// newPass returns the pass from src to dst for a choice.
func newPass(src, dst Grid, c choice) Pass {
	problem := newProblem(src, dst)
	b := problem.buffers(problem.profiles(c), c.halvings)
	if b.staging == 0 {
		c.stagings = 0
	}
	p := Pass{
		Source: src, Target: dst, Traversal: b.traversal, Cost: problem.cost(b.profiles),
		WorkBuffers: c.works, StagingBuffers: c.stagings, PeakMemory: b.bytes(c.works, c.stagings),
		problem: problem, choice: c, buffers: b,
	}
	for _, profile := range b.profiles {
		p.Template = append(p.Template, profile.template)
	}
	return p
}

// WorkElements returns the elements of a work buffer: the most that a step writes.
func (p *Pass) WorkElements() int64 { return p.buffers.work }

// LayerElements returns the elements of the layer of each dimension.
func (p *Pass) LayerElements() []int64 { return p.buffers.layers }

// StagingElements returns the elements of a staging buffer, 0 if there is none.
func (p *Pass) StagingElements() int64 { return p.buffers.staging }

// Halved reports whether a staging buffer holds only a part of a source chunk.
func (p *Pass) Halved() bool { return p.choice.halvings > 0 }

// TemplateCount returns the number of templates.
func (p *Pass) TemplateCount() int { return volume(p.templates()) }

// templates returns the number of templates per dimension.
func (p *Pass) templates() []int {
	n := make([]int, len(p.choice.chunks))
	for d, a := range p.problem.axes {
		n[d] = nd.CeilDiv(a.targetChunks(), p.choice.chunks[d])
	}
	return n
}

// chunkNumber returns the number of the target chunk that holds element x, in row-major order.
func (p *Pass) chunkNumber(x []int) int {
	n := 0
	for d, a := range p.problem.axes {
		n = n*a.targetChunks() + a.targetChunk(x[d])
	}
	return n
}

// SourceChunksIn returns the number of source chunks that a box touches.
func (p *Pass) SourceChunksIn(b Box) int64 { return p.chunksIn(b, axis.sourceChunksIn) }

// TargetChunksIn returns the number of target chunks that a box touches.
func (p *Pass) TargetChunksIn(b Box) int64 { return p.chunksIn(b, axis.targetChunksIn) }

func (p *Pass) chunksIn(b Box, along func(a axis, lo, hi int) int) int64 {
	n := int64(1)
	for d, a := range p.problem.axes {
		n *= int64(along(a, b.Lo[d], b.Hi[d]))
	}
	return n
}

// CostOfChunks returns the cost of a number of reads and writes of chunks.
func (p *Pass) CostOfChunks(reads, writes int64) Cost { return p.problem.costOfChunks(reads, writes) }
