package exec

import (
	"context"
	"runtime"
	"sync"

	"drx/relayout/internal/planner"
)

// A Runner carries out one pass. One goroutine reads, and builds target chunks in work buffers;
// another one writes them. Each is helped by one goroutine per processor.
type Runner struct {
	Arrays
	Progress *planner.Progress                  // the part that is already done
	Finish   func(after planner.Position) error // called after each step, when it is written
	Peak     int64                              // bytes of all buffers, once Run has made them

	layers, stagings [][]byte
	free, full       chan *workBuffer
	cancel           context.CancelCauseFunc
}

// A workBuffer holds the target chunks of one step on their way to the writer.
type workBuffer struct {
	buf   []byte
	step  *stepBuffers
	after planner.Position // when the step is written
}

// Run carries out the pass. It returns the first error of the arrays or of Finish, or the cause
// of the end of ctx.
func (r *Runner) Run(ctx context.Context) error {
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	r.workOrder = r.chooseWorkOrder()
	r.allocate()
	var writer sync.WaitGroup
	writer.Go(func() { r.writeAll(ctx) })
	if err := r.readAll(ctx); err != nil {
		r.cancel(err)
	}
	close(r.full)
	writer.Wait()
	return context.Cause(ctx)
}

// allocate makes all buffers (invariant 4 of the planner).
func (r *Runner) allocate() {
	p := r.Pass
	buffer := func(elements int64, elemSize int) []byte {
		b := make([]byte, elements*int64(elemSize))
		r.Peak += int64(len(b))
		return b
	}
	r.free, r.full = make(chan *workBuffer, p.WorkBuffers), make(chan *workBuffer, p.WorkBuffers)
	for range p.WorkBuffers {
		r.free <- &workBuffer{buf: buffer(p.WorkElements(), p.Target.ElemSize)}
	}
	for _, n := range p.LayerElements() {
		r.layers = append(r.layers, buffer(n, p.Target.ElemSize))
	}
	for range p.StagingBuffers {
		r.stagings = append(r.stagings, buffer(p.StagingElements(), max(p.Source.ElemSize, p.Target.ElemSize)))
	}
}

// readAll reads the steps of all templates that are not done. The finished steps of an
// interrupted template restore the layers and write nothing.
func (r *Runner) readAll(ctx context.Context) error {
	for step, after := range r.Pass.Steps(r.Progress.Templates) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case w := <-r.free:
			w.step, w.after = newStepBuffers(r.Pass, step, w.buf, r.workOrder, r.layers), after
			finished := r.Progress.Includes(after)
			if err := r.readStep(ctx, w.step, finished); err != nil {
				return err
			}
			if finished {
				r.free <- w
			} else {
				r.full <- w
			}
		}
	}
	return nil
}

// readStep reads the input of a step and builds its output. Of a finished step it reads only the
// elements that are unused after it, and omits those of complete target chunks.
func (r *Runner) readStep(ctx context.Context, s *stepBuffers, finished bool) error {
	if !finished && r.Pass.Source.ElemSize <= r.Pass.Target.ElemSize && s.IsDirect() {
		return r.readDirect(ctx, s)
	}
	s.moveUnused()
	pieces := r.Pass.StagedPieces(s.Read, func(chunk planner.Box) bool { return !finished || r.Progress.Needs(chunk) })
	return forEach(ctx, len(r.stagings), len(pieces), func(worker, i int) error {
		if pieces[i].First {
			r.reads.Add(1)
		}
		b, staging := pieces[i].Box, r.stagings[worker]
		if err := r.read(b, staging); err != nil {
			return err
		}
		s.distribute(dense(staging, b.Lo, b.Shape(), r.workOrder, r.Pass.Target.ElemSize), b)
		return nil
	})
}

// readDirect reads a step that writes exactly what it reads, directly into the work buffer.
func (r *Runner) readDirect(ctx context.Context, s *stepBuffers) error {
	slabs := r.Pass.SourceSlabs(s.Read, r.slowestDim())
	return forEach(ctx, runtime.GOMAXPROCS(0), len(slabs), func(_, i int) error {
		r.reads.Add(r.Pass.SourceChunksIn(slabs[i]))
		return r.read(slabs[i], s.work.from(slabs[i].Lo))
	})
}

// slowestDim returns the dimension that varies slowest in a work buffer.
func (r *Runner) slowestDim() int { return r.workOrder.Dims(len(r.Pass.Template))[0] }

// writeAll writes the work buffers that are full, until there are no more. After an error it
// only frees them.
func (r *Runner) writeAll(ctx context.Context) {
	for w := range r.full {
		if err := r.writeStep(ctx, w); err != nil {
			r.cancel(err)
		}
		r.free <- w
	}
}

func (r *Runner) writeStep(ctx context.Context, w *workBuffer) error {
	slabs := r.Pass.TargetSlabs(w.step.Written, r.slowestDim())
	err := forEach(ctx, runtime.GOMAXPROCS(0), len(slabs), func(_, i int) error {
		return r.write(slabs[i], w.step.work.from(slabs[i].Lo))
	})
	if err != nil {
		return err
	}
	return r.Finish(w.after)
}
