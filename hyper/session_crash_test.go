package hyper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"drx"
	"drx/dtype"
	"drx/hyper/endmember"
	"drx/hyper/scene"
	"drx/hyper/scene/array"
	"drx/hyper/unmix"
	"drx/internal/enumtest"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// swaths writes a cube swath by swath on both sides, overwrites a part, and updates a session after
// each commit.
func swaths(t *testing.T, o SessionOptions) error {
	t.Helper()
	a, err := drx.Create("cube", drx.Spec{DType: dtype.Uint16, Shape: []int{3, 5, 3}, ChunkShape: []int{2, 4, 3}})
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 9))
	fill := func(sec nd.Section) error {
		n, err := sec.Len()
		if err != nil {
			return err
		}
		data := make([]uint16, n)
		for i := range data {
			data[i] = uint16(1 + rng.IntN(3000))
		}
		return errors.Join(drx.Write(a, sec, data), a.Sync())
	}
	if err := fill(a.Bounds()); err != nil {
		return err
	}
	s, err := OpenSession(a, o)
	if err != nil {
		return err
	}
	for step := range 4 {
		if _, err := s.Update(t.Context()); err != nil {
			return err
		}
		sec := nd.Sec(nd.Span(0, 2), nd.Span(1, 3), nd.All)
		switch step {
		case 0:
			sec, err = a.Extend(0, 2)
		case 1:
			sec, err = a.ExtendLow(1, 3)
		case 2:
			sec, err = sec.Resolve(a.Bounds().Bounds())
		default:
			return errors.Join(s.Close(), a.Close())
		}
		if err == nil {
			err = fill(sec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestCrashOfSession simulates a crash of the machine at operations of a session and of the writer
// of its cube. A session that continues from the disk has the results of batch runs.
func TestCrashOfSession(t *testing.T) {
	all := enumtest.Of(t)
	dims := array.Dims{Line: 0, Sample: 1, Band: 2}
	o := SessionOptions{Dims: &dims, Noise: true, Searches: []Search{nfindr}, blockTiles: 1, Abundances: &Abundances{Name: "abundances", Method: unmix.FCLS, DType: dtype.Float64}}
	o.Scene.Workers = 1
	for k := 0; ; k += 3 {
		disk := vfstest.NewCrash()
		disk.CrashAfter(k)
		onDisk(t, disk)
		err := swaths(t, o)
		if err != nil && !errors.Is(err, vfstest.ErrCrashed) {
			t.Fatalf("operation %d: %v", k, err)
		}
		policies := vfstest.Policies(1, uint64(k))
		for n, name := range slices.Sorted(maps.Keys(policies)) {
			if (n+k/3)%10 != 0 || !all.Try() {
				continue
			}
			onDisk(t, disk.After(policies[name]))
			if err := goOn(t, o); err != nil {
				t.Fatalf("crash at operation %d, policy %s: %v", k, name, err)
			}
		}
		if err == nil {
			t.Logf("%d operations", k)
			all.Want(200)
			return
		}
	}
}

// nfindr is a search whose result depends on the history of the scene.
var nfindr = Search{Method: &endmember.NFINDR{Starts: 1, Seed: 5}, Count: 3}

// TestDiedUpdatesAreRepeated: a session that fails at a step of each update, and one that is opened
// again after that, arrive at the simplex of a session that was never interrupted.
func TestDiedUpdatesAreRepeated(t *testing.T) {
	moved := 0
	for seed := range uint64(30) {
		inMemory(t)
		rng := rand.New(rand.NewPCG(seed, 11))
		w := newWorld(t, rng, "cube", drx.DurabilityNone)
		open := func(name string) *Session {
			s, err := OpenSession(w.a, SessionOptions{Dims: &w.dims, State: name, Noise: true, Searches: []Search{nfindr}, blockTiles: 1})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		whole, killed, last := open("whole"), open("killed"), ""
		for step := range 6 {
			if _, err := whole.Update(t.Context()); err != nil {
				t.Fatal(err)
			}
			left := rng.IntN(4)
			killed.o.step = func(what string) error {
				if left--; left == -1 {
					return fmt.Errorf("%w %s", errDied, what)
				}
				return nil
			}
			_, err := killed.Update(t.Context())
			if err != nil && !errors.Is(err, errDied) {
				t.Fatal(err)
			}
			if err := killed.Close(); err != nil {
				t.Fatal(err)
			}
			killed = open("killed")
			if _, err := killed.Update(t.Context()); err != nil {
				t.Fatal(err)
			}
			a, b := foundText(t, whole), foundText(t, killed)
			if a != b {
				t.Fatalf("seed %d, step %d: %s, uninterrupted %s", seed, step, b, a)
			}
			if a != last {
				moved++
			}
			last = a
			w.change(t)
		}
		if err := errors.Join(whole.Close(), killed.Close(), w.a.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if moved < 60 {
		t.Errorf("the simplex changed %d times only", moved)
	}
}

// foundText returns the result of the first search of a session, or why there is none.
func foundText(t *testing.T, s *Session) string {
	t.Helper()
	found, err := s.Found(0)
	if err != nil {
		return err.Error()
	}
	text, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// goOn opens the files that a crash has left and compares the results with batch runs.
func goOn(t *testing.T, o SessionOptions) error {
	a, err := drx.Open("cube", drx.Options{Write: true})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, drx.ErrIncomplete) {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := OpenSession(a, o)
	if err != nil {
		return err
	}
	r, err := s.Update(t.Context())
	if err != nil {
		return err
	}
	h := &history{world: &world{a: a, order: nd.Order{0, 1, 2}, dims: *o.Dims}, o: o}
	return errors.Join(h.check(t, s, r), s.Close(), a.Close())
}

// TestFollowBesideAWriter follows a cube while another goroutine extends and overwrites it.
func TestFollowBesideAWriter(t *testing.T) {
	for seed := range uint64(4) {
		inMemory(t)
		follow(t, seed)
	}
}

func follow(t *testing.T, seed uint64) {
	w := newWorld(t, rand.New(rand.NewPCG(seed, 5)), "cube", drx.DurabilityFull)
	a, err := drx.Open("cube", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := &history{world: &world{a: a, order: w.order, dims: w.dims}, o: SessionOptions{Dims: &w.dims, Noise: true, Searches: searches[seed : seed+1], blockTiles: 1}}
	s, err := OpenSession(a, h.o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var writer sync.WaitGroup
	writer.Go(func() {
		for range 25 {
			w.change(t)
			time.Sleep(time.Millisecond)
		}
	})
	last := make(chan *Report, 1)
	go func() {
		writer.Wait()
		for {
			r, err := s.Update(ctx)
			if err == nil && len(r.Changed) == 0 && r.Update > 0 {
				last <- r
				cancel()
				return
			}
		}
	}()
	reports := 0
	err = s.Follow(ctx, time.Millisecond, func(r *Report) error {
		reports++
		return nil
	})
	if !errors.Is(err, context.Canceled) || reports < 2 {
		t.Fatalf("%d reports, error %v", reports, err)
	}
	if err := h.check(t, s, <-last); err != nil {
		t.Error(err)
	}
	if err := errors.Join(s.Close(), a.Close(), w.a.Close()); err != nil {
		t.Fatal(err)
	}
}

// plainCube makes a cube of uint16 with the given extents and values that depend only on the seed.
func plainCube(t *testing.T, name string, lines, samples, bands int, seed uint64) *drx.Array {
	t.Helper()
	a, err := drx.Create(name, drx.Spec{DType: dtype.Float32, Shape: []int{lines, samples, bands}, Dims: []string{"line", "sample", "band"}, ChunkShape: []int{4, 8, bands}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 3))
	data := make([]float32, lines*samples*bands)
	for i := range data {
		data[i] = float32(1 + rng.IntN(4000))
	}
	if err := errors.Join(drx.Write(a, nil, data), a.Sync()); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestStatesThatDoNotBelong: a state is refused for another cube, an older one, other options or
// another mask, unless it is begun anew.
func TestStatesThatDoNotBelong(t *testing.T) {
	inMemory(t)
	a := plainCube(t, "cube", 6, 9, 3, 1)
	opts := SessionOptions{State: "state", Noise: true}
	update := func(a *drx.Array, o SessionOptions) error {
		s, err := OpenSession(a, o)
		if err != nil {
			return err
		}
		_, err = s.Update(t.Context())
		return errors.Join(err, s.Close())
	}
	old := plainCube(t, "copy", 6, 9, 3, 1)
	if _, err := a.Extend(0, 2); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Sync(), update(a, opts)); err != nil {
		t.Fatal(err)
	}
	other := plainCube(t, "other", 8, 9, 3, 2)
	if _, err := other.Extend(1, 1); err != nil {
		t.Fatal(err)
	}
	mask := opts
	mask.Scene.Masked = func(p scene.Pixel) bool { return p.Line == 2 }
	bad, quiet := opts, opts
	bad.Scene.BadBands, quiet.Noise = []int{1}, false
	for _, c := range []struct {
		a    *drx.Array
		o    SessionOptions
		want string
	}{
		{old, opts, "state: the state is of copy after commit 3; this cube has 1 commits: it is older, or was replaced; give another state, or begin anew"},
		{other, opts, ""},
		{plainCube(t, "bands", 8, 9, 4, 2), opts, ""},
		{a, mask, "state: the state was made with another mask: give that one, another state, or begin anew"},
		{a, bad, ""},
		{a, quiet, ""},
	} {
		if err := c.a.Sync(); err != nil {
			t.Fatal(err)
		}
		err := update(c.a, c.o)
		if err == nil || c.want != "" && err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	if s, err := OpenSession(a, SessionOptions{State: "cube"}); err == nil {
		t.Error("a cube is a state", s.Close())
	}
	opts.Anew = true
	if err := update(other, opts); err != nil {
		t.Error(err)
	}
	s, err := OpenSession(other, SessionOptions{State: "state", Noise: true})
	if err != nil {
		t.Fatal(err)
	}
	if s2, err := OpenSession(other, SessionOptions{State: "state", Noise: true}); err == nil {
		t.Error("a state is open twice", s2.Close())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Update(t.Context()); err == nil {
		t.Error("a closed session is updated")
	}
}

// TestSmallestCubes: a cube without pixels has no results, has some once it gets pixels, and none
// again after losing them.
func TestSmallestCubes(t *testing.T) {
	inMemory(t)
	a, err := drx.Create("cube", drx.Spec{DType: dtype.Float64, Shape: []int{0, 3, 0}, ChunkShape: []int{2, 2, 2}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenSession(a, SessionOptions{Noise: true, Searches: []Search{{Method: &endmember.ATGP{}, Count: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	for step, f := range []func() error{
		func() error { return nil },
		func() error { _, err := a.Extend(0, 1); return err },
		func() error { _, err := a.Extend(2, 2); return err },
		func() error { return drx.Write(a, nil, []float64{1, 2, 3, 4, 9, 1}) },
		func() error { return a.Shrink(0, 1) },
		func() error { _, err := a.Extend(0, 2); return err },
	} {
		if err := errors.Join(f(), a.Sync()); err != nil {
			t.Fatal(err)
		}
		r, err := s.Update(t.Context())
		want := int64([]int{0, 0, 0, 3, 0, 0}[step])
		if err != nil || r.Pixels != want {
			t.Fatalf("step %d: %+v, want %d pixels, error %v", step, r, want, err)
		}
		if _, err := s.Found(0); (err == nil) != (want > 0) {
			t.Errorf("step %d: error %v", step, err)
		}
		if c := s.Cube(); (c != nil) != (step == 2 || step == 3 || step == 5) {
			t.Errorf("step %d: the scene is %v", step, c)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestUpdateReadsWhatHasChanged: an update reads the tiles that a new swath touches, and the block
// of an overwritten pixel.
func TestUpdateReadsWhatHasChanged(t *testing.T) {
	inMemory(t)
	a := plainCube(t, "cube", 64, 64, 4, 1)
	s, err := OpenSession(a, SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	line := int64(64 * 4 * 4)
	for step, c := range []struct {
		f    func() error
		want int64
	}{
		{func() error { return nil }, 64 * line},
		{func() error { return nil }, 0},
		{func() error { _, err := a.Extend(0, 4); return err }, 4 * line},
		{func() error { _, err := a.Extend(0, 3); return err }, 7 * line},
		{func() error { return drx.Set(a, float32(5), 3, 3, 0) }, (16 + 71 - 16) * line},
		{func() error { return drx.Set(a, float32(5), 3, 3, 0) }, 16 * line}, // the same value
	} {
		if err := errors.Join(c.f(), a.Sync()); err != nil {
			t.Fatal(err)
		}
		if r, err := s.Update(t.Context()); err != nil || r.Read != c.want {
			t.Errorf("step %d: %d bytes were read, want %d, error %v", step, r.Read, c.want, err)
		}
	}
}

// TestRestart compares a simplex with those of batch runs, and continues from the best one.
func TestRestart(t *testing.T) {
	inMemory(t)
	a := plainCube(t, "cube", 3, 12, 5, 4)
	s, err := OpenSession(a, SessionOptions{Searches: []Search{{Method: &endmember.NFINDR{Seed: 1}, Count: 5}, {Method: &endmember.ATGP{}, Count: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	rng, least := rand.New(rand.NewPCG(7, 7)), 1.0
	for range 8 {
		sec, err := a.Extend(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		data := make([]float32, 12*5)
		for i := range data {
			data[i] = float32(1 + rng.IntN(4000))
		}
		if err := errors.Join(drx.Write(a, sec, data), a.Sync()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Update(t.Context()); err != nil {
			t.Fatal(err)
		}
		ratio, err := s.Restart(t.Context(), 0, 3, false)
		if err != nil {
			t.Fatal(err)
		}
		least = min(least, ratio)
		if _, err := s.Restart(t.Context(), 0, 3, true); err != nil {
			t.Fatal(err)
		}
		if again, err := s.Restart(t.Context(), 0, 3, false); err != nil || again < 1-1e-9 {
			t.Errorf("ratio %v was %v, error %v", again, ratio, err)
		}
	}
	if least >= 1-1e-9 {
		t.Error("all simplices were the largest: the test is too easy")
	}
	if _, err := s.Restart(t.Context(), 1, 1, false); err == nil {
		t.Error("atgp has been restarted")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Restart(t.Context(), 0, 1, true); err == nil {
		t.Error("a closed session takes another simplex")
	}
}

// TestSearchesOfOtherSessions: a search that was not part of some updates' sessions has the result
// of a batch run when it is part of one again.
func TestSearchesOfOtherSessions(t *testing.T) {
	for seed := range uint64(40) {
		inMemory(t)
		h := newHistory(t, rand.New(rand.NewPCG(seed, 3)))
		h.o.Abundances = nil
		first, other := h.o.Searches, []Search{{Method: &endmember.ATGP{}, Count: 2, Mean: 3}}
		for step, list := range [][]Search{first, other, first, nil, other} {
			h.o.Searches = list
			s, err := OpenSession(h.a, h.o)
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Update(t.Context())
			if err == nil && list != nil {
				err = h.check(t, s, r)
			}
			if err := errors.Join(err, s.Close()); err != nil {
				t.Fatalf("history %d, session %d, after %v: %v", seed, step, h.log, err)
			}
			h.log = append(h.log, h.change(t))
		}
	}
}

// TestAbundancesAfterRestart: after the next update the abundances are those of the adopted
// endmembers, even if the cube has not changed.
func TestAbundancesAfterRestart(t *testing.T) {
	adopted := 0
	for seed := range uint64(12) {
		inMemory(t)
		h := newHistory(t, rand.New(rand.NewPCG(seed, 4)))
		h.o.Searches = []Search{{Method: &endmember.NFINDR{Seed: 1}, Count: 3}}
		h.o.Abundances = &Abundances{Name: "abundances", Method: unmix.FCLS, DType: dtype.Float64}
		s, err := OpenSession(h.a, h.o)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if _, err := s.Update(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Found(0); err == nil {
				ratio, err := s.Restart(t.Context(), 0, 3, true)
				if err != nil {
					t.Fatal(err)
				}
				if ratio < 1 {
					adopted++
				}
			}
			r, err := s.Update(t.Context())
			if err == nil {
				err = h.checkAbundances(t, s, r, h.cube(t, h.o.Scene))
			}
			if err != nil {
				t.Fatalf("history %d, after %v: %v", seed, h.log, err)
			}
			h.log = append(h.log, h.change(t))
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if adopted == 0 {
		t.Error("no other endmembers were adopted: the test is too easy")
	}
}

// TestCompactedMeanwhile: a session whose cube was compacted has the results of batch runs.
func TestCompactedMeanwhile(t *testing.T) {
	for seed := range uint64(20) {
		inMemory(t)
		h := newHistory(t, rand.New(rand.NewPCG(seed, 5)))
		s, err := OpenSession(h.a, h.o)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			r, err := s.Update(t.Context())
			if err == nil {
				err = h.check(t, s, r)
			}
			if err != nil {
				t.Fatalf("history %d, after %v: %v", seed, h.log, err)
			}
			h.log = append(h.log, h.change(t))
			if err := h.a.Compact(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			h.log = append(h.log, "compacted")
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
