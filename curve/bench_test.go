package curve_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/curve"
)

var sink int

// eachOrder runs a benchmark for every order of a box, including both algorithms for Hilbert's.
func eachOrder(b *testing.B, shape []int, f func(b *testing.B, o curve.Order)) {
	for _, name := range slices.Sorted(maps.Keys(makers)) {
		o := order(b, name, shape...)
		b.Run(fmt.Sprintf("%s/%v", name, shape), func(b *testing.B) {
			b.ReportAllocs()
			f(b, o)
		})
	}
}

// benchShapes are boxes of about 64 Ki elements: cubes with powers of two as sides, and others.
var benchShapes = [][]int{{256, 256}, {250, 260}, {32, 32, 64}, {40, 41, 40}, {16, 16, 16, 16}, {15, 17, 16, 16}}

// BenchmarkPosition prints the time of one Position.
//
//	go test -run '^$' -bench 'Position|Index' ./curve
func BenchmarkPosition(b *testing.B) {
	for _, shape := range benchShapes {
		eachOrder(b, shape, func(b *testing.B, o curve.Order) {
			k := len(shape)
			indices := randomIndices(shape, 1024)
			for i := 0; b.Loop(); i++ {
				at := i % 1024 * k
				q, _ := o.Position(indices[at : at+k])
				sink += q
			}
		})
	}
}

// BenchmarkIndex prints the time of one Index.
func BenchmarkIndex(b *testing.B) {
	for _, shape := range benchShapes {
		eachOrder(b, shape, func(b *testing.B, o curve.Order) {
			rng := rand.New(rand.NewPCG(1, 1))
			positions, index := make([]int, 1024), make([]int, len(shape))
			for i := range positions {
				positions[i] = rng.IntN(o.Len())
			}
			for i := 0; b.Loop(); i++ {
				o.Index(positions[i%1024], index)
			}
		})
	}
}

// BenchmarkPermutation prints the time of Permutation per element.
func BenchmarkPermutation(b *testing.B) {
	for _, shape := range [][]int{{256, 256}, {40, 41, 40}} {
		eachOrder(b, shape, func(b *testing.B, o curve.Order) {
			for b.Loop() {
				if _, err := curve.Permutation(o); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*o.Len()), "ns/element")
		})
	}
}

func randomIndices(shape []int, n int) []int {
	rng := rand.New(rand.NewPCG(1, 1))
	indices := make([]int, n*len(shape))
	for i := range indices {
		indices[i] = rng.IntN(shape[i%len(shape)])
	}
	return indices
}
