package relayout

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"drx/relayout/internal/planner"
)

// A copy that is cancelled after any step must resume with the first step that is not committed.
func TestCopyGoesOnWithinATemplate(t *testing.T) {
	within, spared := 0, 0
	for stop := 2; ; stop++ {
		s := newShared(t, 4, 7)
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		o := Options{Memory: 400, CommitBytes: 1, Progress: func(int64, int64) {
			if calls++; calls == stop {
				cancel()
			}
		}}
		first, err := s.serial(t, ctx, o)
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		at := s.checkpoint(t).Position
		if at.Steps > 0 {
			within++
		}
		stats, err := s.serial(t, t.Context(), Options{Memory: 900})
		if err != nil {
			t.Fatal(err)
		}
		if stats.Skipped.Reads > internals(t, first.Plan).Passes[0].CostOfTemplates(at.Templates).Reads {
			spared++ // all target chunks of these source chunks were complete
		}
		all := stats.Plan.Cost()
		if twice := first.Cost.Writes + stats.Cost.Writes - all.Writes; sumOf(stats.Cost, stats.Skipped) != all || twice > 0 && first.Cost.Writes < all.Writes {
			t.Errorf("stop %d: %v, then %v and skipped %v, planned %v", stop, first.Cost, stats.Cost, stats.Skipped, all)
		}
		s.check(t)
	}
	if within < 5 || spared == 0 {
		t.Errorf("only %d were cancelled within a template, %d did not read all of it again", within, spared)
	}
}

// A commit is due after CommitBytes bytes and at the end of a template, but not before
// CommitInterval has passed.
func TestCommitsAreDue(t *testing.T) {
	src, dst, order := arrays(t, rand.New(rand.NewPCG(3, 32)))
	j, err := newCopyJob(dst, src, Options{Order: order})
	if err != nil || j.schedule.bytes != DefaultCommitBytes || j.options.CommitBytes != DefaultCommitBytes || j.options.Memory != DefaultMemory {
		t.Fatalf("%+v, %v", j.options, err)
	}
	moved := int64(0)
	within, end := planner.Position{Steps: 1}, planner.Position{Templates: 1}
	for i, c := range []struct {
		bytes int64
		after planner.Position
		want  bool
	}{
		{DefaultCommitBytes - 1, within, false},
		{1, within, true},
		{DefaultCommitBytes - 1, within, false},
		{0, end, true},
		{1, within, false},
		{DefaultCommitBytes - 1, within, true},
	} {
		moved += c.bytes
		if got := j.schedule.due(c.after, moved); got != c.want {
			t.Errorf("case %d: due %v", i, got)
		}
	}
	j.schedule.interval = time.Hour
	j.schedule.committed()
	if j.schedule.due(end, moved) {
		t.Error("due before its time")
	}
}
