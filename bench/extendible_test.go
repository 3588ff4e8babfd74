package main

import (
	"strings"
	"testing"
)

// TestMatrixKinds: matrices of all kinds must have equal elements after growth.
func TestMatrixKinds(t *testing.T) {
	for _, kind := range matrixKinds {
		m, err := kind.make(3)
		if err != nil {
			t.Fatal(err)
		}
		for n := 3; n < 50; n++ {
			if err := m.grow(float64(n)); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 50 {
			for j := range 50 {
				want := float64(max(i, j))
				if i < 3 && j < 3 {
					want = 0
				}
				if got := m.at(i, j); got != want {
					t.Fatalf("%s: element (%d, %d) is %v, want %v", kind.name, i, j, got, want)
				}
			}
		}
	}
}

// TestExtendibleExperiments runs the experiments at a small size: a race fails if two arrays
// disagree.
func TestExtendibleExperiments(t *testing.T) {
	for _, e := range []experiment{chunkedStatic, chunkedInterleaved, matrixGrowth} {
		rows := &table{}
		if err := e.run(&lab{short: true, reps: 1, log: &strings.Builder{}}, rows); err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		for _, p := range e.plots {
			for _, column := range rows.columns(p.metric) {
				for _, series := range rows.series(p.metric) {
					if r, ok := rows.find(p.metric, series, column); !ok || r.value <= 0 {
						t.Errorf("%s: %s of %s at %s: %v", e.name, p.metric, series, column, r.value)
					}
				}
			}
			if len(rows.columns(p.metric)) < 2 {
				t.Errorf("%s: %d columns of %s", e.name, len(rows.columns(p.metric)), p.metric)
			}
		}
	}
}
