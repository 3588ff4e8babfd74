package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// plain computes the product term by term, as the package comment defines it.
func plain(m, n, k int, alpha float64, a, b Matrix, c []float64, ldc int) {
	at := func(x Matrix, i, j int) float64 {
		if x.Transposed {
			i, j = j, i
		}
		return x.Data[i*x.Stride+j]
	}
	for i := range m {
		for j := range n {
			for p := 0; p < k; p += blockK {
				sum := 0.0
				for q := p; q < min(p+blockK, k); q++ {
					sum = math.FMA(at(a, i, q), at(b, q, j), sum)
				}
				c[i*ldc+j] = math.FMA(alpha, sum, c[i*ldc+j])
			}
		}
	}
}

// random returns a matrix with random elements, and gaps between its rows.
func random(rng *rand.Rand, rows, cols int, transposed bool) Matrix {
	if transposed {
		rows, cols = cols, rows
	}
	stride := cols + rng.IntN(4)
	return Matrix{numbers(rng, rows*stride), stride, transposed}
}

func numbers(rng *rand.Rand, n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = rng.NormFloat64()
	}
	return s
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// sizes returns random extents: near the sizes of kernels and blocks, and small ones.
func sizes(rng *rand.Rand) (m, n, k int) {
	pick := func(edges ...int) int {
		if rng.IntN(2) == 0 {
			return 1 + rng.IntN(40)
		}
		return max(1, edges[rng.IntN(len(edges))]-1+rng.IntN(3))
	}
	return pick(8, 24, 96), pick(8, 16, 24, blockCols), pick(1, 8, blockK, 2*blockK)
}

// All kernels give the bits of the plain product, with any number of goroutines, and change nothing
// between the rows of C.
func TestMulHasTheBitsOfThePlainProduct(t *testing.T) {
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m, n, k := sizes(rng)
		a, b := random(rng, m, k, seed&1 != 0), random(rng, k, n, seed&2 != 0)
		alpha := []float64{1, -1, 0.3}[seed%3]
		c := random(rng, m, n, false)
		want := slices.Clone(c.Data)
		plain(m, n, k, alpha, a, b, want, c.Stride)
		for _, kn := range kernels {
			for workers := range 3 {
				got := slices.Clone(c.Data)
				kn.mul(workers, m, n, k, alpha, a, b, got, c.Stride)
				if !sameBits(got, want) {
					t.Fatalf("seed %d, kernel %s, %d goroutines: %d x %d x %d differs", seed, kn.name, workers, m, n, k)
				}
			}
		}
	}
}

// The bits of a product do not depend on the division among goroutines.
func TestMulByAnyNumberOfGoroutines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const m, n, k = 331, 500, 300
	a, b, c := random(rng, m, k, false), random(rng, k, n, true), random(rng, m, n, false)
	want := slices.Clone(c.Data)
	kernels[0].mul(1, m, n, k, 1, a, b, want, c.Stride)
	for _, kn := range kernels {
		for _, workers := range []int{2, 3, 7, 100} {
			got := slices.Clone(c.Data)
			kn.mul(workers, m, n, k, 1, a, b, got, c.Stride)
			if !sameBits(got, want) {
				t.Errorf("kernel %s with %d goroutines: the bits differ", kn.name, workers)
			}
		}
	}
}

// Signs of zeros, NaN and infinities agree with the plain product, also at the edges of tiles.
func TestMulSpecialNumbers(t *testing.T) {
	special := []float64{0, negativeZero, 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		m, n, k := 1+rng.IntN(17), 1+rng.IntN(30), 1+rng.IntN(3)
		a, b, c := random(rng, m, k, false), random(rng, k, n, false), random(rng, m, n, false)
		for _, data := range [][]float64{a.Data, b.Data, c.Data} {
			for i := range data {
				data[i] = special[rng.IntN(len(special))]
			}
		}
		want := slices.Clone(c.Data)
		plain(m, n, k, 1, a, b, want, c.Stride)
		for _, kn := range kernels {
			got := slices.Clone(c.Data)
			kn.mul(1, m, n, k, 1, a, b, got, c.Stride)
			for i := range want {
				if math.IsNaN(want[i]) != math.IsNaN(got[i]) || !math.IsNaN(want[i]) && math.Float64bits(want[i]) != math.Float64bits(got[i]) {
					t.Fatalf("seed %d, kernel %s: element %d is %v, want %v", seed, kn.name, i, got[i], want[i])
				}
			}
		}
	}
}

// Products of 16-bit integers are exact.
func TestGramIsExactForIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const rows, cols, stride = 1024, 27, 29
	x := make([]float64, rows*stride)
	for i := range x {
		x[i] = float64(math.MaxUint16 - rng.IntN(3))
	}
	for _, kn := range kernels {
		c := numbers(rng, cols*cols)
		kn.gram(c, x, rows, cols, stride)
		for i := range cols {
			for j := i; j < cols; j++ {
				sum := int64(0)
				for r := range rows {
					sum += int64(x[r*stride+i]) * int64(x[r*stride+j])
				}
				if c[i*cols+j] != float64(sum) || sum < 1<<40 {
					t.Fatalf("kernel %s: element %d, %d is %v, want %d", kn.name, i, j, c[i*cols+j], sum)
				}
			}
		}
	}
}

// The upper triangle of Gram has the same bits as Mul.
func TestGramHasTheBitsOfMul(t *testing.T) {
	for seed, size := range [][2]int{{1, 1}, {3, 8}, {256, 25}, {257, 23}, {700, 49}, {30, 241}, {10, 500}, {0, 3}} {
		rng := rand.New(rand.NewPCG(uint64(seed), 4))
		rows, cols := size[0], size[1]
		x := random(rng, rows, cols, false)
		want := make([]float64, cols*cols)
		plain(cols, cols, rows, 1, x.T(), x, want, cols)
		for _, kn := range kernels {
			got := numbers(rng, cols*cols)
			kn.gram(got, x.Data, rows, cols, x.Stride)
			for i := range cols {
				if !sameBits(got[i*cols+i:(i+1)*cols], want[i*cols+i:(i+1)*cols]) {
					t.Errorf("kernel %s, %d x %d: row %d differs", kn.name, rows, cols, i)
				}
			}
		}
	}
}

// Two concurrent products do not disturb each other, because they share no workspace.
func TestMulAtTheSameTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const n = 100
	a, b := random(rng, n, n, false), random(rng, n, n, false)
	want := make([]float64, n*n)
	Mul(1, n, n, n, 1, a, b, want, n)
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			for range 20 {
				got := make([]float64, n*n)
				Mul(2, n, n, n, 1, a, b, got, n)
				if !sameBits(got, want) {
					t.Fatal("the bits differ")
				}
			}
		})
	}
}
