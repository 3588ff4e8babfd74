package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"drx/curve"
)

// TestChunkedMemory: after growth, every element must have the value that follows from its index,
// in every order.
func TestChunkedMemory(t *testing.T) {
	for _, in := range inners {
		m, err := newChunkedMemory(in, []int{4, 3}, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, dim := range []int{1, 0, 0, 1, 1} {
			if err := m.extend(dim); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 4 * 4 {
			for j := range 5 * 3 {
				want := int64(i/4*1009+j/3)<<20 + int64(i%4*3+j%3)
				if got := m.at([]int{i, j}); got != want {
					t.Fatalf("%s: element (%d, %d) is %x, want %x", in.name, i, j, got, want)
				}
			}
		}
	}
}

// TestInterleave: all orders must read the same elements, and other elements with another seed.
func TestInterleave(t *testing.T) {
	checks := map[string]bool{}
	for _, seed := range []uint64{1, 2} {
		for _, in := range inners {
			m, err := newChunkedMemory(in, []int{4, 4, 4}, 2)
			if err != nil {
				t.Fatal(err)
			}
			r, err := m.interleave(seed, 4, 1000)
			if err != nil || r.ops != 1000 || r.wall <= 0 || !slices.Equal(m.grid.Shape(), []int{4, 3, 3}) {
				t.Fatalf("%s: %+v, %v, grid %v", in.name, r, err, m.grid.Shape())
			}
			checks[r.check] = true
		}
		if len(checks) != int(seed) {
			t.Fatalf("%d different sums of %d seeds", len(checks), seed)
		}
	}
}

// TestCurveStretch compares rows of the table with known limits: 1/k for row-major order, and 2/3
// for shells in two dimensions.
func TestCurveStretch(t *testing.T) {
	rows := &table{}
	if err := runCurveStretch(&lab{short: true, reps: 1, log: &strings.Builder{}}, rows); err != nil {
		t.Fatal(err)
	}
	if want := 5 * len(curve.Names()); len(rows.rows) != want {
		t.Errorf("%d rows, want %d", len(rows.rows), want)
	}
	for _, c := range []struct {
		k, side int
		name    string
		want    float64
	}{{2, 64, "row", 1. / 2}, {2, 64, "morton", 1. / 2}, {2, 64, "shell", 2. / 3}, {3, 16, "row", 1. / 3}} {
		r, ok := rows.find(fmt.Sprintf("stretch %d-d", c.k), c.name, fmt.Sprint(c.side))
		if !ok || math.Abs(r.value-c.want) > 0.03 {
			t.Errorf("stretch of %s, %d^%d: %v, want about %v", c.name, c.side, c.k, r.value, c.want)
		}
	}
}
