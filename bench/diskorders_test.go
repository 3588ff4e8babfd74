package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx"
)

// TestOrdered: in any element order, an array must have the values that follow from the indices,
// before and after growth. Reads must return the same values in all orders, and others with another
// seed.
func TestOrdered(t *testing.T) {
	l := &lab{dir: t.TempDir(), short: true, reps: 1, log: &strings.Builder{}}
	checks := map[string]bool{}
	for seed := range uint64(2) {
		for _, order := range onDisk {
			c, err := newOrderedArray(l, order, []int{20, 13}, []int{8, 8})
			if err != nil {
				t.Fatal(err)
			}
			boxes, err := c.boxes(seed, []int{3, 2}, 1, 10)
			if err != nil || boxes.ops != 10 {
				t.Fatalf("%s: %+v, %v", order, boxes, err)
			}
			single, err := c.interleave(seed, 3, 400)
			if err != nil || single.ops != 400 || single.wall <= 0 {
				t.Fatalf("%s: %+v, %v", order, single, err)
			}
			checks[boxes.check+" "+single.check] = true
			want := make([]float64, 36*21)
			fillBox(box{[]int{0, 0}, []int{36, 21}}, want)
			got, err := drx.Read[float64](c.a, nil)
			if err != nil || c.a.Layout().ElementOrder != order || !slices.Equal(c.a.Shape(), []int{36, 21}) || !slices.Equal(got, want) {
				t.Errorf("%s: %v elements, %v", order, c.a.Shape(), err)
			}
			if err := c.drop(); err != nil {
				t.Error(err)
			}
		}
		if len(checks) != int(seed)+1 {
			t.Errorf("%d different sums of %d seeds", len(checks), seed+1)
		}
	}
	if files, err := filepath.Glob(filepath.Join(l.dir, "*")); err != nil || len(files) > 0 {
		t.Errorf("%v are left, %v", files, err)
	}
}

// TestElementOrders runs both halves of the experiment at a small size: a race fails if two orders
// disagree. Every plot must have a row for each order at each column.
func TestElementOrders(t *testing.T) {
	l := &lab{dir: t.TempDir(), short: true, reps: 1, log: &strings.Builder{}}
	tab := &table{}
	for _, c := range []rankedArray{{rank: 2, edge: 96, chunk: 24}, {rank: 3, edge: 24, chunk: 12}} {
		shape, chunk := uniform(c.rank, c.edge), uniform(c.rank, c.chunk)
		if err := growOrdered(l, tab, shape, chunk); err != nil {
			t.Fatal(err)
		}
		if err := boxesOrdered(l, tab, shape, chunk); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range elementOrders.plots {
		if len(tab.series(p.metric)) != len(onDisk) || len(tab.columns(p.metric)) < 2 {
			t.Errorf("%q has series %v at %v", p.metric, tab.series(p.metric), tab.columns(p.metric))
		}
		for _, column := range tab.columns(p.metric) {
			for _, order := range onDisk {
				if r, ok := tab.find(p.metric, string(order), column); !ok || r.value <= 0 {
					t.Errorf("%q of %s at %s: %v", p.metric, order, column, r.value)
				}
			}
		}
	}
}
