package lookup

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"drx/axial"
)

var benchKinds = Kinds(4, 16, 64, 256)

var sink int

// BenchmarkFloor times one Floor, of random keys and of keys that move by a step now and
// then, over the number of records.
//
//	go -C bench test -run '^$' -bench Floor ./study/lookup
func BenchmarkFloor(b *testing.B) {
	for _, n := range []int{1, 8, 64, 1024, 16384} {
		for _, local := range []bool{false, true} {
			for _, k := range benchKinds {
				b.Run(fmt.Sprintf("records=%d/%s/%s", n, access(local), k.Name), func(b *testing.B) {
					x := filled(b, k, n)
					keys := walk(3*n, local)
					b.ReportAllocs()
					b.ResetTimer()
					for i := range b.N {
						r, _ := x.Floor(keys[i%len(keys)])
						sink += r.Start
					}
				})
			}
		}
	}
}

func access(local bool) string {
	if local {
		return "local"
	}
	return "random"
}

// walk returns keys of [0, n), random or each beside the one before.
func walk(n int, local bool) []int {
	rng := rand.New(rand.NewPCG(1, 1))
	keys := make([]int, 1<<14)
	at := n / 2
	for i := range keys {
		if local {
			at = min(max(at+rng.IntN(3)-1, 0), n-1)
		} else {
			at = rng.IntN(n)
		}
		keys[i] = at
	}
	return keys
}

// BenchmarkInverse times one Inverse of random numbers.
func BenchmarkInverse(b *testing.B) {
	for _, n := range []int{1, 64, 1024} {
		for _, k := range benchKinds {
			b.Run(fmt.Sprintf("records=%d/%s", n, k.Name), func(b *testing.B) {
				x := filled(b, k, n)
				keys := walk(5*n, false)
				for i := range b.N {
					r, _ := x.Inverse(axial.Number(keys[i%len(keys)]))
					sink += r.Start
				}
			})
		}
	}
}

// BenchmarkRebuild times a record of a rebuild from the log, and reports the memory held.
func BenchmarkRebuild(b *testing.B) {
	for _, k := range benchKinds {
		b.Run(k.Name, func(b *testing.B) {
			const n = 1024
			log := filled(b, k, n)
			var x Index
			for range b.N {
				x = k.New()
				if err := InsertAll(x, log.All()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N*n), "ns/record")
			b.ReportMetric(float64(x.Bytes())/n, "bytes/record")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkNumber times F* of random chunks of arrays grown cubically, over the rank and
// the number of records, beside axial.Grid.
func BenchmarkNumber(b *testing.B) {
	for _, rank := range []int{2, 3, 5, 7} {
		for _, records := range []int{1, 64, 1024} {
			n := records / rank
			name := fmt.Sprintf("k=%d/records=%d/", rank, records)
			for _, k := range benchKinds {
				b.Run(name+k.Name, func(b *testing.B) {
					m := cubical(b, k, rank, n)
					b.ResetTimer()
					indices := walk(n+1, false)
					for i := range b.N {
						at := i * rank % (len(indices) - rank)
						q, _ := m.Number(indices[at : at+rank])
						sink += int(q)
					}
				})
			}
			b.Run(name+"grid", func(b *testing.B) {
				g, _ := axial.New(cubical(b, kinds[0], rank, 0).Lo(), cubical(b, kinds[0], rank, 0).Hi())
				for i := range n * rank {
					g, _ = g.Extend((i+1)%rank, 1, axial.High)
				}
				indices := walk(n+1, false)
				b.ResetTimer()
				for i := range b.N {
					at := i * rank % (len(indices) - rank)
					q, _ := g.Number(indices[at : at+rank])
					sink += int(q)
				}
			})
		}
	}
}
