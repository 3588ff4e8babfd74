package chunkio

import (
	"fmt"
	"testing"
)

func TestSumOfDistant(t *testing.T) {
	data := make([]byte, 3*sumStep+1)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	for _, n := range []int{0, 1, 7, 63, 64, 65, sumStep - 1, sumStep, sumStep + 1, 2 * sumStep, 3*sumStep + 1} {
		if got, want := sumOfDistant(data[:n]), sumOf(data[:n]); got != want {
			t.Errorf("%d bytes: %08x, want %08x", n, got, want)
		}
	}
}

// BenchmarkSum sums chunks of 512 KiB: one that is in the caches, and many that are not.
func BenchmarkSum(b *testing.B) {
	const chunk = 512 << 10
	sums := []struct {
		name string
		of   func([]byte) uint32
	}{{"sumOf", sumOf}, {"sumOfDistant", sumOfDistant}}
	for _, chunks := range []int{1, 512} {
		data := make([]byte, chunks*chunk)
		for i := range data {
			data[i] = byte(i * 7)
		}
		for _, sum := range sums {
			b.Run(fmt.Sprintf("%d/%s", chunks, sum.name), func(b *testing.B) {
				b.SetBytes(chunk)
				for i := range b.N {
					at := i % chunks * chunk
					sum.of(data[at : at+chunk])
				}
			})
		}
	}
}
