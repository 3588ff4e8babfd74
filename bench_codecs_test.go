package drx

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"drx/dtype"
	"drx/nd"
)

// BenchmarkCodecs measures compressed chunks with all cores; -cpu 1,2 compares.
func BenchmarkCodecs(b *testing.B) {
	const edge, chunk = 4096, 512
	values := make([]int16, edge*edge)
	for i := range values {
		values[i] = int16(i%edge*3 + i/edge*2 + i%7)
	}
	for _, c := range []string{"zstd:3", "lz4", "blosc:lz4:5:shuffle", "blosc:zstd:5:bitshuffle"} {
		spec := Spec{DType: dtype.Int16, Shape: []int{edge, edge}, ChunkShape: []int{chunk, chunk}, Codec: c}
		spec.Options = inMemory()
		spec.Options.Cache = 256 << 20
		a, err := Create("a", spec)
		if err == nil {
			err = Write(a, nil, values)
		}
		if err != nil {
			b.Fatal(err)
		}
		rows := nd.Sec(nd.Span(1, edge-1), nd.All) // parts of the outer chunks
		for _, work := range []struct {
			name string
			do   func() error
		}{
			{"write", func() error { return errors.Join(Write(a, nil, values), a.Sync()) }},
			{"write parts", func() error { return errors.Join(Write(a, rows, values[:(edge-2)*edge]), a.Sync()) }},
			{"read", func() error { return ReadInto(a, nil, values) }},
			{"verify", func() error { _, err := a.Verify(context.Background(), nil); return err }},
			{"walk", func() error {
				return ForEach(context.Background(), a, Walk{}, func(Part, []int16) error { return nil })
			}},
		} {
			b.Run(fmt.Sprintf("%s/%s", c, work.name), func(b *testing.B) {
				b.SetBytes(int64(len(values) * 2))
				for b.Loop() {
					if err := work.do(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		if err := a.Discard(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCodecsParts reads an element and squares at random positions of a compressed array of
// 128 MiB, half of which fits the cache.
func BenchmarkCodecsParts(b *testing.B) {
	const edge, chunk = 8192, 512
	values, rng := make([]int16, edge*edge), rand.New(rand.NewPCG(1, 6))
	for i := range values {
		values[i] = int16(3000*math.Sin(float64(i/edge)/90)*math.Cos(float64(i%edge)/70) + 10*rng.NormFloat64())
	}
	for _, c := range []string{"blosc:lz4:5:shuffle", "blosc:zstd:1:shuffle"} {
		spec := Spec{DType: dtype.Int16, Shape: []int{edge, edge}, ChunkShape: []int{chunk, chunk}, Codec: c}
		spec.Options = Options{Cache: 64 << 20, Durability: DurabilityNone}
		name := filepath.Join(b.TempDir(), "a")
		a, err := Create(name, spec)
		if err == nil {
			err = errors.Join(Write(a, nil, values), a.Close())
		}
		if err != nil {
			b.Fatal(err)
		}
		for _, side := range []int{1, 64, 256} {
			b.Run(fmt.Sprintf("%s/%dx%d", c, side, side), func(b *testing.B) {
				a, err := Open(name, Options{})
				if err == nil {
					err = ReadInto(a, nil, values)
				}
				for b.Loop() && err == nil {
					i, j := rng.IntN(edge+1-side), rng.IntN(edge+1-side)
					err = ReadInto(a, nd.Sec(nd.Span(i, i+side), nd.Span(j, j+side)), values[:side*side])
				}
				if err := errors.Join(err, a.Close()); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
