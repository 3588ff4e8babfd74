package relayout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drx"
	"drx/nd"
)

// DefaultMemory is the bound on memory when Options say nothing.
const DefaultMemory = 256 << 20

// DefaultEvery is the least number of bytes between two commits within a template when Options
// say nothing.
const DefaultEvery = 256 << 20

// ArrayCache is the cache to open arrays with that are copied, in bytes: with less, thin
// chunks are not put together for one write, and more gains nothing.
const ArrayCache = 16 << 20

// ErrMismatch is returned by a copy that is to be resumed and is not the one that was
// interrupted.
var ErrMismatch = errors.New("another copy was interrupted")

// Options say how to copy. The zero value copies all of the source, its dimensions as they
// are.
type Options struct {
	// Order says that dimension d of the target is dimension Order[d] of the source.
	Order nd.Order
	// Section is what to copy of the source; nil is everything.
	Section nd.Section
	// Memory bounds the bytes of all buffers; 0 is DefaultMemory. What the two arrays keep
	// in memory is not counted: open them with ArrayCache.
	Memory int64
	// Clip gives elements that do not fit the type of the target its nearest value, and
	// those that are no number, where it has none, the fill value; else they are an error.
	Clip bool
	// Dir is the folder for temporary arrays; empty is that of the target.
	Dir string
	// Resume goes on with the copy that was interrupted in the target, if one was.
	Resume bool
	// Every is the least number of bytes read and written between two commits within a
	// template; the end of a template is a commit too. So a copy that is killed repeats no more
	// than that, or the template it was in, and the steps at work. 0 is DefaultEvery; 1 commits
	// after every step.
	Every int64
	// Checkpoint is the least time between two commits, for who wants fewer.
	Checkpoint time.Duration
	// Progress, if not nil, is called at the beginning of each pass and after each step,
	// with the bytes moved and to move in all passes, what was moved before an interruption
	// included. It may be called by any goroutine, by one at a time.
	Progress func(done, total int64)
}

// Stats says what a copy did.
type Stats struct {
	Plan    *Plan
	Cost    Cost  // counted
	Skipped Cost  // of this, what had been done before it was resumed
	Peak    int64 // bytes of buffers, at most at one time
	Elapsed time.Duration
}

// Copy copies src, or a section of it, to dst, whose extents must be those of the source in
// the order asked for. It plans with NewPlan and never holds more than Options.Memory in
// its buffers. Elements become those of the target's type: numbers the nearest one, halves
// the even integer; complex ones become no others.
//
// Until it is complete the target carries the attribute drx.IncompleteAttr, committed before any
// data, and relayout.done, replaced with every commit: they are the journal from which
// Options.Resume goes on after an interruption of any kind, in this process or another, which
// opens the target with drx.Options.Incomplete. What steps that are done have read of target
// chunks that they did not complete is read again. The source must not have changed in between.
// When Copy returns nil everything is committed. Intermediate data lies in temporary arrays,
// which are removed in the end and after an error; if ctx was done they stay for Resume.
//
// The error is ctx's, or wraps drx.ErrIncomplete when the target has a mark and Resume is not
// set, or the source has one; ErrMismatch, ErrMemory, drx.ErrDType, nd.ErrRank, nd.ErrBounds,
// or is what the arrays returned.
func Copy(ctx context.Context, dst, src *drx.Array, o Options) (Stats, error) {
	start := time.Now()
	j, err := newJob(dst, src, o)
	if err == nil {
		err = j.run(ctx)
	}
	j.stats.Elapsed = time.Since(start)
	if err != nil {
		return j.stats, fmt.Errorf("copy of %s to %s: %w", src.Name(), dst.Name(), err)
	}
	return j.stats, nil
}

// Section returns the grid of a section of an array, whose steps must be one; nil is the
// whole array. The error wraps nd.ErrRank or nd.ErrBounds.
func Section(a Described, sec nd.Section) (Grid, error) {
	g := GridOf(a)
	sec, err := sec.Resolve(g.Lo, g.Hi)
	if err != nil {
		return Grid{}, err
	}
	for d, r := range sec {
		if r.Step > 1 {
			return Grid{}, fmt.Errorf("dimension %d: step %d of section %v: %w: only 1 can be copied", d, r.Step, sec, nd.ErrBounds)
		}
	}
	g.Lo, g.Hi = limits(sec)
	return g, nil
}
