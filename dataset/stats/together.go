package stats

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"

	"drx"
	"drx/parallel/par"
)

// ComputeParallel is Compute by all procs of a group, collective: the procs divide the passes over
// the array. Each has opened it for itself and gives the same request, except for Progress, which
// only proc 0 calls, and for Goroutines, of which the largest number counts, for each proc. Memory
// limits the buffers of each proc. Proc 0 returns the result, which has the same bits as that of
// Compute, the others nil.
//
// The error is the same on all procs: that of Compute, or one that wraps par.ErrDisagree if the
// procs have found different states of the array, because it was written meanwhile.
func ComputeParallel(ctx context.Context, c par.Comm, a *drx.Array, req Request) (*Result, error) {
	goroutines := []int64{int64((&plan{req: &req}).goroutines())}
	if err := par.AllReduce(c, goroutines, par.Max); err != nil {
		return nil, err
	}
	req.Goroutines = int(goroutines[0])
	if c.Proc() != 0 {
		req.Progress = nil
	}
	p, err := prepare(a, &req, c)
	if err := c.Agree("plan of statistics of "+a.Name(), err); err != nil {
		return nil, err
	}
	if err := c.Agree(p.digest(), nil); err != nil {
		return nil, err
	}
	if c.Proc() == 0 {
		return p.result(ctx)
	}
	return nil, p.run(ctx, nil)
}

// digest returns a text that differs between procs that would not do parts of the same work.
func (p *plan) digest() string {
	h := fnv.New64a()
	fmt.Fprint(h, p.a.Attrs(), p.written)
	return fmt.Sprintf("statistics %v of %s, %v over %v: tiles %v of %v, %d segments of %d blocks, %d chunks written, digest %x",
		p.req.Funcs, p.a.Name(), p.a.Bounds(), p.reduced, p.tiles, p.perTile, p.segments, p.blocks, len(p.written), h.Sum64())
}

// together is run by all procs, in rounds. In a round the goroutines of each proc reduce a segment
// each. Proc 0 gets what they have reduced and merges it in the order of the segments, which is
// that of run by one proc. The tiles of quantiles that take passes are finished by all procs,
// because all need their counts for the next pass.
func (j *job[T, R]) together(ctx context.Context) error {
	each := j.goroutines()
	var walkers []*walker[T, R]
	var err error
	for len(walkers) < each && err == nil {
		var w *walker[T, R]
		w, err = newWalker[T, R](j.plan)
		walkers = append(walkers, w)
	}
	for lo := j.next; lo < j.end; lo += each * j.team.Procs() {
		var mine []byte
		if err == nil {
			first := min(lo+each*j.team.Proc(), j.end)
			mine, err = j.share(ctx, walkers, first, min(first+each, j.end))
		}
		if err = j.team.Agree("reduction of segments", err); err != nil {
			return err
		}
		parts, err := j.collect(mine)
		if err != nil {
			return err
		}
		if err := j.team.Agree("merge of segments", j.combine(lo, parts)); err != nil {
			return err
		}
	}
	return err
}

// share reduces the segments lo to hi-1, counted over all tiles, and returns them in frames, or the
// values of tiles that are finished early. The first frame has the number of elements that were
// read.
func (j *job[T, R]) share(ctx context.Context, walkers []*walker[T, R], lo, hi int) ([]byte, error) {
	before := j.seen
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	frames := make([][]byte, hi-lo)
	var group sync.WaitGroup
	for i := range frames {
		group.Go(func() {
			var err error
			if frames[i], err = j.frame(ctx, walkers[i], lo+i); err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	b := appendFrame(nil, binary.LittleEndian.AppendUint64(nil, uint64(j.seen-before)))
	for _, f := range frames {
		b = appendFrame(b, f)
	}
	return b, context.Cause(ctx)
}

// frame reduces a segment, counted over all tiles.
func (j *job[T, R]) frame(ctx context.Context, w *walker[T, R], i int) ([]byte, error) {
	t := j.tile(i / j.segments)
	r, err := j.reduce(ctx, w, t, i%j.segments)
	if err != nil {
		return nil, err
	}
	if !j.isEarly() {
		return r.encode(nil), nil
	}
	part, err := j.finish(t, r)
	if err != nil {
		return nil, j.named(err)
	}
	return part.encode(), nil
}

// collect returns the frames of all procs on those that need them.
func (j *job[T, R]) collect(mine []byte) ([][]byte, error) {
	if j.passes {
		return j.team.AllGather(mine)
	}
	return j.team.Gather(mine, 0)
}

// combine merges or stores the segments from lo, of all procs in turn.
func (j *job[T, R]) combine(lo int, parts [][]byte) error {
	for proc, b := range parts {
		seen, b := nextFrame(b)
		if proc != j.team.Proc() {
			j.report(int(binary.LittleEndian.Uint64(seen)))
		}
		for len(b) > 0 {
			var f []byte
			f, b = nextFrame(b)
			t := j.tile(lo / j.segments)
			if j.isEarly() {
				j.store(t, j.decodePart(t, f))
			} else {
				r := j.begin(t)
				r.decode(f)
				if err := j.merge(t, lo%j.segments, r); err != nil {
					return err
				}
			}
			lo++
		}
	}
	return nil
}

// encode returns the values of a tile.
func (r *Result) encode() []byte {
	b := slices.Clone(memoryOf(r.Count))
	for _, c := range r.Columns {
		b = append(b, c.Data...)
	}
	return b
}

// decodePart returns the values of tile t that another proc has encoded.
func (p *plan) decodePart(t *tile, b []byte) *Result {
	part := &Result{}
	p.setColumns(part, t.cells)
	b = b[copy(memoryOf(part.Count), b):]
	for _, c := range part.Columns {
		b = b[copy(c.Data, b):]
	}
	return part
}
