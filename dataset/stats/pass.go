package stats

import (
	"context"
	"fmt"
	"sync"
)

// A reducer accumulates the elements of the cells of a tile.
type reducer[T number, R any] interface {
	// add adds a run: element i to cell at+i*stride, where stride is 0 or 1.
	add(r *run[T], at, stride int)
	// merge adds the elements of another reducer for the same cells.
	merge(other R)
}

// A job is one pass over some tiles by several goroutines. A goroutine takes the next segment of
// the next tile, reduces it, waits until the previous segments are merged, and merges it. Merging
// in the order of the segments makes the result independent of the number of goroutines. The
// goroutine that merges the last segment of a tile also finishes the tile. The finished results of
// tiles are delivered in their order.
type job[T number, R reducer[T, R]] struct {
	*plan
	begin  func(t *tile) R
	finish func(t *tile, total R) (deliver func(), err error)

	mu    sync.Mutex
	next  int           // the next segment, counted over all tiles
	end   int           // the segment after the last one
	last  chan struct{} // closed when the most recently taken segment is merged
	total R             // of the present tile; only the merging goroutine uses it
}

// A turn is a segment of a tile that a goroutine has taken. before is closed when the previous
// segment is merged; done must be closed when this one is.
type turn struct {
	tile, segment int
	before, done  chan struct{}
}

// pass reduces the tiles lo to hi-1, each with reducers from begin, and calls finish for each tile
// in ascending order.
func pass[T number, R reducer[T, R]](
	ctx context.Context, p *plan, lo, hi int, begin func(t *tile) R, finish func(t *tile, total R) (deliver func(), err error),
) error {
	j := &job[T, R]{plan: p, begin: begin, finish: finish, next: lo * p.segments, end: hi * p.segments, last: make(chan struct{})}
	close(j.last)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for range min(p.goroutines(), j.end-j.next) {
		group.Go(func() {
			if err := j.work(ctx); err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// nextTurn returns the next turn, or false at the end.
func (j *job[T, R]) nextTurn() (turn, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.next == j.end {
		return turn{}, false
	}
	t := turn{j.next / j.segments, j.next % j.segments, j.last, make(chan struct{})}
	j.next++
	j.last = t.done
	return t, true
}

// work takes turns until none is left.
func (j *job[T, R]) work(ctx context.Context) error {
	w, err := newWalker[T, R](j.plan)
	if err != nil {
		return err
	}
	for {
		now, ok := j.nextTurn()
		if !ok {
			return nil
		}
		if err := j.turn(ctx, w, now); err != nil {
			return err
		}
	}
}

// turn reduces a segment and merges it. The only segment of a tile is finished before its turn
// comes, beside those of other tiles, unless that takes passes of its own, which need all memory.
// After an error now.done stays open; the cancelled context wakes the goroutines that wait for it.
func (j *job[T, R]) turn(ctx context.Context, w *walker[T, R], now turn) error {
	t := j.tile(now.tile)
	r := j.begin(t)
	lo, hi := j.blocks*now.segment/j.segments, j.blocks*(now.segment+1)/j.segments
	if err := w.blocksOf(ctx, t, lo, hi, r); err != nil {
		return err
	}
	var deliver func()
	var err error
	if early := j.segments == 1 && !j.passes; early {
		if deliver, err = j.finish(t, r); err != nil {
			return j.named(err)
		}
	}
	select {
	case <-now.before:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if now.segment == 0 {
		j.total = r
	} else {
		j.total.merge(r)
	}
	if now.segment == j.segments-1 && deliver == nil {
		if deliver, err = j.finish(t, j.total); err != nil {
			return j.named(err)
		}
	}
	if deliver != nil {
		deliver()
	}
	close(now.done)
	return nil
}

// named adds the name of the array to an error.
func (j *job[T, R]) named(err error) error { return fmt.Errorf("%s: %w", j.a.Name(), err) }
