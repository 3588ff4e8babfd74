package memory

import (
	"slices"

	"drx/axial"
	"drx/nd"
)

// A step is one change of a grid: an extension, or a new dimension.
type step struct {
	addDim bool
	dim    int
	by     int // chunks
	side   axial.Side
}

// history returns the initial bounds of a grid and the steps from there to the grid. An
// uninterrupted extension is one step. It reads the records backwards.
func history(g *axial.Grid) (lo, hi []int, steps []step) {
	lo, hi = slices.Clone(g.Lo()), slices.Clone(g.Hi())
	end := g.Chunks()
	for i, r := range slices.Backward(g.Records()) {
		for d := len(lo) - 1; r.Coef[d] == 0; d-- { // added after the record
			lo, hi = lo[:d], hi[:d]
			steps = append(steps, step{addDim: true, dim: d})
		}
		if i == 0 && initial(r, lo, hi) {
			break
		}
		s := step{dim: r.Dim, by: int(end-r.Number) / r.Coef[r.Dim], side: r.Side}
		steps = append(steps, s)
		if r.Side == axial.Low {
			lo[r.Dim] += s.by
		} else {
			hi[r.Dim] -= s.by
		}
		end = r.Number
	}
	slices.Reverse(steps)
	return lo, hi, steps
}

// initial reports whether the first record can describe the initial allocation, in row-major order.
// It is also true for an extension from nothing that numbers the chunks in the same way.
func initial(r axial.Record, lo, hi []int) bool {
	k := len(lo)
	return r.Dim == k-1 && r.Side == axial.High && slices.Equal(r.Coef[:k], nd.RowMajor.Strides(nd.Shape(lo, hi)))
}

// following returns the steps that lead from one grid to another, and false if from is not an
// earlier stage of to.
func following(from, to *axial.Grid) ([]step, bool) {
	fromLo, fromHi, done := history(from)
	lo, hi, steps := history(to)
	if !slices.Equal(fromLo, lo) || !slices.Equal(fromHi, hi) || len(done) > len(steps) {
		return nil, false
	}
	rest := steps[len(done):]
	// The last extension may have been continued since, even after new dimensions.
	last := len(done) - 1
	for last >= 0 && done[last].addDim {
		last--
	}
	if last >= 0 && done[last].by < steps[last].by {
		more := steps[last]
		more.by -= done[last].by
		rest = append([]step{more}, rest...)
		done[last].by = steps[last].by
	}
	return rest, slices.Equal(done, steps[:len(done)])
}
