package relayout

import (
	"context"

	"drx/par"
)

// fill reads this proc's share of the source chunks of a step and puts every element where it
// belongs.
func (t *team) fill(ctx context.Context, m *move) error {
	i := 0
	for b := range t.plan.Pass.sourcesOf(m.read()) {
		if i++; i%t.comm.Procs() != t.comm.Proc() {
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := t.bring(b); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// bring reads a source chunk and puts it where target chunks grow, unless they are complete: then it
// is not read.
func (t *team) bring(b box) error {
	there := false
	for part := range t.left.parts(b) {
		if !there {
			t.runner.counted(1)
			if err := t.runner.read(b, t.stage); err != nil {
				return err
			}
			there = true
		}
		if err := t.put(b, part); err != nil {
			return err
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

// A grown chunk is complete and waits for its owner to write it.
type grown struct {
	chunk box
	buf   []byte
}

// mine returns those of some chunks that are this proc's.
func (t *team) mine(chunks []box) []grown {
	var all []grown
	for _, chunk := range chunks {
		if owner, offset := t.flight.place(chunk.lo); owner == t.comm.Proc() {
			all = append(all, grown{chunk, t.window.Local()[offset:]})
		}
	}
	return all
}

// write writes chunks. If there is to be a commit then, all procs make it together.
func (t *team) write(chunks []grown, commit bool) error {
	var err error
	for i := 0; i < len(chunks) && err == nil; i++ {
		err = t.runner.writeSlab(chunks[i].chunk, chunks[i].buf)
	}
	if !commit {
		return err
	}
	if err := t.writers.Agree("chunks of a step", err); err != nil {
		return err
	}
	return t.mark.commit(t.dst)
}
