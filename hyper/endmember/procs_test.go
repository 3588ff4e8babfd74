package endmember_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/hyper/endmember"
	"drx/hyper/scene"
	"drx/parallel/par"
)

// encoded returns a method as JSON.
func encoded(t *testing.T, m endmember.Method) string {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// allMethods make new methods of all kinds.
func allMethods() map[string]func(rng *rand.Rand) func() endmember.Method {
	list := maps.Clone(methods)
	list["VCA in its own subspace"] = func(rng *rand.Rand) func() endmember.Method {
		seed := rng.Uint64()
		return func() endmember.Method { return &endmember.VCA{Options: endmember.Options{Count: 3}, Seed: seed} }
	}
	list["NFINDR"] = func(rng *rand.Rand) func() endmember.Method {
		starts, seed := rng.IntN(3), rng.Uint64()
		return func() endmember.Method {
			return &endmember.NFINDR{Options: endmember.Options{Count: 4}, Starts: starts, Seed: seed}
		}
	}
	list["SISAL"] = func(rng *rand.Rand) func() endmember.Method {
		pixels, seed := 300*rng.IntN(2), rng.Uint64()
		return func() endmember.Method {
			return &endmember.SISAL{Count: 3, Rounds: 2, Pixels: pixels, Seed: seed}
		}
	}
	return list
}

// TestProcs: results with any number of procs have the same bits as without procs, in scenes of
// about ten tiles with many equal pixels, at first and after growth and other changes.
func TestProcs(t *testing.T) {
	list := allMethods()
	for _, name := range slices.Sorted(maps.Keys(list)) {
		rng := rand.New(rand.NewPCG(71, 72))
		compared := 0
		for world := range 2 {
			w := newWorld(rng, testBands, 4, 36)
			w.now = w.all.Grow(-10)
			m := list[name](rng)()
			changed := w.now
			for step := range 2 {
				before := reload(t, m)
				want := m.Update(t.Context(), newCube(t, w, scene.Options{}), changed)
				procs := 1 + rng.IntN(5)
				err := par.Run(procs, func(c par.Comm) error {
					mine := reload(t, before)
					err := mine.Update(t.Context(), newCube(t, w, scene.Options{Comm: c, Workers: 1 + c.Proc()%2}), changed)
					if (err == nil) != (want == nil) || err != nil && err.Error() != want.Error() {
						t.Errorf("%s, world %d, step %d, proc %d of %d: error %v, without procs %v", name, world, step, c.Proc(), procs, err, want)
					} else if got := encoded(t, mine); got != encoded(t, m) {
						t.Errorf("%s, world %d, step %d, proc %d of %d: %.2000s, without procs %.2000s", name, world, step, c.Proc(), procs, got, encoded(t, m))
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					compared++
				}
				changed = w.change()
			}
		}
		if compared < 2 {
			t.Errorf("%s: only %d results", name, compared)
		}
	}
}

// A procBrokenSource is a source that one proc cannot read.
type procBrokenSource struct {
	scene.Source
	proc int
	comm par.Comm
}

var errBroken = errors.New("the disk is broken")

func (b procBrokenSource) Read(ctx context.Context, block scene.Block, dst []float64) error {
	if b.comm.Proc() == b.proc {
		return errBroken
	}
	return b.Source.Read(ctx, block, dst)
}

// TestErrorOfOneProcIsThatOfAll: if one proc cannot read, the methods of all procs fail with its
// error and are unchanged.
func TestErrorOfOneProcIsThatOfAll(t *testing.T) {
	w := newWorld(rand.New(rand.NewPCG(73, 74)), testBands, 4, 40)
	w.now = w.all
	for i := range all(3) {
		err := par.Run(3, func(c par.Comm) error {
			m := all(3)[i]
			before := encoded(t, m)
			err := m.Update(t.Context(), newCube(t, procBrokenSource{w, 1, c}, scene.Options{Comm: c}), w.now)
			var of *par.ProcError
			if !errors.As(err, &of) || of.Proc != 1 || !errors.Is(err, errBroken) {
				t.Errorf("%T, proc %d: error %v", m, c.Proc(), err)
			}
			if encoded(t, m) != before {
				t.Errorf("%T, proc %d has changed", m, c.Proc())
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
