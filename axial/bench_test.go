package axial_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"drx/axial"
)

// rowMajor is the reference: the address in a plain array by its dope vector, without the bounds
// check of F*.
//
//go:noinline
func rowMajor(index, coef []int) int {
	q := 0
	for d, i := range index {
		q += i * coef[d]
	}
	return q
}

// cyclic returns a grid extended n times, one dimension after the other, and random
// indices of it, one after the other in a flat slice.
func cyclic(b *testing.B, k, n int) (*axial.Grid, []int) {
	extents := make([]int, k)
	for d := range extents {
		extents[d] = 8
	}
	steps := make([]grow, n)
	for i := range steps {
		steps[i] = high(i%k, 1)
	}
	g := history(b, extents, steps...)
	rng := rand.New(rand.NewPCG(1, 1))
	indices := make([]int, 4096*k)
	for i := range indices {
		indices[i] = rng.IntN(g.Hi()[i%k])
	}
	return g, indices
}

// BenchmarkNumber compares F* with a row-major dope vector, alternating between the two. Metrics:
// ns of each and their ratio, as medians.
//
//	go test -run '^$' -bench Number ./axial
func BenchmarkNumber(b *testing.B) {
	for k := 2; k <= 7; k++ {
		for _, n := range []int{0, 8, 64, 1024} {
			b.Run(fmt.Sprintf("k=%d/extensions=%d", k, n), func(b *testing.B) {
				g, indices := cyclic(b, k, n)
				extents := g.Shape()
				coef := make([]int, k)
				for d, c := k-1, 1; d >= 0; d-- {
					coef[d] = c
					c *= extents[d]
				}
				sum, turns := 0, 8
				var mapped, plain []float64
				b.ReportAllocs()
				for done := 0; done < b.N || len(mapped) < 9; done += turns * len(indices) / k {
					start := time.Now()
					for range turns {
						for at := 0; at < len(indices); at += k {
							q, _ := g.Number(indices[at : at+k : at+k])
							sum += int(q)
						}
					}
					middle := time.Now()
					for range turns {
						for at := 0; at < len(indices); at += k {
							sum += rowMajor(indices[at:at+k:at+k], coef)
						}
					}
					calls := float64(turns * len(indices) / k)
					mapped = append(mapped, float64(middle.Sub(start))/calls)
					plain = append(plain, float64(time.Since(middle))/calls)
				}
				sink = sum
				b.ReportMetric(median(mapped), "ns/F*")
				b.ReportMetric(median(plain), "ns/row-major")
				b.ReportMetric(median(mapped)/median(plain), "ratio")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

var sink int

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// BenchmarkExtend times an extension of a 3-D grid by one chunk: cyclic, with a record each, and
// uninterrupted, without new records.
func BenchmarkExtend(b *testing.B) {
	for _, c := range []struct {
		name string
		dims int
	}{{"cyclic", 2}, {"uninterrupted", 1}} {
		b.Run(c.name, func(b *testing.B) {
			start, _ := axial.New([]int{0, 0, 0}, []int{1, 1, 1})
			g := start
			b.ReportAllocs()
			for i := range b.N {
				if i%(1<<20) == 0 {
					g = start
				}
				g, _ = g.Extend(i%c.dims, 1, axial.High)
			}
		})
	}
}

// BenchmarkSearch times F* of dimensions that are too large for tables, for random chunks and for
// chunks next to the previous one.
func BenchmarkSearch(b *testing.B) {
	const step = 1 << 20
	for _, n := range []int{8, 64, 1024} {
		g, err := axial.New([]int{0, 0}, []int{step, step})
		for i := 0; i < n && err == nil; i++ {
			g, err = g.Extend(i%2, step, axial.High)
		}
		if err != nil {
			b.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		random, local := make([]int, 1<<14), make([]int, 1<<14)
		at := []int{g.Hi()[0] / 2, g.Hi()[1] / 2}
		for i := range random {
			random[i] = rng.IntN(g.Hi()[i%2])
			at[i%2] += rng.IntN(3) - 1
			local[i] = at[i%2]
		}
		for _, c := range []struct {
			name    string
			indices []int
		}{{"random", random}, {"local", local}} {
			b.Run(fmt.Sprintf("extensions=%d/%s", n, c.name), func(b *testing.B) {
				for i := range b.N {
					at := 2 * i % len(c.indices)
					q, _ := g.Number(c.indices[at : at+2])
					sink += int(q)
				}
			})
		}
	}
}
