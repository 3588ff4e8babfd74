package planner

import (
	"iter"
	"slices"
)

// A Step is one step of a template: a box is read, and a box of target chunks is written.
type Step struct {
	pass     *Pass
	template []int      // the first element of its template
	axes     []axisStep // per dimension
}

// Read returns the box that the step reads.
func (s *Step) Read() Box {
	return s.box(func(a axisStep) (int, int) { return a.readLo, a.readHi })
}

// Written returns the box that the step writes.
func (s *Step) Written() Box {
	return s.box(func(a axisStep) (int, int) { return a.writeLo, a.writeHi })
}

func (s *Step) box(bounds func(axisStep) (int, int)) Box {
	b := newBox(len(s.axes))
	for d, a := range s.axes {
		b.Lo[d], b.Hi[d] = bounds(a)
	}
	return b
}

// IsDirect reports whether the step writes exactly what it reads.
func (s *Step) IsDirect() bool {
	for _, a := range s.axes {
		if a.readLo != a.writeLo || a.readHi != a.writeHi {
			return false
		}
	}
	return true
}

// Unused returns the box that the layer of dimension d holds when the step begins: along d the
// elements that were unused before the step, along the dimensions traversed faster what the
// step writes, along those traversed slower what it reads.
func (s *Step) Unused(d int) Box {
	b := s.Read()
	for _, e := range s.pass.Traversal {
		if e == d {
			b.Lo[d], b.Hi[d] = s.axes[d].writeLo, s.axes[d].readLo
			return b
		}
		b.Lo[e], b.Hi[e] = s.axes[e].writeLo, s.axes[e].writeHi
	}
	return b
}

// Layer returns the extents of the layer of dimension d, and the element at its origin when the
// step begins. When the step ends, the layer begins at the end of what was written along d.
func (s *Step) Layer(d int) (origin, shape []int) {
	origin, shape = slices.Clone(s.template), make([]int, len(s.axes))
	owner := slices.Index(s.pass.Traversal, d)
	for i, e := range s.pass.Traversal {
		shape[e] = s.pass.buffers.profiles[e].inLayer(owner, i)
		if i > owner {
			origin[e] = s.axes[e].readLo
		}
	}
	origin[d] = s.axes[d].writeLo
	return origin, shape
}

// A Position is how far a copy got. The names of its fields are part of the checkpoints in
// array files; that of a temporary array has no pass.
type Position struct {
	Pass      int `json:"pass,omitempty"`  // the pass in progress; the number of passes if all are done
	Templates int `json:"templates"`       // templates of the pass that are done
	Steps     int `json:"steps,omitempty"` // steps of the next template that are done
}

// Steps iterates over the steps of all templates from the one with number first on, with the
// position within the pass after each step.
func (p *Pass) Steps(first int) iter.Seq2[*Step, Position] {
	return func(yield func(*Step, Position) bool) {
		for n := first; n < p.TemplateCount(); n++ {
			t := p.template(n)
			for i, count := 1, t.stepCount(); i <= count; i++ {
				after := Position{Templates: n, Steps: i}
				if i == count {
					after = Position{Templates: n + 1}
				}
				if !yield(t.step(), after) {
					return
				}
				t.advance()
			}
		}
	}
}

// A template iterates over the steps of one template.
type template struct {
	pass  *Pass
	first []int // the first element
	steps [][]axisStep
	at    []int // the present step, per dimension
}

// template returns the template with number n, in row-major order, before its first step.
func (p *Pass) template(n int) *template {
	t := &template{pass: p, at: make([]int, len(p.problem.axes))}
	chunks := p.templateChunks(n)
	for d, a := range p.problem.axes {
		t.first = append(t.first, a.targetBegin(chunks.Lo[d]))
		t.steps = append(t.steps, a.steps(chunks.Lo[d], chunks.Hi[d], p.choice.minWritten[d]))
	}
	return t
}

// templateChunks returns the box of target chunks, by their indices, that are the template
// with number n.
func (p *Pass) templateChunks(n int) Box {
	b := newBox(len(p.problem.axes))
	count := p.templates()
	for d, a := range slices.Backward(p.problem.axes) {
		b.Lo[d] = n % count[d] * p.choice.chunks[d]
		b.Hi[d] = min(b.Lo[d]+p.choice.chunks[d], a.targetChunks())
		n /= count[d]
	}
	return b
}

// templateBox returns the elements of the template with number n.
func (p *Pass) templateBox(n int) Box {
	b := p.templateChunks(n)
	for d, a := range p.problem.axes {
		b.Lo[d], b.Hi[d] = a.targetBegin(b.Lo[d]), a.targetBegin(b.Hi[d])
	}
	return b
}

// CostOfTemplates returns the cost of the first n templates.
func (p *Pass) CostOfTemplates(n int) Cost {
	var sum Cost
	for i := range n {
		b := p.templateBox(i)
		sum = sum.Plus(p.CostOfChunks(p.SourceChunksIn(b), p.TargetChunksIn(b)))
	}
	return sum
}

// stepCount returns the number of steps of the template.
func (t *template) stepCount() int {
	n := 1
	for _, steps := range t.steps {
		n *= len(steps)
	}
	return n
}

// step returns the present step.
func (t *template) step() *Step {
	s := &Step{pass: t.pass, template: t.first}
	for d, i := range t.at {
		s.axes = append(s.axes, t.steps[d][i])
	}
	return s
}

// advance goes on to the next step: along the first dimension of the traversal that has another
// one, and from the beginning again along those before.
func (t *template) advance() {
	for _, d := range t.pass.Traversal {
		if t.at[d]++; t.at[d] < len(t.steps[d]) {
			return
		}
		t.at[d] = 0
	}
}
