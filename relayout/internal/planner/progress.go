package planner

import (
	"iter"

	"drx/internal/errkind"
	"drx/nd"
)

// CheckPosition returns an error that wraps nd.ErrBounds unless a copy by the pass can reach the
// position. Positions come from attributes, which anybody can set.
func (p *Pass) CheckPosition(at Position) error {
	n, steps := p.TemplateCount(), 1
	if at.Templates >= 0 && at.Templates < n {
		steps = p.template(at.Templates).stepCount()
	}
	if at.Templates < 0 || at.Templates > n || at.Steps < 0 || at.Steps >= steps {
		return errkind.Errorf(nd.ErrBounds, "template %d, step %d: there are %d templates, of %d steps", at.Templates, at.Steps, n, steps)
	}
	return nil
}

// A Progress is the part of a pass that was done before the copy resumes. In the interrupted
// template, the completed target chunks need no more work. The finished steps have also read
// elements of other target chunks. These were lost with the buffers and must be read again.
type Progress struct {
	Position
	Skipped Cost // work that is done and need not be repeated

	pass     *Pass
	complete []bool // by the number of the target chunk; nil if no template was interrupted
}

// ProgressAt returns the progress of a pass at a position.
func (p *Pass) ProgressAt(at Position) *Progress {
	g := &Progress{Position: at, pass: p, Skipped: p.CostOfTemplates(at.Templates)}
	if at.Steps == 0 {
		return g
	}
	g.complete = make([]bool, p.Cost.Writes)
	reads, writes := int64(0), int64(0)
	for step := range g.finishedSteps() {
		for chunk := range p.TargetPieces(step.Written) {
			g.complete[p.chunkNumber(chunk.Lo)] = true
			writes++
		}
	}
	for step := range g.finishedSteps() {
		reads += p.SourceChunksIn(step.Read) - g.ReadsAgain(step)
	}
	g.Skipped = g.Skipped.Plus(p.CostOfChunks(reads, writes))
	return g
}

// finishedSteps iterates over the steps of the interrupted template that are done.
func (g *Progress) finishedSteps() iter.Seq[*Step] {
	return func(yield func(*Step) bool) {
		for step, after := range g.pass.Steps(g.Templates) {
			if !g.Includes(after) || !yield(step) {
				return
			}
		}
	}
}

// Includes reports whether a step of the interrupted template, or of a later one, is done. after is
// the position after the step.
func (g *Progress) Includes(after Position) bool {
	return after.Templates == g.Templates && after.Steps <= g.Steps
}

// ReadsAgain returns the number of source chunks that a finished step must read again.
func (g *Progress) ReadsAgain(s *Step) (n int64) {
	for b := range g.pass.SourcePieces(s.Read) {
		if g.Needs(b) {
			n++
		}
	}
	return n
}

// Needs reports whether a box has elements of target chunks that are not complete.
func (g *Progress) Needs(b Box) bool {
	for range g.IncompletePieces(b) {
		return true
	}
	return false
}

// IncompletePieces cuts a box into pieces that lie in one target chunk each, without those in
// target chunks that are complete.
func (g *Progress) IncompletePieces(b Box) iter.Seq[Box] {
	return func(yield func(Box) bool) {
		for piece := range g.pass.TargetPieces(b) {
			isComplete := g.complete != nil && g.complete[g.pass.chunkNumber(piece.Lo)]
			if !isComplete && !yield(piece) {
				return
			}
		}
	}
}
