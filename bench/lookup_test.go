package main

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"drx/bench/study/lookup"
)

// TestMemoryArrays: in every kind of array, an element must keep its value while the array grows,
// and new elements must be zero.
func TestMemoryArrays(t *testing.T) {
	for _, kind := range memoryKinds() {
		a, err := kind.make([]int{2, 3})
		if err != nil {
			t.Fatal(err)
		}
		value := 0.0
		want := map[[2]int]float64{}
		for _, dim := range []int{1, 0, 0, 1, 1, 0} {
			for i := range a.shape()[0] {
				for j := range a.shape()[1] {
					e := a.at([]int{i, j})
					if *e != want[[2]int{i, j}] {
						t.Fatalf("%s %v: element (%d, %d) is %v, want %v", kind.name, a.shape(), i, j, *e, want[[2]int{i, j}])
					}
					value++
					*e = value
					want[[2]int{i, j}] = value
				}
			}
			if err := a.extend(dim); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(a.shape(), []int{5, 6}) {
			t.Errorf("%s: shape %v", kind.name, a.shape())
		}
	}
}

// TestMemoryAccess: all kinds of arrays must find the same values, other values with another seed,
// and make as many extensions as requested.
func TestMemoryAccess(t *testing.T) {
	checks := map[string]bool{}
	for _, seed := range []uint64{1, 2} {
		for _, kind := range memoryKinds() {
			a, err := kind.make(cube(3, 1000))
			if err != nil {
				t.Fatal(err)
			}
			r, err := accessInterleaved(a, seed, 7)
			grown := 0
			for _, n := range a.shape() {
				grown += n - 10
			}
			if err != nil || grown != 7 || r.wall <= 0 {
				t.Fatalf("%s: %+v, %v, %d extensions", kind.name, r, err, grown)
			}
			checks[r.check+accessStatic(a, seed, 1000).check] = true
		}
		if len(checks) != int(seed) {
			t.Fatalf("%d different sums of %d seeds", len(checks), seed)
		}
	}
}

// TestLookupExperiments runs the lookup experiments in their short form. The races compare the
// results of the entrants, and every plot must have its rows.
func TestLookupExperiments(t *testing.T) {
	for _, e := range []experiment{lookupFloor, lookupRank, lookupClaims, memoryStatic, memoryInterleaved} {
		tab := &table{}
		if err := e.run(&lab{short: true, reps: 1, log: t.Output()}, tab); err != nil {
			t.Fatal(err)
		}
		for _, p := range e.plots {
			if len(tab.series(p.metric)) < 3 || len(tab.columns(p.metric)) < 2 {
				t.Errorf("%s: %q has series %v at %v", e.name, p.metric, tab.series(p.metric), tab.columns(p.metric))
			}
		}
	}
}

// TestLookupClaims: the comparisons of the claims must be within their bounds, and chunks of 8^3
// must save 3 levels of a binary search in each dimension.
func TestLookupClaims(t *testing.T) {
	tab := &table{}
	if err := runLookupClaims(&lab{reps: 1, log: t.Output()}, tab); err != nil {
		t.Fatal(err)
	}
	for _, column := range tab.columns("comparisons F*") {
		elements, err := strconv.ParseFloat(column, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range lookup.Kinds(thesisBucket) {
			r, ok := tab.find("comparisons F*", kind.Name, column)
			if bound := 2*math.Log2(elements) + 9; !ok || r.value > bound {
				t.Errorf("%s, %s elements: %v comparisons, want at most %v", kind.Name, column, r.value, bound)
			}
		}
		plain, _ := tab.find("comparisons F*", "o2/16", column)
		chunked, ok := tab.find("comparisons F*", "o2/16, chunked", column)
		if !ok || chunked.value >= plain.value {
			t.Errorf("%s elements: %v comparisons with chunks, %v without", column, chunked.value, plain.value)
		}
	}
}
