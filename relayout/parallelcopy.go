package relayout

import (
	"fmt"

	"drx/nd"
	"drx/par"
)

// Source is what a parallel copy reads, as drx.Array does it: any section, from any proc.
type Source interface {
	ReadBytes(sec nd.Section, buf []byte, order nd.Order) error
}

// Target is what a parallel copy writes, as drx.Array does it. Every proc writes whole chunks
// of its own, each once.
type Target interface {
	WriteBytes(sec nd.Section, buf []byte, order nd.Order) error
}

// CopyParallel copies by a plan that is the same on all procs: it is collective. Goroutine
// procs may share two arrays; other procs open their own. What a proc has read it puts where
// the target chunks grow, in a window at their owners; an owner writes what a step completed
// while the next step is read. It returns what all procs together have read and written. The
// error is the same on all procs: the first of the arrays, par.ErrArgument where the plan is for
// another number of procs, or what par returns. A target that is not complete has no mark.
func CopyParallel(c par.Comm, dst Target, src Source, p *ParallelPlan) (Cost, error) {
	what := fmt.Sprintf("copy of %v to %v by %v", p.Pass.Source, p.Pass.Target, p.Block)
	var err error
	if c.Procs() != p.Procs {
		err = fmt.Errorf("%d procs: %w: the plan is for %d", c.Procs(), par.ErrArgument, p.Procs)
	}
	if err := c.Agree(what, err); err != nil || len(p.Pass.Template) == 0 {
		return Cost{}, err
	}
	w, err := c.Window(p.Slots * int(p.slotBytes()))
	if err != nil {
		return Cost{}, err
	}
	t := &team{
		plan: p, comm: c, window: w, flight: newFlight(p), written: make(chan error, 1),
		runner: runner{pass: &p.Pass, src: src, dst: dst, order: p.Order, count: &counter{}},
		stage:  make([]byte, p.Peak-int64(p.Slots)*p.slotBytes()),
	}
	err = t.run()
	if closed := w.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return Cost{}, err
	}
	return t.total()
}

// A team is a parallel copy at work, as one proc sees it.
type team struct {
	plan    *ParallelPlan
	comm    par.Comm
	window  par.Window
	flight  *flight
	runner  runner
	stage   []byte
	written chan error // the end of the writer at work
}

// run carries out all steps.
func (t *team) run() (err error) {
	t.written <- nil
	t.flight.each(func(m *move) bool {
		failed := t.fill(m)
		if e := <-t.written; failed == nil {
			failed = e
		}
		if err = t.comm.Agree("step of a copy", failed); err == nil {
			err = t.window.Fence()
		}
		if err != nil {
			return false
		}
		t.start(t.flight.done)
		return true
	})
	if err == nil {
		err = t.comm.Agree("end of a copy", <-t.written)
	}
	return err
}

// fill reads this proc's share of the source chunks of a step and puts every element where it
// belongs.
func (t *team) fill(m *move) error {
	p := &t.plan.Pass
	i := 0
	for b := range m.read().cut(func(d, x int) int { return p.problem.axes[d].sourceEnd(x) }) {
		if i++; i%t.comm.Procs() != t.comm.Proc() {
			continue
		}
		t.runner.counted(1)
		if err := t.runner.read(b, t.stage); err != nil {
			return err
		}
		for part := range p.targetsOf(b) {
			if err := t.put(b, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// put puts a part of a box that was read into a target chunk.
func (t *team) put(b, part box) error {
	owner, offset := t.flight.place(part.lo)
	to := t.layout(t.plan.Pass.chunkOf(part), part)
	to.Offset += offset
	return t.window.Put(owner, to, t.stage, t.layout(b, part))
}

// layout returns where a part of a dense box is.
func (t *team) layout(b, part box) par.Layout {
	elem := t.plan.Pass.problem.elem
	v := dense(nil, b.lo, b.shape(), nil, elem)
	shape, last := part.shape(), len(b.lo)-1
	l := par.Layout{Bytes: shape[last] * elem, Count: shape[:last], Stride: v.strides[:last]}
	for d, s := range v.strides {
		l.Offset += (part.lo[d] - b.lo[d]) * s
	}
	return l
}

// chunkOf returns the target chunk of a part of it.
func (p *Pass) chunkOf(part box) box {
	b := box{make([]int, len(part.lo)), make([]int, len(part.lo))}
	for d, a := range p.problem.axes {
		b.lo[d], b.hi[d] = a.targetCut((part.lo[d]+a.to)/a.t), a.targetEnd(part.lo[d])
	}
	return b
}

// start begins to write those of the chunks that are this proc's.
func (t *team) start(chunks []box) {
	local := t.window.Local()
	var mine []box
	var slots [][]byte
	for _, chunk := range chunks {
		if owner, offset := t.flight.place(chunk.lo); owner == t.comm.Proc() {
			mine, slots = append(mine, chunk), append(slots, local[offset:])
		}
	}
	go func() {
		var err error
		for i := 0; i < len(mine) && err == nil; i++ {
			err = t.runner.writeSlab(mine[i], slots[i])
		}
		t.written <- err
	}()
}

// total adds up what all procs counted.
func (t *team) total() (Cost, error) {
	c := t.runner.count.cost()
	sums := []int64{c.Reads, c.Writes, c.BytesRead, c.BytesWritten}
	err := par.AllReduce(t.comm, sums, par.Sum)
	return Cost{sums[0], sums[1], sums[2], sums[3]}, err
}
