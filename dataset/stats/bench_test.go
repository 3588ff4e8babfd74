package stats

import (
	"context"
	"path/filepath"
	"testing"

	"drx"
	"drx/dtype"
)

// BenchmarkMean measures means of an array of 64 MiB, over its first dimension and over all, and
// plain reading of the array.
func BenchmarkMean(b *testing.B) {
	const times, side = 256, 256
	a, err := drx.Create(filepath.Join(b.TempDir(), "a"), drx.Spec{DType: dtype.Float32, Shape: []int{times, side, side}, ChunkShape: []int{8, 128, 128}})
	if err != nil {
		b.Fatal(err)
	}
	defer a.Discard()
	data := make([]float32, times*side*side)
	for i := range data {
		data[i] = float32(i % 1000)
	}
	if err := drx.Write(a, nil, data); err != nil {
		b.Fatal(err)
	}
	if err := a.Sync(); err != nil {
		b.Fatal(err)
	}
	month := &Grouping{Dim: 0, Names: make([]string, 12)}
	for i := range times {
		month.of = append(month.of, span{i / 30 % 12, i/30%12 + 1})
	}
	mean := []Func{{Op: Mean}}
	for _, c := range []struct {
		name string
		req  Request
	}{
		{"time", Request{Over: []int{0}, Funcs: mean}},
		{"all", Request{Funcs: mean}},
		{"months", Request{Groups: []*Grouping{month}, Funcs: mean}},
		{"median", Request{Over: []int{0}, Funcs: []Func{Median}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(4 * len(data)))
			for b.Loop() {
				if _, err := Compute(context.Background(), a, c.req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("reading", func(b *testing.B) {
		b.SetBytes(int64(4 * len(data)))
		for b.Loop() {
			if err := drx.ReadInto(a, nil, data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
