package curve_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"drx/curve"
	"drx/nd"
)

// makers are all constructors by name, including the tree form of Hilbert.
var makers = map[string]func([]int) (curve.Order, error){
	"row": curve.Row, "col": curve.Column, "morton": curve.Morton, "hilbert": curve.Hilbert,
	"tree": curve.HilbertTree, "shell": curve.Shell,
}

// order builds an order that must exist.
func order(t interface{ Fatal(...any) }, name string, shape ...int) curve.Order {
	o, err := makers[name](shape)
	if err != nil {
		t.Fatal(name, shape, err)
	}
	return o
}

// indices returns all indices of a box in row-major order.
func indices(shape []int) [][]int {
	var all [][]int
	lo, index := make([]int, len(shape)), make([]int, len(shape))
	for {
		all = append(all, slices.Clone(index))
		if !nd.Next(index, lo, shape) {
			return all
		}
	}
}

// shapes draws boxes of at most about 4000 elements, thin and short ones too.
var shapes = rapid.Custom(func(r *rapid.T) []int {
	shape := make([]int, rapid.IntRange(1, 7).Draw(r, "rank"))
	left := 4000
	for d := range shape {
		shape[d] = rapid.IntRange(1, min(left, rapid.SampledFrom([]int{1, 3, 9, 40}).Draw(r, "limit"))).Draw(r, "extent")
		left = max(1, left/shape[d])
	}
	return rapid.Permutation(shape).Draw(r, "shape")
})

// TestBijection: the positions of a box are 0 to Len()-1, once each, and Index is the inverse.
func TestBijection(t *testing.T) {
	for name := range makers {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				shape := shapes.Draw(r, "shape")
				o := order(r, name, shape...)
				n, _ := nd.Product(shape...)
				if o.Rank() != len(shape) || o.Len() != n || !slices.Equal(o.Shape(), shape) {
					r.Fatalf("rank %d, %d elements, shape %v of %v", o.Rank(), o.Len(), o.Shape(), shape)
				}
				seen, inverse := make([]bool, n), make([]int, len(shape))
				for _, index := range indices(shape) {
					q, ok := o.Position(index)
					if !ok || q < 0 || q >= n || seen[q] {
						r.Fatalf("position of %v in %v is %d, %v, or was met before", index, shape, q, ok)
					}
					seen[q] = true
					if !o.Index(q, inverse) || !slices.Equal(inverse, index) {
						r.Fatalf("inverse of %d in %v is %v, want %v", q, shape, inverse, index)
					}
				}
			})
		})
	}
}

// TestHugeBoxes converts positions to indices and back in boxes with almost as many elements as an
// int can count.
func TestHugeBoxes(t *testing.T) {
	for _, shape := range [][]int{
		{math.MaxInt},
		{math.MaxInt, 1},
		{1, math.MaxInt / 2, 2},
		{1 << 15, 1 << 15},
		{1<<15 - 1, 1<<15 + 1},
		{3, math.MaxInt / 3},
		{1 << 10, 1, 1 << 9, 1 << 10},
		{7, 5, 3, math.MaxInt / 105},
		unbounded(2), unbounded(3), unbounded(5), unbounded(8),
	} {
		for name := range makers {
			o := order(t, name, shape...)
			rapid.Check(t, func(r *rapid.T) {
				q := rapid.OneOf(rapid.IntRange(0, o.Len()-1), rapid.SampledFrom([]int{0, o.Len() - 1})).Draw(r, "position")
				index := make([]int, len(shape))
				if !o.Index(q, index) {
					r.Fatalf("%s: no index for position %d of %v", name, q, shape)
				}
				if got, ok := o.Position(index); !ok || got != q {
					r.Fatalf("%s: position of %v in %v is %d, %v, want %d", name, index, shape, got, ok, q)
				}
			})
		}
	}
}

func TestOutside(t *testing.T) {
	for name := range makers {
		o := order(t, name, 5, 1, 6)
		for _, index := range [][]int{nil, {0, 0}, {0, 0, 0, 0}, {5, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, 0, 6}, {0, 0, math.MinInt}} {
			if q, ok := o.Position(index); ok || q != -1 {
				t.Errorf("%s: position of %v is %d, %v", name, index, q, ok)
			}
		}
		index := []int{7, 7, 7}
		for _, q := range []int{-1, 30, math.MaxInt, math.MinInt} {
			if o.Index(q, index) || !slices.Equal(index, []int{7, 7, 7}) {
				t.Errorf("%s: index of %d is %v", name, q, index)
			}
		}
		if o.Index(0, index[:2]) || o.Index(0, nil) || o.Index(0, make([]int, 4)) || !slices.Equal(index, []int{7, 7, 7}) {
			t.Errorf("%s: an index of another rank", name)
		}
	}
}

