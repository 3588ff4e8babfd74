package main

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// each calls f with all products of a box.
func (b box) each(f func(r, c, k int)) {
	for r := b[0][0]; r < b[0][1]; r++ {
		for c := b[1][0]; c < b[1][1]; c++ {
			for k := b[2][0]; k < b[2][1]; k++ {
				f(r, c, k)
			}
		}
	}
}

// TestMissing: the missing products and those that are done are together the products of the goal,
// each once. The goal grows, and each time only some of the missing products are computed.
func TestMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r record
		goal := box{}
		for range 5 {
			for d := range goal {
				goal[d][0] -= rapid.IntRange(0, 2).Draw(t, "low")
				goal[d][1] += rapid.IntRange(0, 3).Draw(t, "high")
			}
			for i, b := range r.missing(goal) {
				if i > rapid.IntRange(0, 4).Draw(t, "killed after") {
					break
				}
				r.add(b)
				count := map[[3]int]int{}
				for _, b := range append(r.missing(goal), r.Done...) {
					b.each(func(r, c, k int) { count[[3]int{r, c, k}]++ })
				}
				goal.each(func(r, c, k int) {
					if count[[3]int{r, c, k}] != 1 {
						t.Fatalf("product %d, %d, %d is there %d times: %v", r, c, k, count[[3]int{r, c, k}], r)
					}
					delete(count, [3]int{r, c, k})
				})
				if len(count) > 0 {
					t.Fatalf("products outside of %v: %v", goal, count)
				}
			}
		}
	})
}

// TestRecordStaysShort: tiles that are done row by row are joined, and so is what grew.
func TestRecordStaysShort(t *testing.T) {
	var r record
	for i, goal := range []box{{{0, 90}, {0, 80}, {0, 7}}, {{-5, 90}, {0, 99}, {-3, 9}}, {{-5, 190}, {0, 99}, {-3, 30}}} {
		for _, b := range r.missing(goal) {
			tl := tiling{box: b, grid: [2]int{1, 2}, block: [2]int{16, 16}, period: 2}
			for n := range tl.tiles() {
				r.add(tl.tile(n))
				if len(r.Done) > 6 {
					t.Fatalf("goal %d: %d boxes: %v", i, len(r.Done), r.Done)
				}
			}
		}
		if len(r.missing(goal)) > 0 || len(r.Done) != 1 || r.Done[0] != goal {
			t.Errorf("goal %v: %v", goal, r.Done)
		}
	}
}

// TestTiling: the blocks of all procs are the elements of the box, each once; each block is within
// one of those that the distribution gives to its proc; the inner spans follow each other; the
// memory is kept.
func TestTiling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b box
		for d, most := range []int{90, 90, 2000} {
			lo := rapid.IntRange(-100, 100).Draw(t, "lo")
			b[d] = span{lo, lo + rapid.IntRange(1, most).Draw(t, "extent")}
		}
		procs, memory := rapid.IntRange(1, 7).Draw(t, "procs"), rapid.Int64Range(1<<20, 4<<20).Draw(t, "memory")
		tl, err := newTiling(b, procs, []int{8, 4}, memory, 1)
		if err != nil {
			if tl.block != [2]int{8, 4} || tl.bytes(1) <= memory {
				t.Fatal(tl, err)
			}
			return
		}
		if tl.bytes(1) > memory {
			t.Fatalf("%d bytes, want at most %d", tl.bytes(1), memory)
		}
		count := map[[2]int]int{}
		for n := range tl.tiles() {
			for p := range tl.grid[0] * tl.grid[1] {
				block := box{tl.blockSpan(tl.tile(n), 0, p/tl.grid[1]), tl.blockSpan(tl.tile(n), 1, p%tl.grid[1]), {0, 1}}
				block.each(func(r, c, _ int) { count[[2]int{r, c}]++ })
				if block[0].len() > tl.block[0] || block[1].len() > tl.block[1] {
					t.Fatal("a block is too large", block, tl)
				}
			}
		}
		if len(count) != b[0].len()*b[1].len() {
			t.Fatalf("%d elements, want those of %v", len(count), b)
		}
		for at, n := range count {
			if n != 1 || b[0].in(span{at[0], at[0] + 1}).len() == 0 || b[1].in(span{at[1], at[1] + 1}).len() == 0 {
				t.Fatalf("element %v is in %d blocks of %v", at, n, b)
			}
		}
		next := b[inner][0]
		for step := range tl.steps() {
			for i := range tl.period {
				if k := tl.innerSpan(step, i); k.len() > 0 {
					if k[0] != next || k.len() > depth {
						t.Fatal(fmt.Sprint("inner span ", k, " after ", next))
					}
					next = k[1]
				}
			}
		}
		if next != b[inner][1] {
			t.Fatalf("inner spans end at %d of %v", next, b)
		}
	})
}
