package lookup

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"drx/axial"
)

// These tests check the claims of table 4.1 of the thesis by counting comparisons, which do not
// depend on the load of the machine.

// filled returns an Index of n records, in the order of a history.
func filled(t testing.TB, k Kind, n int) Index {
	t.Helper()
	x := k.New()
	for i := range n {
		if err := x.Insert(plain(axial.High, 3*i, 5*i)); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// most returns the largest number of comparisons of any Floor and of any Inverse.
func most(x Index) (floor, inverse int) {
	for i := range 3 * x.Len() {
		_, n := x.Floor(i)
		floor = max(floor, n)
		_, n = x.Inverse(axial.Number(i + 2*i/3))
		inverse = max(inverse, n)
	}
	return floor, inverse
}

// Floor and Inverse must take O(log E), a table's Floor O(1). The bounds are those of the
// structures: ceil(log2(E+1)) for a binary search, twice that for a red-black tree.
func TestComparisonsAreLogarithmic(t *testing.T) {
	eachKind(t, func(t *testing.T, k Kind) {
		before := 0
		for _, n := range []int{1, 2, 16, 256, 4096} {
			x := filled(t, k, n)
			search := bits.Len(uint(n))
			floorMost, inverseMost := search, search
			switch x := x.(type) {
			case *Table:
				floorMost = 2
			case *BranchFree:
				floorMost = search + 1
			case *LLRB:
				floorMost, inverseMost = 2*search+1, 2*search+1
			case *O2:
				// A history fills only the last leaf: all others are half full.
				tree := 2 * bits.Len(uint(n/(x.bucket/2)))
				floorMost = tree + bits.Len(uint(x.bucket))
				inverseMost = floorMost
			}
			floor, inverse := most(x)
			if floor > floorMost || inverse > inverseMost {
				t.Errorf("%d records: floor %d comparisons, inverse %d, want at most %d and %d", n, floor, inverse, floorMost, inverseMost)
			}
			if _, isTable := x.(*Table); !isTable && n > 2 && floor <= before {
				t.Errorf("%d records: floor %d comparisons, no more than %d of fewer records: not counted", n, floor, before)
			}
			before = floor
		}
	})
}

// cubical is NewCubicalMap for n+1 chunks in each dimension, in a test.
func cubical(t testing.TB, k Kind, rank, n int) *Map {
	t.Helper()
	m, err := NewCubicalMap(k.New, rank, n+1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Theorems 4.3.1 and 4.3.2: F* and its inverse take O(k + log N) comparisons in an array of N
// chunks that grew cubically, because k searches among N^(1/k) records take log N together. The
// factor is 2 for trees, and for the inverse both the high and the low sides count.
func TestMapComparisons(t *testing.T) {
	eachKind(t, func(t *testing.T, k Kind) {
		for _, rank := range []int{2, 3, 5} {
			for _, n := range []int{0, 7, 63, 255} {
				m := cubical(t, k, rank, n)
				rng := rand.New(rand.NewPCG(1, uint64(n)))
				bound := 3*rank + int(2*math.Log2(float64(m.Chunks())))
				index := make([]int, rank)
				for range 500 {
					q := axial.Number(rng.Int64N(int64(m.Chunks())))
					inverse, _ := m.CountInverse(q, index)
					_, floor, _ := m.Count(index)
					if floor > bound || inverse > bound {
						t.Fatalf("rank %d, %d chunks: F* %d comparisons, inverse %d, want at most %d", rank, m.Chunks(), floor, inverse, bound)
					}
					if _, isTable := m.axes[0].high.(*Table); isTable && floor > 2*rank {
						t.Fatalf("rank %d, %d chunks: F* %d comparisons in tables", rank, m.Chunks(), floor)
					}
				}
			}
		}
	})
}

// Corollary 4.3.1: records and tables take O(k^2 N^(1/k)) memory: k records of k coefficients for
// each index of a cube's side. The test measures the constant: at most 60 words per record and
// dimension, including half-filled buckets and spare capacity.
func TestMemory(t *testing.T) {
	eachKind(t, func(t *testing.T, k Kind) {
		for _, rank := range []int{2, 3, 5} {
			const n = 500
			m := cubical(t, k, rank, n)
			if got := len(m.Log()); got != rank*n+1 {
				t.Fatalf("rank %d: %d records, want %d: one for each extension", rank, got, rank*n+1)
			}
			if perUnit := float64(m.Bytes()) / float64(rank*rank*n); perUnit > 60*8 {
				t.Errorf("rank %d: %.0f bytes a record and dimension", rank, perUnit)
			}
		}
	})
}

// An uninterrupted extension must add no record and no memory.
func TestUninterrupted(t *testing.T) {
	eachKind(t, func(t *testing.T, k Kind) {
		m, _ := history(t, k, []int{2, 2}, high(1, 1))
		bytes := m.Bytes()
		for range 100 {
			if err := m.Extend(1, 5, axial.High); err != nil {
				t.Fatal(err)
			}
		}
		if len(m.Log()) != 2 || m.Bytes() != bytes {
			t.Errorf("%d records, %d bytes, want 2 and %d", len(m.Log()), m.Bytes(), bytes)
		}
	})
}
