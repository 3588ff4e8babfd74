package relayout

import (
	"slices"

	"drx/nd"
)

// A flight is the target chunks that have been begun, each in a slot of its owner. All procs
// keep the same one. A chunk that a step completes is written during the next step, so its
// slot is free for the one after that.
type flight struct {
	plan    *ParallelPlan
	slot    map[int]int // by chunk
	taken   [][]bool    // by owner and slot
	done    []box       // chunks that the last step completed
	writing []box       // and the one before
	slots   int         // the most that an owner had
}

func newFlight(p *ParallelPlan) *flight {
	return &flight{plan: p, slot: map[int]int{}, taken: make([][]bool, p.Procs)}
}

// each goes through the steps of the templates from one on, until do returns false. It tells do what
// is done when the step is.
func (f *flight) each(from int, do func(m *move, after done) bool) {
	p := &f.plan.Pass
	count := p.templates()
	index, zero := make([]int, len(count)), make([]int, len(count))
	for i, next := 0, true; next; i, next = i+1, nd.Next(index, zero, count) {
		if i >= from && !f.template(p.sweep(index), i, do) {
			return
		}
	}
}

// template goes through the steps of one template, before which there are so many.
func (f *flight) template(s *sweep, templates int, do func(m *move, after done) bool) bool {
	for steps, more := 1, true; more; steps++ {
		m := s.bare()
		f.begin(m)
		after := done{Templates: templates, Steps: steps}
		if more = s.next(); !more {
			after = done{Templates: templates + 1}
		}
		if !do(m, after) {
			return false
		}
	}
	return true
}

// begin gives slots to the chunks that a step reads parts of.
func (f *flight) begin(m *move) {
	p := f.plan
	for _, chunk := range f.writing {
		number, owner := p.chunkAt(chunk.lo)
		f.taken[owner][f.slot[number]] = false
		delete(f.slot, number)
	}
	f.writing, f.done = f.done, nil
	for part := range p.Pass.targetsOf(m.read()) {
		number, owner := p.chunkAt(part.lo)
		if _, ok := f.slot[number]; !ok {
			f.slot[number] = f.take(owner)
		}
	}
	for chunk := range p.Pass.targetsOf(m.written()) {
		f.done = append(f.done, chunk)
	}
}

// place returns the owner of the chunk that holds an element, and where in its window it grows.
func (f *flight) place(x []int) (owner, offset int) {
	number, owner := f.plan.chunkAt(x)
	return owner, f.slot[number] * int(f.plan.slotBytes())
}

// take returns the first slot of an owner that is free.
func (f *flight) take(owner int) int {
	i := slices.Index(f.taken[owner], false)
	if i < 0 {
		i = len(f.taken[owner])
		f.taken[owner] = append(f.taken[owner], false)
	}
	f.taken[owner][i] = true
	f.slots = max(f.slots, i+1)
	return i
}
