package stats

import (
	"fmt"
	"slices"

	"drx"
	"drx/nd"
)

// mostWritten limits the number of steps in memory. Arrays with more written chunks are read in
// full.
const mostWritten = 1 << 20

// setWritten finds the written chunks. If at most half of all chunks are written, only these are
// read, so that the time depends on the data and not on the shape of a sparse array.
func (p *plan) setWritten() error {
	if !p.canSkip() {
		return nil
	}
	all := p.blocks
	sec := make(nd.Section, len(p.axes))
	for d, x := range p.axes {
		sec[d] = x.ranges[0]
	}
	for _, d := range p.kept {
		all, _ = nd.Mul(all, p.axes[d].count()) // 0 if it overflows
	}
	steps := []step{}
	for part, err := range p.a.Parts(drx.Walk{Section: sec, Written: true}) {
		if err != nil {
			return fmt.Errorf("%s: %w", p.a.Name(), err)
		}
		if steps = append(steps, p.stepOf(part.Index)); len(steps) > mostWritten || all > 0 && len(steps) > all/2 {
			return nil
		}
	}
	slices.SortFunc(steps, step.compare)
	p.written = steps
	if _, missing := p.fill(); !missing {
		p.needs.missing = true // addAbsent subtracts the missing elements
	}
	return nil
}

// canSkip reports whether unwritten chunks need not be read: their elements are missing, or
// addAbsent can add them without their steps.
func (p *plan) canSkip() bool {
	for d, x := range p.axes {
		if !x.isRegular(p.a.ChunkShape()[d]) {
			return false
		}
	}
	// Where each index has its own scale or missing value, the fill value is another one at each.
	if len(p.axes) == 0 || p.req.Where != nil || p.req.Weights != nil || p.of.Indices() > 0 {
		return false
	}
	if _, missing := p.fill(); missing {
		return true
	}
	return !p.needs.lists && !p.passes && !slices.ContainsFunc(p.req.Funcs, Func.alongOne)
}

// fill returns the fill value, which unwritten elements have, and whether it is a missing value. It
// is of no use if each index has its own meaning: canSkip refuses that.
func (p *plan) fill() (value []byte, missing bool) {
	fill := p.a.FillValue()
	return fill, p.of.IsMissing(fill) || p.of.Value(fill) != p.of.Value(fill)
}

// stepOf returns the step of the chunk with the given index.
func (p *plan) stepOf(chunk []int) step {
	var at step
	for k, d := range p.kept {
		x := &p.axes[d]
		i := x.pieceOf(chunk[d])
		at.tile = at.tile*p.tiles[k] + i/p.perTile[k]
		at.piece = at.piece*x.count() + i
	}
	for _, d := range p.reduced {
		at.block = at.block*p.axes[d].count() + p.axes[d].pieceOf(chunk[d])
	}
	return at
}

// addAbsent adds the elements of unwritten chunks, if the fill value is not a missing one.
func addAbsent[T number](p *plan, t *tile, s *state[T]) {
	if p.written == nil {
		return
	}
	fill, missing := p.fill()
	if missing {
		return
	}
	one := newSource[T](p.a, p.of)
	one.read = func(_ nd.Section, b []byte) error {
		copy(b, fill)
		return nil
	}
	_ = one.load(nil, 1) // it reads no file
	capacity := p.capacity(t)
	for i, n := range s.counts {
		if absent := int64(capacity(i)) - n - s.missing[i]; absent > 0 {
			s.addTimes(i, one.values[0], absent)
		}
	}
}

// reportSkipped adds the elements that were not read to the progress.
func (p *plan) reportSkipped() {
	n := 1
	for i := range p.axes {
		n, _ = nd.Mul(n, p.axes[i].len()) // 0 if it overflows
	}
	if n > p.seen {
		p.report(n - p.seen)
	}
}
