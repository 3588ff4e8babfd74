package planner

import (
	"iter"
	"slices"
)

// A Step is one step of a template: a box is read, and a box of target chunks is written.
type Step struct {
	Read, Written Box
	pass          *Pass
	template      []int // the first element of its template
}

// IsDirect reports whether the step writes exactly what it reads.
func (s *Step) IsDirect() bool {
	return slices.Equal(s.Read.Lo, s.Written.Lo) && slices.Equal(s.Read.Hi, s.Written.Hi)
}

// Unused returns the box in the layer of dimension d when the step begins: along d the elements
// that were unused before the step; along faster dimensions of the traversal those that the step
// writes; along slower ones those that it reads.
func (s *Step) Unused(d int) Box {
	b := s.Read.With(d, s.Written.Lo[d], s.Read.Lo[d])
	for _, e := range s.pass.Traversal[:slices.Index(s.pass.Traversal, d)] {
		b.Lo[e], b.Hi[e] = s.Written.Lo[e], s.Written.Hi[e]
	}
	return b
}

// Layer returns the extents of the layer of dimension d, and the element at its origin when the
// step begins. When the step ends, the layer begins at the end of what was written along d.
func (s *Step) Layer(d int) (origin, shape []int) {
	origin, shape = slices.Clone(s.template), make([]int, len(s.template))
	owner := slices.Index(s.pass.Traversal, d)
	for i, e := range s.pass.Traversal {
		shape[e] = s.pass.buffers.profiles[e].inLayer(owner, i)
		if i > owner {
			origin[e] = s.Read.Lo[e]
		}
	}
	origin[d] = s.Written.Lo[d]
	return origin, shape
}

// A Position is the progress of a copy. The names of its fields are part of the checkpoints in
// array files. The position of a temporary array has no pass.
type Position struct {
	Pass      int `json:"pass,omitempty"`  // the pass in progress; the number of passes at the end
	Templates int `json:"templates"`       // templates of the pass that are done
	Steps     int `json:"steps,omitempty"` // steps of the next template that are done
}

// Steps iterates over the steps of all templates from the one with number first on, with the
// position within the pass after each step.
func (p *Pass) Steps(first int) iter.Seq2[*Step, Position] {
	return func(yield func(*Step, Position) bool) {
		for n := first; n < p.TemplateCount(); n++ {
			t := p.template(n)
			count := t.stepCount()
			for i := range count {
				after := Position{Templates: n, Steps: i + 1}
				if i == count-1 {
					after = Position{Templates: n + 1}
				}
				if !yield(t.step(p, i), after) {
					return
				}
			}
		}
	}
}

// A template is the elements of a template, and its steps along every dimension.
type template struct {
	Box
	steps [][]axisStep
}

// template returns the template with number n, in row-major order.
func (p *Pass) template(n int) template {
	axes, count := p.problem.axes, p.templates()
	t := template{newBox(len(axes)), make([][]axisStep, len(axes))}
	for d, a := range slices.Backward(axes) {
		lo := n % count[d] * p.choice.chunks[d]
		hi := min(lo+p.choice.chunks[d], a.targetChunks())
		n /= count[d]
		t.Lo[d], t.Hi[d] = a.targetBegin(lo), a.targetBegin(hi)
		t.steps[d] = a.steps(lo, hi, p.choice.minWritten[d])
	}
	return t
}

// CostOfTemplates returns the cost of the first n templates.
func (p *Pass) CostOfTemplates(n int) Cost {
	var sum Cost
	for i := range n {
		t := p.template(i)
		sum = sum.Plus(p.CostOfChunks(p.SourceChunksIn(t.Box), p.TargetChunksIn(t.Box)))
	}
	return sum
}

// stepCount returns the number of steps of the template.
func (t template) stepCount() int {
	n := 1
	for _, steps := range t.steps {
		n *= len(steps)
	}
	return n
}

// step returns step i of the template: steps advance along the first dimension of the traversal,
// which begins again when they advance along the next one.
func (t template) step(p *Pass, i int) *Step {
	s := &Step{newBox(len(t.Lo)), newBox(len(t.Lo)), p, t.Lo}
	for _, d := range p.Traversal {
		a := t.steps[d][i%len(t.steps[d])]
		i /= len(t.steps[d])
		s.Read.Lo[d], s.Read.Hi[d], s.Written.Lo[d], s.Written.Hi[d] = a.readLo, a.readHi, a.writeLo, a.writeHi
	}
	return s
}
