// Package stats computes statistics of arrays: sums, means, deviations, extremes, quantiles and
// others. One call computes several of them over any dimensions, for groups and rolling windows,
// with weights and masks.
//
//	r, err := stats.Compute(ctx, a, stats.Request{
//		Over:  []int{0},
//		Funcs: []stats.Func{{Op: stats.Mean}, {Op: stats.Std}, {Op: stats.Quantile, Percent: 90}},
//	})
//	means := r.Float64s(&r.Columns[0])
//
// Statistics use the values that the attributes of the array define, see package meaning: packed
// numbers are scaled; NaN, the fill value and the marks of missing values are missing. A fill value
// of zero that no attribute names counts as a value. A sum of integers is exact, or the error
// drx.ErrOverflow. Floating-point numbers are added with twice the digits of a float64. Quantiles
// are exact even if their values do not fit in memory; then the array is read several times.
//
// # Invariants
//
//  1. A result has the same bits with any number of goroutines and any memory: see plan.
//  2. Every chunk that is written is read once, or once per pass of a quantile that does not fit in
//     the memory; chunks that were never written are not read where the time would show it.
package stats

import (
	"context"

	"drx"
	"drx/parallel/par"
)

// Compute computes statistics of an array. It reads each chunk once, except as the package comment
// says.
//
// The error is the error of ctx or of reading, or wraps drx.ErrRank for a dimension that does not
// exist or is given twice, and for a statistic of one dimension over several; drx.ErrBounds for a
// selection outside the bounds, an unknown statistic or comparison, or missing weights;
// drx.ErrDType for complex elements, for strings (the attribute import.strings) unless they are
// only counted, and for attributes that do not define the meaning of the elements; drx.ErrSize for
// groups of another selection; and drx.ErrOverflow for a sum that does not fit its type, or for
// more than 2^28 results.
func Compute(ctx context.Context, a *drx.Array, req Request) (*Result, error) {
	p, err := prepare(a, &req, nil)
	if err != nil {
		return nil, err
	}
	return p.result(ctx)
}

// prepare returns the plan of a request, with the written chunks.
func prepare(a *drx.Array, req *Request, team par.Comm) (*plan, error) {
	p, err := newPlan(a, req, team)
	if err != nil {
		return nil, err
	}
	return p, p.setWritten()
}

// result computes the result of a plan.
func (p *plan) result(ctx context.Context) (*Result, error) {
	r := p.newResult()
	if err := p.run(ctx, r.store); err != nil {
		return nil, err
	}
	return r, nil
}

// run computes the tiles of a plan and passes them to store in ascending order.
func (p *plan) run(ctx context.Context, store func(t *tile, part *Result)) error {
	switch p.numbers() {
	case signedNumbers:
		return runAs[int64](ctx, p, store)
	case unsignedNumbers:
		return runAs[uint64](ctx, p, store)
	}
	return runAs[float64](ctx, p, store)
}

func runAs[T number](ctx context.Context, p *plan, store func(t *tile, part *Result)) error {
	begin := func(t *tile) *state[T] {
		s := newState[T](p.needs, t.cells)
		if p.needs.lists {
			s.lists = newLists[T](t.cells, p.perGroup(), p.rowsInCell())
		}
		return s
	}
	end := func(t *tile, s *state[T]) (*Result, error) {
		addAbsent(p, t, s)
		return finish(ctx, p, t, s)
	}
	j := &job[T, *state[T]]{plan: p, begin: begin, finish: end, store: store}
	err := j.run(ctx, 0, p.tileCount())
	if err == nil {
		p.reportSkipped()
	}
	return err
}
