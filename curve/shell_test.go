package curve_test

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"drx/axial"
	"drx/nd"
)

// unbounded returns the shape of the largest cube of a rank whose elements an int can count.
func unbounded(rank int) []int {
	side := 1 + sort.Search(math.MaxInt-1, func(n int) bool {
		_, err := nd.Product(slices.Repeat([]int{n + 2}, rank)...)
		return err != nil
	})
	return slices.Repeat([]int{side}, rank)
}

// TestShellIsACyclicHistory: the shell sequence is the mapping of an extendible array that grows
// from one chunk by one index of each dimension in turn, the last first.
func TestShellIsACyclicHistory(t *testing.T) {
	for k := 1; k <= 5; k++ {
		g, err := axial.New(make([]int, k), slices.Repeat([]int{1}, k))
		if err != nil {
			t.Fatal(err)
		}
		o := order(t, "shell", unbounded(k)...)
		side := []int{0, 100, 30, 10, 6, 4}[k]
		for range side - 1 {
			for d := k - 1; d >= 0; d-- {
				if g, err = g.Extend(d, 1, axial.High); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, index := range indices(g.Shape()) {
			want, _ := g.Number(index)
			if got, ok := o.Position(index); !ok || got != int(want) {
				t.Fatalf("position of %v is %d, %v, the chunk number %d", index, got, ok, want)
			}
		}
	}
}

// TestShellOfACube: elements of a cube have the same positions in any larger one.
func TestShellOfACube(t *testing.T) {
	for k := 1; k <= 4; k++ {
		large := order(t, "shell", unbounded(k)...)
		for side := 1; side <= 7; side++ {
			o := order(t, "shell", slices.Repeat([]int{side}, k)...)
			for _, index := range indices(o.Shape()) {
				p, _ := o.Position(index)
				if q, _ := large.Position(index); p != q {
					t.Fatalf("position of %v is %d in a cube of side %d, %d without a bound", index, p, side, q)
				}
			}
		}
	}
}

// TestShellOfABox: a box that is not a cube has the order of the enclosing cube.
func TestShellOfABox(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		shape := shapes.Draw(r, "shape")
		all := indices(shape)
		cube := order(r, "shell", unbounded(len(shape))...)
		if slices.Max(shape) > cube.Shape()[0] {
			return
		}
		slices.SortFunc(all, func(a, b []int) int {
			p, _ := cube.Position(a)
			q, _ := cube.Position(b)
			return cmp.Compare(p, q)
		})
		o := order(r, "shell", shape...)
		for q, index := range all {
			if got, _ := o.Position(index); got != q {
				r.Fatalf("position of %v in %v is %d, want %d", index, shape, got, q)
			}
		}
	})
}
