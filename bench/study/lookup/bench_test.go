package lookup

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"drx/axial"
)

// The experiments lookup-floor and lookup-rank of the benchmark compare Floor and F*.

var benchKinds = Kinds(4, 16, 64, 256)

var sink int

// BenchmarkInverse times one Inverse of random numbers.
func BenchmarkInverse(b *testing.B) {
	for _, n := range []int{1, 64, 1024} {
		for _, k := range benchKinds {
			b.Run(fmt.Sprintf("records=%d/%s", n, k.Name), func(b *testing.B) {
				x := filled(b, k, n)
				rng := rand.New(rand.NewPCG(1, 1))
				numbers := make([]axial.Number, 1<<14)
				for i := range numbers {
					numbers[i] = axial.Number(rng.IntN(5 * n))
				}
				b.ResetTimer()
				for i := range b.N {
					r, _ := x.Inverse(numbers[i%len(numbers)])
					sink += r.Start
				}
			})
		}
	}
}

// BenchmarkRebuild measures the time per record of a rebuild from the log, and reports the memory
// held.
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
