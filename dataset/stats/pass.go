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
	// encode appends the reducer to b, for another process of the same kind of machine, which
	// decodes it into a new reducer for the same cells.
	encode(b []byte) []byte
	decode(b []byte)
}

// A job is one pass over some tiles by several goroutines. A goroutine takes the next segment of
// the next tile, reduces it, waits until the previous segments are merged, and merges it. Merging
// in the order of the segments makes the result independent of the number of goroutines. The
// goroutine that merges the last segment of a tile also finishes the tile. The finished results of
// tiles are stored in their order.
type job[T number, R reducer[T, R]] struct {
	*plan
	begin  func(t *tile) R
	finish func(t *tile, total R) (*Result, error) // the values of a tile; nil if there are none
	store  func(t *tile, part *Result)             // nil if finish returns none

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

// run reduces the tiles lo to hi-1, each with reducers from begin, and stores what finish returns
// for each tile in ascending order.
func (j *job[T, R]) run(ctx context.Context, lo, hi int) error {
	j.next, j.end = lo*j.segments, hi*j.segments
	if j.team != nil {
		return j.together(ctx)
	}
	return j.alone(ctx)
}

// alone is run by the goroutines of one process.
func (j *job[T, R]) alone(ctx context.Context) error {
	j.last = make(chan struct{})
	close(j.last)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for range min(j.goroutines(), j.end-j.next) {
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

// reduce reduces a segment of a tile.
func (j *job[T, R]) reduce(ctx context.Context, w *walker[T, R], t *tile, segment int) (R, error) {
	r := j.begin(t)
	lo, hi := j.blocks*segment/j.segments, j.blocks*(segment+1)/j.segments
	return r, w.blocksOf(ctx, t, lo, hi, r)
}

// isEarly reports whether the only segment of a tile is finished before its turn comes, beside
// those of other tiles. It is not if that takes passes of its own, which need all memory.
func (j *job[T, R]) isEarly() bool { return j.segments == 1 && !j.passes }

// turn reduces a segment and merges it. After an error now.done stays open; the cancelled context
// wakes the goroutines that wait for it.
func (j *job[T, R]) turn(ctx context.Context, w *walker[T, R], now turn) error {
	t := j.tile(now.tile)
	r, err := j.reduce(ctx, w, t, now.segment)
	if err != nil {
		return err
	}
	var part *Result
	if j.isEarly() {
		if part, err = j.finish(t, r); err != nil {
			return j.named(err)
		}
	}
	select {
	case <-now.before:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if j.isEarly() {
		j.store(t, part)
	} else if err := j.merge(t, now.segment, r); err != nil {
		return err
	}
	close(now.done)
	return nil
}

// merge merges a segment of a tile, whose turn it is, and finishes the tile after the last one.
func (j *job[T, R]) merge(t *tile, segment int, r R) error {
	if segment == 0 {
		j.total = r
	} else {
		j.total.merge(r)
	}
	if segment < j.segments-1 {
		return nil
	}
	part, err := j.finish(t, j.total)
	if err != nil {
		return j.named(err)
	}
	if j.store != nil {
		j.store(t, part)
	}
	return nil
}

// named adds the name of the array to an error.
func (j *job[T, R]) named(err error) error { return fmt.Errorf("%s: %w", j.a.Name(), err) }