func TestErrors(t *testing.T) {
	for name, f := range makers {
		for _, c := range []struct {
			shape []int
			want  error
			text  string
		}{
			{nil, nd.ErrRank, "rank 0 is not in 1..64"},
			{make([]int, 65), nd.ErrRank, "rank 65"},
			{[]int{3, 0}, nd.ErrBounds, "dimension 1: extent 0 below 1"},
			{[]int{-4, 0}, nd.ErrBounds, "dimension 0: extent -4"},
			{[]int{math.MaxInt, 2}, nd.ErrOverflow, "too large"},
		} {
			o, err := f(c.shape)
			if o != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s of %v: %v, %v, want an error with %q", name, c.shape, o, err, c.text)
			}
		}
	}
	nine := []int{2, 2, 2, 2, 1, 2, 2, 2, 2, 2}
	if _, err := curve.HilbertTree(nine); !errors.Is(err, nd.ErrRank) {
		t.Errorf("tree of nine dimensions: %v", err)
	}
	if o := order(t, "tree", nine[:9]...); o.Len() != 256 {
		t.Errorf("tree of eight dimensions: %d elements", o.Len())
	}
}

// TestShapeIsCopied: an order does not change if the caller changes the shape that he passed.
func TestShapeIsCopied(t *testing.T) {
	for name, f := range makers {
		shape := []int{3, 5}
		o, err := f(shape)
		if err != nil {
			t.Fatal(err)
		}
		shape[0] = 100
		if _, ok := o.Position([]int{3, 0}); ok || o.Shape()[0] != 3 {
			t.Errorf("%s changed with its caller's shape", name)
		}
	}
}

func TestNew(t *testing.T) {
	if got, want := curve.Names(), []string{"row", "col", "morton", "hilbert", "shell"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	for _, name := range curve.Names() {
		o, err := curve.New(name, []int{4, 6})
		if err != nil {
			t.Fatal(err)
		}
		checkSame(t, o, order(t, name, 4, 6))
	}
	if o, err := curve.New("peano", []int{3, 3}); o != nil || err == nil || !strings.Contains(err.Error(), `"peano" is none of`) {
		t.Errorf("order peano: %v, %v", o, err)
	}
	if o, err := curve.New("hilbert", nil); o != nil || !errors.Is(err, nd.ErrRank) {
		t.Errorf("hilbert of no dimension: %v, %v", o, err)
	}
}

// checkSame compares two orders of one box everywhere.
func checkSame(t interface{ Fatalf(string, ...any) }, a, b curve.Order) {
	for _, index := range indices(a.Shape()) {
		p, _ := a.Position(index)
		q, _ := b.Position(index)
		if p != q {
			t.Fatalf("element %v of %v: positions %d and %d", index, a.Shape(), p, q)
		}
	}
}

// TestPermutation compares the bulk form with one Position after the other.
func TestPermutation(t *testing.T) {
	for name := range makers {
		rapid.Check(t, func(r *rapid.T) {
			o := order(r, name, shapes.Draw(r, "shape")...)
			positions, err := curve.Permutation(o)
			if err != nil || len(positions) != o.Len() {
				r.Fatalf("%d positions of %d: %v", len(positions), o.Len(), err)
			}
			for i, index := range indices(o.Shape()) {
				if q, _ := o.Position(index); int(positions[i]) != q {
					r.Fatalf("%s of %v: element %v has %d in the permutation, position %d", name, o.Shape(), index, positions[i], q)
				}
			}
		})
	}
	if math.MaxInt > math.MaxInt32 {
		if _, err := curve.Permutation(order(t, "hilbert", 1<<16, math.MaxInt32>>15)); !errors.Is(err, nd.ErrOverflow) {
			t.Errorf("permutation of 2^32 elements: %v", err)
		}
	}
}

// TestNothingIsAllocated: Position and Index of every order allocate nothing.
func TestNothingIsAllocated(t *testing.T) {
	for name := range makers {
		for _, shape := range [][]int{{16, 16}, {5, 1, 300}, {2, 3, 4, 5, 6}} {
			o, index := order(t, name, shape...), make([]int, len(shape))
			position := o.Len() * 2 / 3
			if n := testing.AllocsPerRun(100, func() {
				o.Index(position, index)
				o.Position(index)
			}); n != 0 {
				t.Errorf("%s of %v: %v allocations", name, shape, n)
			}
		}
	}
}
