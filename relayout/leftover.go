package relayout

import (
	"fmt"
	"iter"
	"slices"

	"drx/nd"
)

// done is how far a copy got: the value of doneAttr. That of a temporary array has no pass.
type done struct {
	Pass      int `json:"pass,omitempty"`  // the pass at work; their number when all are done
	Templates int `json:"templates"`       // of the last pass, or that of a temporary array
	Steps     int `json:"steps,omitempty"` // of the template after these
}

// checkDone returns an error that wraps nd.ErrBounds unless the pass can have got so far.
func (p *Pass) checkDone(d done) error {
	n, steps := volume(p.templates()), 1
	if d.Templates >= 0 && d.Templates < n {
		steps = p.sweep(p.templateAt(d.Templates)).count()
	}
	if d.Templates < 0 || d.Templates > n || d.Steps < 0 || d.Steps >= steps {
		return fmt.Errorf("attribute %s: template %d of %d, step %d of %d: %w", doneAttr, d.Templates, n, d.Steps, steps, nd.ErrBounds)
	}
	return nil
}

// templateAt returns the index of a template by its number.
func (p *Pass) templateAt(n int) []int {
	count := p.templates()
	index := make([]int, len(count))
	for d := range slices.Backward(count) {
		index[d], n = n%count[d], n/count[d]
	}
	return index
}

// count returns the number of steps of a template.
func (s *sweep) count() int {
	n := 1
	for _, steps := range s.steps {
		n *= len(steps)
	}
	return n
}

// costOf returns the cost of the first n templates.
func (p *Pass) costOf(n int) Cost {
	var sum Cost
	for i := range n {
		b := box{make([]int, len(p.problem.axes)), make([]int, len(p.problem.axes))}
		for d, t := range p.templateAt(i) {
			a := p.problem.axes[d]
			b.lo[d] = a.targetCut(t * p.choice.blocks[d])
			b.hi[d] = a.targetCut(min((t+1)*p.choice.blocks[d], a.blocks()))
		}
		sum = sum.plus(p.costOfChunks(p.chunksIn(b), p.targetsIn(b)))
	}
	return sum
}

// costOfChunks returns the cost of reading and writing so many chunks.
func (p *Pass) costOfChunks(reads, writes int64) Cost {
	return Cost{reads, writes, mul(reads, p.problem.src), mul(writes, p.problem.dst)}
}

// A leftover is what steps that are done leave to be done again by who goes on with their
// template: they have read something of target chunks that they did not complete, and that was
// lost.
type leftover struct {
	pass     *Pass
	complete []uint64 // a bit per target chunk, by number; nil while there is none
	skipped  Cost     // what was done and need not be done again
}

// leftover returns what is left of a pass that got so far.
func (p *Pass) leftover(d done) *leftover {
	l := &leftover{pass: p, skipped: p.costOf(d.Templates)}
	if d.Steps == 0 {
		return l
	}
	l.complete = make([]uint64, (p.targets()+63)/64)
	reads, writes := int64(0), int64(0)
	for m := range p.steps(d) {
		for chunk := range p.targetsOf(m.written()) {
			q := p.numberOf(chunk.lo)
			l.complete[q/64] |= 1 << (q % 64)
			writes++
		}
	}
	for m := range p.steps(d) {
		reads += p.chunksIn(m.read()) - l.reads(m)
	}
	l.skipped = l.skipped.plus(p.costOfChunks(reads, writes))
	return l
}

// steps returns the steps that are done of the template at work.
func (p *Pass) steps(d done) iter.Seq[*move] {
	return func(yield func(*move) bool) {
		s := p.sweep(p.templateAt(d.Templates))
		for n := 0; n < d.Steps && yield(s.bare()); n++ {
			s.next()
		}
	}
}

// isComplete reports whether the target chunk that holds an element is complete.
func (l *leftover) isComplete(x []int) bool {
	if l.complete == nil {
		return false
	}
	q := l.pass.numberOf(x)
	return l.complete[q/64]>>(q%64)&1 > 0
}

// targets returns how many target chunks there are.
func (p *Pass) targets() int {
	n := 1
	for _, a := range p.problem.axes {
		n *= a.blocks()
	}
	return n
}

// reads returns how many source chunks of a step have to be read.
func (l *leftover) reads(m *move) (n int64) {
	for b := range l.pass.sourcesOf(m.read()) {
		if l.has(b) {
			n++
		}
	}
	return n
}

// has reports whether a part of a source chunk belongs to a target chunk that is not complete.
func (l *leftover) has(b box) bool {
	for range l.parts(b) {
		return true
	}
	return false
}

// parts returns the parts of a box that belong to target chunks that are not complete.
func (l *leftover) parts(b box) iter.Seq[box] {
	return func(yield func(box) bool) {
		for part := range l.pass.targetsOf(b) {
			if !l.isComplete(part.lo) && !yield(part) {
				return
			}
		}
	}
}

// numberOf returns the number of the target chunk that holds an element, in row-major order.
func (p *Pass) numberOf(x []int) int {
	n := 0
	for d, a := range p.problem.axes {
		n = n*a.blocks() + (x[d]+a.to)/a.t
	}
	return n
}
