package drx

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"drx/dtype"
	"drx/nd"
)

// gigabyte is a committed array of 1 GiB of float64 in chunks of 512 KiB, in the page cache, open
// for reading.
func gigabyte(b *testing.B, o Options) *Array {
	b.Helper()
	name := filepath.Join(b.TempDir(), "a")
	a, err := Create(name, Spec{DType: dtype.Float64, Shape: []int{16384, 8192}, ChunkShape: []int{256, 256}, Options: Options{Durability: DurabilityNone}})
	if err != nil {
		b.Fatal(err)
	}
	rows := make([]float64, 256*8192)
	for i := range rows {
		rows[i] = rand.Float64()
	}
	for i := 0; i < 16384; i += 256 {
		if err := Write(a, nd.Sec(nd.Span(i, i+256), nd.All), rows); err != nil {
			b.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
	if a, err = Open(name, o); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := a.Close(); err != nil {
			b.Error(err)
		}
	})
	return a
}

// total is the sum of data, computed as four sums so that memory is the limit.
func total(_ Part, data []float64) float64 {
	var s [4]float64
	for ; len(data) >= 4; data = data[4:] {
		s[0] += data[0]
		s[1] += data[1]
		s[2] += data[2]
		s[3] += data[3]
	}
	for _, x := range data {
		s[0] += x
	}
	return s[0] + s[1] + s[2] + s[3]
}

var totalSink float64

// BenchmarkReduce sums 1 GiB in the page cache and, each time, the same number of elements of a
// slice in a plain loop with one goroutine. It reports its speed relative to that of the loop.
func BenchmarkReduce(b *testing.B) {
	slice := make([]float64, 1<<27)
	for i := range slice {
		slice[i] = float64(i)
	}
	for _, c := range []struct {
		name string
		o    Options
		walk Walk
	}{
		{"chunks", Options{}, Walk{}},
		{"chunks/1goroutine", Options{Goroutines: 1}, Walk{}},
		{"chunks/cache4GiB", Options{Cache: 4 << 30}, Walk{}},
		{"tiles1024x1024", Options{}, Walk{Tile: []int{1024, 1024}}},
		{"written", Options{}, Walk{Written: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			a := gigabyte(b, c.o)
			var reduce, loop time.Duration
			for b.Loop() {
				start := time.Now()
				s, err := Reduce(context.Background(), a, c.walk, 0, total, add)
				if err != nil {
					b.Fatal(err)
				}
				middle := time.Now()
				totalSink += s + total(Part{}, slice)
				reduce += middle.Sub(start)
				loop += time.Since(middle)
			}
			b.ReportMetric(float64(b.N)/reduce.Seconds(), "GiB/s")
			b.ReportMetric(loop.Seconds()/reduce.Seconds(), "of-loop")
		})
	}
}

// BenchmarkForEachSmall processes chunks of 512 bytes, to measure the cost per part.
func BenchmarkForEachSmall(b *testing.B) {
	a, err := Create(filepath.Join(b.TempDir(), "a"), Spec{DType: dtype.Float64, Shape: []int{1 << 20}, ChunkShape: []int{64}, Options: Options{Durability: DurabilityNone}})
	if err == nil {
		err = Fill(a, nil, 1.0)
	}
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := ForEach(context.Background(), a, Walk{}, func(Part, []float64) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(1<<14), "ns/part")
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
}
