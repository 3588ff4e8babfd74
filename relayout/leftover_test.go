package relayout

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"drx/nd"
)

var errStop = errors.New("stopped")

// passRun is a pass between fakes.
type passRun struct {
	pass     *Pass
	order    []int
	from, to *fake
}

// run carries out what is left of the pass until so many steps more are written, 0 for all.
func (p passRun) run(t *testing.T, begun done, stop int) (after done, cost Cost, err error) {
	t.Helper()
	var count counter
	r := &runner{
		pass: p.pass, src: p.from, dst: p.to, order: p.order, count: &count, from: begun, left: p.pass.leftover(begun),
		convert: unsigned(t, p.from.Elem, p.to.Elem),
	}
	r.finish = func(d done) error {
		after = d
		if stop--; stop == 0 {
			return errStop
		}
		return nil
	}
	err = r.run(t.Context())
	return after, count.cost(), err
}

// Stopped after any step and begun again with nothing in the buffers, a pass is right in the end,
// writes no chunk twice, and reads what was predicted.
func TestPassGoesOn(t *testing.T) {
	within := 0
	for seed := range trials(200) {
		r := rand.New(rand.NewPCG(seed, 31))
		src, dst, order := randomGrids(r, 3000)
		src.Elem, dst.Elem = []int{1, 2, 4, 8}[r.IntN(4)], []int{1, 2, 4, 8}[r.IntN(4)]
		memory := int64(src.Elem*volume(src.Chunk)+dst.Elem*volume(dst.Chunk)) * int64(1+r.IntN(4))
		plan, err := NewPlan(src, dst, order, memory)
		if err != nil {
			t.Fatal(err)
		}
		pass := &plan.Passes[0]
		p := passRun{pass, order, randomFake(r, src), newFake(pass.Target)}
		p.to.from = p.from
		var at done
		for {
			p.from.loads, p.from.last = map[string]int{}, ""
			left := pass.leftover(at)
			next, cost, err := p.run(t, at, 1+r.IntN(6))
			if err == nil {
				if got := cost.plus(left.skipped); got != pass.Cost || sum(p.from.loads) != cost.Reads {
					t.Errorf("seed %d: after %+v: %v and skipped %v, predicted %v; files saw %d reads",
						seed, at, cost, left.skipped, pass.Cost, sum(p.from.loads))
				}
				break
			}
			if !errors.Is(err, errStop) || next == at {
				t.Fatalf("seed %d: %v after %+v", seed, err, next)
			}
			if at = next; at.Steps > 0 {
				within++
			}
		}
		for chunk, n := range p.to.stores {
			if n != 1 {
				t.Errorf("seed %d: chunk %s written %d times", seed, chunk, n)
			}
		}
		if want := clipped(transposed(p.from, order, pass.Target), src.Elem, pass.Target.Elem); !slices.Equal(want, p.to.data) {
			t.Fatalf("seed %d: not the transposed source", seed)
		}
	}
	t.Logf("stopped %d times within a template", within)
	if within < 20 {
		t.Error("too few were stopped within a template")
	}
}

// Cancelled after any step, Copy goes on with the step that it had not committed.
func TestCopyGoesOnWithinATemplate(t *testing.T) {
	within, spared := 0, 0
	for stop := 2; ; stop++ {
		s := newShared(t, 4, 7)
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		o := Options{Memory: 400, Every: 1, Progress: func(int64, int64) {
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
		at := s.mark(t).done
		if at.Steps > 0 {
			within++
		}
		stats, err := s.serial(t, t.Context(), Options{Memory: 900})
		if err != nil {
			t.Fatal(err)
		}
		if stats.Skipped.Reads > stats.Plan.Passes[0].costOf(at.Templates).Reads {
			spared++ // source chunks all of whose target chunks were complete
		}
		all := stats.Plan.Cost()
		if twice := first.Cost.Writes + stats.Cost.Writes - all.Writes; stats.Cost.plus(stats.Skipped) != all || twice > 0 && first.Cost.Writes < all.Writes {
			t.Errorf("stop %d: %v, then %v and skipped %v, planned %v", stop, first.Cost, stats.Cost, stats.Skipped, all)
		}
		s.check(t)
	}
	if within < 5 || spared == 0 {
		t.Errorf("only %d were cancelled within a template, %d did not read all of it again", within, spared)
	}
}

// Commits come after so many bytes or at the end of a template, but no sooner than Checkpoint says.
func TestCommitsAreDue(t *testing.T) {
	src, dst, order := arrays(t, rand.New(rand.NewPCG(3, 32)))
	j, err := newJob(dst, src, Options{Order: order})
	if err != nil || j.options.Every != DefaultEvery || j.options.Memory != DefaultMemory {
		t.Fatalf("%+v, %v", j.options, err)
	}
	j.count = &counter{}
	within, end := done{Steps: 1}, done{Templates: 1}
	for i, c := range []struct {
		bytes int64
		after done
		want  bool
	}{
		{DefaultEvery - 1, within, false},
		{1, within, true},
		{DefaultEvery - 1, within, false},
		{0, end, true},
		{1, within, false},
		{DefaultEvery - 1, within, true},
	} {
		j.count.written.Add(c.bytes)
		if got := j.due(c.after); got != c.want {
			t.Errorf("case %d: due %v", i, got)
		}
	}
	j.options.Checkpoint, j.last = time.Hour, time.Now()
	if j.due(end) {
		t.Error("due before its time")
	}
}

// Whatever is said to be done, it is refused or something that the pass can go on from.
func FuzzDone(f *testing.F) {
	p, err := PlanParallel(Grid{[]int{0, -3}, []int{20, 9}, []int{3, 5}, 4}, Grid{[]int{5, 0}, []int{17, 20}, []int{2, 7}, 4}, nd.Order{1, 0}, 500, 2)
	if err != nil {
		f.Fatal(err)
	}
	pass := &p.Pass
	f.Add([]byte(`{"templates":1}`))
	f.Add([]byte(`{"templates":0,"steps":3}`))
	f.Add([]byte(`{"pass":1,"templates":-1,"steps":99}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var d done
		if json.Unmarshal(raw, &d) != nil || pass.checkDone(d) != nil {
			return
		}
		l := pass.leftover(d)
		end := pass.costOf(d.Templates + min(d.Steps, 1))
		if c := l.skipped; c.Reads > end.Reads || c.Writes > end.Writes || c.Writes < pass.costOf(d.Templates).Writes+int64(d.Steps) {
			t.Errorf("%+v: skipped %v of %v", d, c, end)
		}
	})
}
