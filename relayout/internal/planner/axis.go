package planner

import "drx/nd"

// An axis is one dimension of a problem: n elements, numbered from 0, cut into source chunks
// of s elements and target chunks of t. The first source chunk begins sOff elements before
// element 0, and the first target chunk tOff elements before it.
type axis struct {
	n       int
	s, sOff int
	t, tOff int
}

// newAxis returns the axis for the elements [slo, shi) of a source with chunks of s elements.
// The first of them is element tlo of a target with chunks of t elements. Chunks begin at
// multiples of their extents.
func newAxis(slo, shi, s, tlo, t int) axis {
	return axis{
		n: shi - slo,
		s: s, sOff: slo - nd.FloorDiv(slo, s)*s,
		t: t, tOff: tlo - nd.FloorDiv(tlo, t)*t,
	}
}

// targetChunks returns the number of target chunks.
func (a axis) targetChunks() int { return nd.CeilDiv(a.n+a.tOff, a.t) }

// targetChunk returns the index of the target chunk that holds element x.
func (a axis) targetChunk(x int) int { return (x + a.tOff) / a.t }

// targetBegin returns the first element of the target chunk with index i, or n if i is the
// number of target chunks.
func (a axis) targetBegin(i int) int { return min(max(i*a.t-a.tOff, 0), a.n) }

// targetEnd returns the end of the target chunk that holds element x.
func (a axis) targetEnd(x int) int { return a.targetBegin(a.targetChunk(x) + 1) }

// sourceEnd returns the end of the source chunk that holds element x.
func (a axis) sourceEnd(x int) int { return min(((x+a.sOff)/a.s+1)*a.s-a.sOff, a.n) }

// sourceChunksIn returns the number of source chunks that have elements in [lo, hi).
func (a axis) sourceChunksIn(lo, hi int) int {
	return chunksIn(lo+a.sOff, hi+a.sOff, a.s)
}

// targetChunksIn returns the number of target chunks that have elements in [lo, hi).
func (a axis) targetChunksIn(lo, hi int) int {
	return chunksIn(lo+a.tOff, hi+a.tOff, a.t)
}

// chunksIn returns the number of chunks of a given extent that have elements in [lo, hi).
func chunksIn(lo, hi, extent int) int {
	if lo >= hi {
		return 0
	}
	return (hi-1)/extent - lo/extent + 1
}

// An axisStep is one step of a template along one axis. The step reads [readLo, readHi) and
// writes [writeLo, writeHi). [writeLo, readLo) was unused before it, [writeHi, readHi) is
// unused after it.
type axisStep struct{ writeLo, writeHi, readLo, readHi int }

// steps cuts the template of target chunks [lo, hi) into steps. Every step reads at least one
// source chunk and writes at least one target chunk. Every step but the last writes at least
// minWritten elements.
func (a axis) steps(lo, hi, minWritten int) []axisStep {
	var all []axisStep
	end := a.targetBegin(hi)
	written, read := a.targetBegin(lo), a.targetBegin(lo)
	for i := lo; i < hi; {
		s := axisStep{writeLo: written, readLo: read}
		for i++; i < hi && a.targetBegin(i)-written < minWritten; i++ {
		}
		read = min(a.sourceEnd(a.targetBegin(i)-1), end)
		for i < hi && a.targetBegin(i+1) <= read {
			i++
		}
		written = a.targetBegin(i)
		s.writeHi, s.readHi = written, read
		all = append(all, s)
	}
	return all
}
