package hyper

import (
	"context"
	"errors"
	"time"
)

// triesWhileChanging is the number of times that Follow repeats an update that failed because the
// cube changed meanwhile.
const triesWhileChanging = 3

// Follow updates the session, then checks the cube at the given interval and updates again after
// each change. The cube must be open for reading. It calls f with the report of the first update
// and of each update that found a change. It returns the error of f, of Update, or ctx.Err() when
// ctx is done; the state is then that of the last update. Procs of a parallel program cannot use
// Follow: they call Update together.
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

// updateBeside is Update for a cube that a writer may shrink during the reading.
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
