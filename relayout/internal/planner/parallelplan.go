package planner

import "drx/nd"

// A ParallelPlan says how several procs copy one grid to another in one pass. In every step
// they complete a box of at least one target chunk each.
type ParallelPlan struct {
	Source       Grid     // what is copied, in the order of the source's dimensions
	Order        nd.Order // dimension d of the target is dimension Order[d] of the source
	Procs        int
	Memory       int64 // the bound for each proc, in bytes
	Pass         Pass  // without a template if there are no elements
	Block        []int // extents of the box, in target chunks; its chunks belong to different procs
	ChunkBuffers int   // the largest number of target chunks in a proc's memory
	PeakMemory   int64 // bytes of all buffers of a proc
}

// IsEmpty reports whether there are no elements to copy.
func (p *ParallelPlan) IsEmpty() bool { return len(p.Pass.Template) == 0 }

// Plan returns the plan as one of one pass, or of none if there are no elements.
func (p *ParallelPlan) Plan() *Plan {
	plan := &Plan{Order: p.Order, Memory: p.Memory}
	if !p.IsEmpty() {
		plan.Passes = []Pass{p.Pass}
	}
	return plan
}

// Saved returns the data for restoring the plan. It has the numbers of buffers that one proc needs
// to resume the copy alone.
func (p *ParallelPlan) Saved() SavedPlan {
	s := p.Plan().Saved(p.Source)
	for i := range s.Passes {
		s.Passes[i].WorkBuffers, s.Passes[i].StagingBuffers = 1, int(min(p.Pass.StagingElements(), 1))
	}
	return s
}

// StagingBytes returns the bytes of the largest part of a source chunk, before or after it is
// converted.
func (p *ParallelPlan) StagingBytes() int64 {
	n := int64(max(p.Pass.Target.ElemSize, p.Pass.Source.ElemSize))
	for _, profile := range p.Pass.buffers.profiles {
		n = Mul(n, int64(profile.source))
	}
	return n
}

// ChunkBufferBytes returns the bytes of the largest part of a target chunk within the bounds.
func (p *ParallelPlan) ChunkBufferBytes() int64 {
	n := int64(p.Pass.Target.ElemSize)
	for _, a := range p.Pass.problem.axes {
		n = Mul(n, int64(min(a.t, a.n)))
	}
	return n
}

// Owner returns the proc that the target chunk with element x belongs to. Along each dimension,
// chunks are dealt in turn by their index in the target.
func (p *ParallelPlan) Owner(x []int) int {
	owner := 0
	for d, a := range p.Pass.problem.axes {
		index := nd.FloorDiv(p.Pass.Target.Lo[d]+x[d], a.t)
		owner = owner*p.Block[d] + index - nd.FloorDiv(index, p.Block[d])*p.Block[d]
	}
	return owner
}
