package planner

import "iter"

// SourceSlabs cuts a box along dimension d at the edges of source chunks.
func (p *Pass) SourceSlabs(b Box, d int) []Box { return b.slabs(d, p.problem.axes[d].sourceEnd) }

// TargetSlabs cuts a box along dimension d at the edges of target chunks.
func (p *Pass) TargetSlabs(b Box, d int) []Box { return b.slabs(d, p.problem.axes[d].targetEnd) }

// SourcePieces cuts a box into pieces that lie in one source chunk each.
func (p *Pass) SourcePieces(b Box) iter.Seq[Box] {
	return b.cut(func(d, x int) int { return p.problem.axes[d].sourceEnd(x) })
}

// TargetPieces cuts a box into pieces that lie in one target chunk each.
func (p *Pass) TargetPieces(b Box) iter.Seq[Box] {
	return b.cut(func(d, x int) int { return p.problem.axes[d].targetEnd(x) })
}

// TargetChunk returns the target chunk that holds element x, as far as it lies in the bounds.
func (p *Pass) TargetChunk(x []int) Box {
	b := newBox(len(x))
	for d, a := range p.problem.axes {
		b.Lo[d], b.Hi[d] = a.targetBegin(a.targetChunk(x[d])), a.targetEnd(x[d])
	}
	return b
}

// A StagedPiece is a part of a source chunk that fits a staging buffer.
type StagedPiece struct {
	Box
	First bool // of the parts of its source chunk
}

// StagedPieces cuts a box into parts of source chunks that fit a staging buffer. It leaves out
// source chunks that are not wanted.
func (p *Pass) StagedPieces(b Box, wanted func(chunk Box) bool) []StagedPiece {
	var all []StagedPiece
	for chunk := range p.SourcePieces(b) {
		if !wanted(chunk) {
			continue
		}
		first := true
		for piece := range chunk.cut(func(d, x int) int { return x + p.buffers.stagingShape[d] }) {
			all = append(all, StagedPiece{piece, first})
			first = false
		}
	}
	return all
}
