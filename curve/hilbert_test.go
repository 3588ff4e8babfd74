package curve_test

import (
	"maps"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// cubes are the sides and ranks of cubes of at most 2^15 elements, and their orders.
func cubes(f func(shape []int, order int)) {
	for k := 2; k <= 8; k++ {
		for m := 1; k*m <= 15; m++ {
			f(slices.Repeat([]int{1 << m}, k), m)
		}
	}
}

// TestUnitSteps: along the Hilbert curve one index changes by one at each step. From one end to the
// other only the first index changes, by the whole side.
func TestUnitSteps(t *testing.T) {
	cubes(func(shape []int, _ int) {
		o := order(t, "hilbert", shape...)
		index, before := make([]int, len(shape)), make([]int, len(shape))
		for q := 1; q < o.Len(); q++ {
			o.Index(q-1, before)
			o.Index(q, index)
			if manhattan(index, before) != 1 {
				t.Fatalf("%v: step %d from %v to %v", shape, q, before, index)
			}
		}
		end := make([]int, len(shape))
		end[0] = shape[0] - 1
		if !slices.Equal(index, end) {
			t.Errorf("%v: the curve ends at %v", shape, index)
		}
	})
}

func manhattan(a, b []int) int {
	sum := 0
	for d := range a {
		sum += max(a[d]-b[d], b[d]-a[d])
	}
	return sum
}

// TestNested: Hilbert and Morton finish one aligned cube, of any level, before they enter the next.
// Seen as a sequence of such cubes, they are the curve of a lower order.
func TestNested(t *testing.T) {
	for _, name := range []string{"hilbert", "morton"} {
		cubes(func(shape []int, m int) {
			if m == 1 {
				return
			}
			k := len(shape)
			o, coarse := order(t, name, shape...), order(t, name, slices.Repeat([]int{shape[0] / 2}, k)...)
			index := make([]int, k)
			for q := range o.Len() {
				o.Index(q, index)
				for d := range index {
					index[d] /= 2
				}
				if c, _ := coarse.Position(index); c != q>>k {
					t.Fatalf("%s %v: element %d is in the cube %v, which is number %d", name, shape, q, index, c)
				}
			}
		})
	}
}

// TestTreeAgrees: the two algorithms of the thesis give the same positions, in small boxes
// everywhere, in large ones at random.
func TestTreeAgrees(t *testing.T) {
	cubes(func(shape []int, _ int) {
		checkSame(t, order(t, "tree", shape...), order(t, "hilbert", shape...))
	})
	rapid.Check(t, func(r *rapid.T) {
		shape := shapes.Draw(r, "shape")
		checkSame(r, order(r, "tree", shape...), order(r, "hilbert", shape...))
	})
	for _, shape := range [][]int{{1 << 14, 1 << 15}, {1000, 1, 3, 9999}, {999, 1001, 1003}, {9, 200, 7, 60}, {5, 4, 9, 3, 17, 6, 8, 7}} {
		a, b := order(t, "tree", shape...), order(t, "hilbert", shape...)
		rapid.Check(t, func(r *rapid.T) {
			q := rapid.IntRange(0, a.Len()-1).Draw(r, "position")
			x, y := make([]int, len(shape)), make([]int, len(shape))
			a.Index(q, x)
			b.Index(q, y)
			if !slices.Equal(x, y) {
				r.Fatalf("%v: element %d is %v and %v", shape, q, x, y)
			}
		})
	}
}

// TestDense: in any box the elements have the order of the enclosing cube, which has only the
// dimensions with an extent above one.
func TestDense(t *testing.T) {
	small := rapid.Custom(func(r *rapid.T) []int { // enclosed by 2^15 elements at most
		limit := []int{0, 99, 99, 32, 8, 8, 4}
		k := rapid.IntRange(1, 6).Draw(r, "rank")
		return rapid.SliceOfN(rapid.IntRange(1, limit[k]), k, k).Draw(r, "shape")
	})
	for _, name := range []string{"hilbert", "tree", "morton"} {
		rapid.Check(t, func(r *rapid.T) {
			shape := small.Draw(r, "shape")
			side := 1
			for side < slices.Max(shape) {
				side *= 2
			}
			thick := squeeze(shape, shape)
			if len(thick) < 2 {
				return
			}
			cube, o := order(r, name, slices.Repeat([]int{side}, len(thick))...), order(r, name, shape...)
			positions := map[int][]int{}
			for _, index := range indices(shape) {
				q, _ := cube.Position(squeeze(index, shape))
				positions[q] = index
			}
			for want, q := range slices.Sorted(maps.Keys(positions)) {
				if got, _ := o.Position(positions[q]); got != want {
					r.Fatalf("%s of %v: position of %v is %d, want %d", name, shape, positions[q], got, want)
				}
			}
		})
	}
}

// squeeze removes the dimensions of extent one from an index.
func squeeze(index, shape []int) []int {
	var out []int
	for d, i := range index {
		if shape[d] > 1 {
			out = append(out, i)
		}
	}
	return out
}

// TestCompactHilbert compares with the compact Hilbert index of Hamilton and Rau-Chaplin where
// there is one, for extents that are powers of two.
func TestCompactHilbert(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		k := rapid.IntRange(2, 6).Draw(r, "rank")
		orders := rapid.SliceOfN(rapid.IntRange(1, 12/k), k, k).Draw(r, "orders")
		shape := make([]int, k)
		for d, m := range orders {
			shape[d] = 1 << m
		}
		o := order(r, "hilbert", shape...)
		for _, index := range indices(shape) {
			if got, _ := o.Position(index); got != compact(index, orders) {
				r.Fatalf("position of %v in %v is %d, the compact index %d", index, shape, got, compact(index, orders))
			}
		}
	})
}

