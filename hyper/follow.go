package hyper

import (
	"context"
	"errors"
	"time"
)

// triesWhileChanging is how often Follow tries an update during which the cube changes, so that what was to be read is gone.
const triesWhileChanging = 3

// Follow updates the session, and again whenever the cube, which is open for reading, has changed: every so often it looks. It calls f
// with the report of the first update and of each one that has found a change. It returns the error of f, of Update, or ctx.Err() when ctx is
// done; the state is then that of the last update. It is not for several procs: these call Update together.
func (s *Session) Follow(ctx context.Context, every time.Duration, f func(*Report) error) error {
	switch {
	case s.o.Comm != nil:
		return errors.New("a session of several procs cannot be followed: let all procs call Update at the same time")
	case s.a.Writable():
		return errors.New("only a cube open for reading can be followed: call Update after each Sync")
	}
	ticks := time.NewTicker(max(every, time.Millisecond))
	defer ticks.Stop()
	last := -1
	for {
		r, err := s.updateBeside(ctx)
		if err != nil {
			return err
		}
		if r.Update != last {
			last = r.Update
			if err := f(r); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks.C:
		}
	}
}

// updateBeside is Update beside a writer that may cut the cube while it is read.
func (s *Session) updateBeside(ctx context.Context) (r *Report, err error) {
	for range triesWhileChanging {
		if r, err = s.Update(ctx); err == nil || ctx.Err() != nil {
			return r, errors.Join(err, ctx.Err())
		}
		if changed, err2 := s.a.Refresh(); err2 != nil || !changed {
			break
		}
	}
	return r, err
}
