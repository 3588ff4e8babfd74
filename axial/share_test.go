package axial_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"drx/axial"
)

// A version is a grid, scaled up so that its segments are searched, and the steps that led to it.
type version struct {
	g     *axial.Grid
	steps []step
}

type step struct {
	dim, by int
	side    axial.Side
}

// check compares the segments of random chunks with those of an unshared grid with the same steps
// and a table.
// shares nothing.
func (v version) check(t *testing.T, scale int, rng *rand.Rand) {
	t.Helper()
	plain, err := axial.New([]int{0, 0}, []int{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range v.steps {
		if err := plain.Grow(s.dim, s.by, s.side); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		index, at := make([]int, 2), make([]int, 2)
		for d := range index {
			index[d] = plain.Lo()[d] + rng.IntN(plain.Hi()[d]-plain.Lo()[d])
			at[d] = index[d]*scale + rng.IntN(scale)
		}
		want, _ := plain.SegmentOf(index)
		if got, ok := v.g.SegmentOf(at); !ok || got != want {
			t.Fatalf("segment of %v after %v is %d, %v, want %d", at, v.steps, got, ok, want)
		}
	}
}

// Grids that share records keep their own history, whether they are extended or grow in place, also
// when several derive from one.
func TestSharedRecordsStay(t *testing.T) {
	const scale = 100_000
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 11))
		g, err := axial.New([]int{0, 0}, []int{scale, scale})
		if err != nil {
			t.Fatal(err)
		}
		versions := []version{{g: g}}
		for range 60 {
			n := rng.IntN(len(versions))
			v, s := versions[n], step{rng.IntN(2), 1 + rng.IntN(2), axial.Side(rng.IntN(2))}
			steps := append(slices.Clip(v.steps), s)
			if rng.IntN(2) == 0 {
				if err := v.g.Grow(s.dim, s.by*scale, s.side); err != nil {
					t.Fatal(err)
				}
				versions[n].steps = steps
				continue
			}
			next, err := v.g.Extend(s.dim, s.by*scale, s.side)
			if err != nil {
				t.Fatal(err)
			}
			versions = append(versions, version{next, steps})
		}
		for _, v := range versions {
			v.check(t, scale, rng)
		}
	}
}

// An extension allocates the grid, its bounds, its axes and the records of one of them; long
// histories are moved occasionally.
func TestExtendAllocatesLittle(t *testing.T) {
	g, err := axial.New([]int{0, 0, 0}, []int{1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	if n := testing.AllocsPerRun(1000, func() {
		i++
		if g, err = g.Extend(i%3, 1, axial.High); err != nil {
			t.Fatal(err)
		}
	}); n > 4 {
		t.Errorf("%v allocations", n)
	}
}

// A grid with reserved memory moves no segments as it grows, and is otherwise the same.
func TestReserve(t *testing.T) {
	grown := func(reserved int) *axial.Grid {
		g, err := axial.New([]int{0, 0}, []int{1 << 40, 1}) // no table
		if err != nil {
			t.Fatal(err)
		}
		g.Reserve(reserved)
		for i := range 100 {
			if err := g.Grow(i%2, 1, axial.High); err != nil {
				t.Fatal(err)
			}
		}
		return g
	}
	g, spacious := grown(0), grown(100)
	if !slices.EqualFunc(g.Records(), spacious.Records(), func(a, b axial.Record) bool {
		return a.Number == b.Number && a.Start == b.Start && slices.Equal(a.Coef, b.Coef)
	}) {
		t.Errorf("records %v, without reserve %v", spacious.Records(), g.Records())
	}
	for reserved, moved := range map[int]bool{3000: false, 0: true} {
		g := grown(reserved)
		n := testing.AllocsPerRun(1, func() { // AllocsPerRun calls it twice
			for range 500 {
				if err := g.Grow(0, 1, axial.High); err != nil {
					t.Fatal(err)
				}
				if err := g.Grow(0, 1, axial.Low); err != nil {
					t.Fatal(err)
				}
			}
		})
		if (n > 4) != moved { // the records of the dimension move in both cases
			t.Errorf("%v allocations with space for %d segments", n, reserved)
		}
	}
}