// compact is the compact Hilbert index: at each level it keeps those bits of the key whose
// dimension has a bit at that level. The first dimension is the most significant bit, and the curve
// of the root runs along it.
func compact(index, orders []int) int {
	k := len(index)
	turn := func(w, n int) int { // left, k bits
		n = (n%k + k) % k
		return (w<<n | w>>(k-n)) & (1<<k - 1)
	}
	ones := func(w int) int { return bits.TrailingZeros(^uint(w)) }
	h, entry, axis := 0, 0, k-1
	for s := slices.Max(orders) - 1; s >= 0; s-- {
		point, mask := 0, 0
		for d := range index {
			point = point<<1 | index[d]>>s&1
			mask <<= 1
			if orders[d] > s {
				mask |= 1
			}
		}
		point, mask = turn(point^entry, -axis-1), turn(mask, -axis-1)
		key := 0
		for b := k - 1; b >= 0; b-- {
			key = key<<1 | (point>>b^key)&1
			if mask>>b&1 == 1 {
				h = h<<1 | key&1
			}
		}
		if key > 0 {
			e := (key - 1) / 2 * 2
			entry ^= turn(e^e>>1, axis+1)
			if key%2 == 0 {
				axis += ones(key - 1)
			} else {
				axis += ones(key)
			}
		}
		axis = (axis + 1) % k
	}
	return h
}

// TestThinBoxes: dimensions of extent one do not change the curve of the others, for any curve.
func TestThinBoxes(t *testing.T) {
	for name := range makers {
		for _, c := range []struct{ shape, thick []int }{{[]int{1, 6, 1, 7, 1}, []int{6, 7}}, {[]int{1, 9}, []int{9}}} {
			o, plain := order(t, name, c.shape...), order(t, name, c.thick...)
			for _, index := range indices(c.shape) {
				p, _ := o.Position(index)
				if q, _ := plain.Position(squeeze(index, c.shape)); p != q {
					t.Errorf("%s of %v: position of %v is %d, without the thin dimensions %d", name, c.shape, index, p, q)
				}
			}
		}
	}
}
