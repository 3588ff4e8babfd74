package relayout

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"drx/nd"
)

// A runner carries out one pass: one goroutine reads and builds target chunks, another
// writes them, each with the help of as many as there are processors.
type runner struct {
	pass    *Pass
	src     Source
	dst     Target
	order   nd.Order   // dimension d of the target is dimension order[d] of src
	from    done       // what is done already
	left    *leftover  // of that
	convert *converter // what the elements read become, nil if nothing
	count   *counter
	finish  func(after done) error // is called when so much is written

	workOrder      nd.Order
	layers, stages [][]byte
	free, full     chan *filled
	cancel         context.CancelCauseFunc
}

// A filled is a buffer of complete target chunks on its way to the writer.
type filled struct {
	buf   []byte
	move  *move
	after done // when it is written
}

// A counter counts what a pass does.
type counter struct {
	reads, writes, read, written atomic.Int64
	peak                         int64
	progress                     func()
}

// cost returns what was counted.
func (c *counter) cost() Cost {
	return Cost{c.reads.Load(), c.writes.Load(), c.read.Load(), c.written.Load()}
}

// run carries out the pass. It returns ctx's error or the first of the arrays or of finish.
func (r *runner) run(ctx context.Context) error {
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	r.workOrder = r.pass.workOrder(r.order)
	r.allocate()
	var writer sync.WaitGroup
	writer.Go(func() { r.drain(ctx) })
	r.sweep(ctx)
	close(r.full)
	writer.Wait()
	return context.Cause(ctx)
}

// allocate makes all buffers (invariant 4).
func (r *runner) allocate() {
	p := r.pass
	buffer := func(elements int64, elem int) []byte {
		b := make([]byte, elements*int64(elem))
		r.count.peak += int64(len(b))
		return b
	}
	r.free, r.full = make(chan *filled, p.Works), make(chan *filled, p.Works)
	for range p.Works {
		r.free <- &filled{buf: buffer(p.layout.work, p.problem.elem)}
	}
	for _, n := range p.layout.layers {
		r.layers = append(r.layers, buffer(n, p.problem.elem))
	}
	for range p.Stages {
		r.stages = append(r.stages, buffer(p.layout.stage, max(p.problem.from, p.problem.elem)))
	}
}

// sweep reads all templates that are not done.
func (r *runner) sweep(ctx context.Context) {
	count := r.pass.templates()
	index, zero := make([]int, len(count)), make([]int, len(count))
	for i, more := 0, true; more; i, more = i+1, nd.Next(index, zero, count) {
		if i < r.from.Templates {
			continue
		}
		if err := r.template(ctx, i, r.pass.sweep(index)); err != nil {
			r.cancel(err)
			return
		}
	}
}

// template reads one template, step by step.
func (r *runner) template(ctx context.Context, i int, s *sweep) error {
	more := true
	for steps := 1; more; steps++ {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case f := <-r.free:
			f.move, f.after = s.move(f.buf, r.layers, r.workOrder), done{Templates: i, Steps: steps}
			if more = s.next(); !more {
				f.after = done{Templates: i + 1}
			}
			again := i == r.from.Templates && steps <= r.from.Steps
			if err := r.fill(ctx, f.move, again); err != nil {
				return err
			}
			if again {
				r.free <- f
			} else {
				r.full <- f
			}
		}
	}
	return nil
}

// fill reads what a step reads and builds what it writes. One that is done already is filled again
// for what waits after it: of what is complete nothing is read, and nothing is written.
func (r *runner) fill(ctx context.Context, m *move, again bool) error {
	b := m.read()
	if !again && r.pass.problem.from <= r.pass.problem.elem && m.direct() {
		d := r.workOrder.Dims(len(b.lo))[0]
		slabs := b.slabs(d, r.pass.problem.axes[d].sourceEnd)
		return parallel(ctx, runtime.GOMAXPROCS(0), len(slabs), func(_, i int) error {
			r.counted(r.pass.chunksIn(slabs[i]))
			return r.read(slabs[i], m.work.from(slabs[i].lo))
		})
	}
	m.gather()
	parts := r.pass.parts(b, func(chunk box) bool { return !again || r.left.has(chunk) })
	return parallel(ctx, len(r.stages), len(parts), func(worker, i int) error {
		if parts[i].first {
			r.counted(1)
		}
		stage := r.stages[worker]
		if err := r.read(parts[i].box, stage); err != nil {
			return err
		}
		m.place(dense(stage, parts[i].lo, parts[i].shape(), r.workOrder, r.pass.problem.elem), parts[i].box)
		return nil
	})
}

// counted counts source chunks that are read.
func (r *runner) counted(chunks int64) {
	r.count.reads.Add(chunks)
	r.count.read.Add(chunks * r.pass.problem.src)
}

// read reads a box to the beginning of buf, converting its elements there. Smaller ones are
// read to the end of their place first.
func (r *runner) read(b box, buf []byte) error {
	k := len(b.lo)
	sec, order := make(nd.Section, k), make(nd.Order, k)
	dims := r.order.Dims(k)
	for d, e := range dims {
		sec[e] = nd.Span(r.pass.Source.Lo[d]+b.lo[d], r.pass.Source.Lo[d]+b.hi[d])
	}
	for i, d := range r.workOrder.Dims(k) {
		order[i] = dims[d]
	}
	p := r.pass.problem
	raw := buf[b.size(max(p.elem, p.from)-p.from):b.size(max(p.elem, p.from))]
	if err := r.src.ReadBytes(sec, raw, order); err != nil || r.convert == nil {
		return err
	}
	return r.convert.apply(buf[:b.size(p.elem)], raw)
}

// drain writes what is filled, until there is no more.
func (r *runner) drain(ctx context.Context) {
	for f := range r.full {
		if err := r.write(ctx, f); err != nil {
			r.cancel(err)
		}
		r.free <- f
	}
}

func (r *runner) write(ctx context.Context, f *filled) error {
	b := f.move.written()
	d := r.workOrder.Dims(len(b.lo))[0]
	slabs := b.slabs(d, r.pass.problem.axes[d].targetEnd)
	err := parallel(ctx, runtime.GOMAXPROCS(0), len(slabs), func(_, i int) error {
		return r.writeSlab(slabs[i], f.move.work.from(slabs[i].lo))
	})
	if err == nil && r.count.progress != nil {
		r.count.progress()
	}
	if err == nil {
		err = r.finish(f.after)
	}
	return err
}

// writeSlab writes a box of whole target chunks from the beginning of buf.
func (r *runner) writeSlab(b box, buf []byte) error {
	sec := make(nd.Section, len(b.lo))
	for d := range sec {
		sec[d] = nd.Span(r.pass.Target.Lo[d]+b.lo[d], r.pass.Target.Lo[d]+b.hi[d])
	}
	n := r.pass.targetsIn(b)
	r.count.writes.Add(n)
	r.count.written.Add(n * r.pass.problem.dst)
	return r.dst.WriteBytes(sec, buf[:b.size(r.pass.problem.elem)], r.workOrder)
}

// parallel calls f for 0 .. n-1, shared among so many workers, until one fails or ctx is
// done.
func parallel(ctx context.Context, workers, n int, f func(worker, i int) error) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	for w := range min(workers, n) {
		all.Go(func() {
			for failed.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				err := context.Cause(ctx)
				if err == nil {
					err = f(w, i)
				}
				if err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}
