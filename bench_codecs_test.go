package drx

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"drx/dtype"
	"drx/nd"
)

// BenchmarkCodecs measures what all cores do together with compressed chunks; -cpu 1,2 compares.
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
