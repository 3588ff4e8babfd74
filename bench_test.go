package drx

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"drx/dtype"
	"drx/nd"
)

// benchArray is 4096 x 4096 float64 in chunks of 256 x 256, written and committed.
func benchArray(b *testing.B) *Array { return benchArrayAs(b, "a") }

// benchArrayAs is benchArray with a name, which determines the form.
func benchArrayAs(b *testing.B, name string) *Array {
	b.Helper()
	a, err := Create(filepath.Join(b.TempDir(), name), Spec{DType: dtype.Float64, Shape: []int{4096, 4096}, ChunkShape: []int{256, 256}, Options: Options{Cache: 1 << 30}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := a.Close(); err != nil {
			b.Error(err)
		}
	})
	rows := slices.Repeat([]float64{1.5}, 256*4096)
	for i := 0; i < 4096; i += 256 {
		if err := Write(a, nd.Sec(nd.Span(i, i+256), nd.All), rows); err != nil {
			b.Fatal(err)
		}
	}
	if err := a.Sync(); err != nil {
		b.Fatal(err)
	}
	return a
}

// BenchmarkRead reads sections with a warm page cache, in row- and column-major order.
func BenchmarkRead(b *testing.B) {
	for _, name := range bothForms {
		b.Run(name, func(b *testing.B) { benchmarkRead(b, benchArrayAs(b, name)) })
	}
}

func benchmarkRead(b *testing.B, a *Array) {
	for _, c := range []struct {
		name string
		edge int
	}{{"element", 1}, {"8x8", 8}, {"64x64", 64}, {"256x256", 256}, {"1024x1024", 1024}} {
		for _, order := range []struct {
			name  string
			order nd.Order
		}{{"row", nd.RowMajor}, {"col", nd.ColMajor(2)}} {
			b.Run(c.name+"/"+order.name, func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				buf := make([]float64, c.edge*c.edge)
				b.SetBytes(int64(8 * len(buf)))
				for b.Loop() {
					i, j := rng.IntN(4097-c.edge), rng.IntN(4097-c.edge)
					if err := ReadInto(a, nd.Sec(nd.Span(i, i+c.edge), nd.Span(j, j+c.edge)), buf, order.order); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkAppend extends by 16 MiB, writes them and commits.
func BenchmarkAppend(b *testing.B) {
	for _, name := range bothForms {
		b.Run(name, func(b *testing.B) { benchmarkAppend(b, name) })
	}
}

func benchmarkAppend(b *testing.B, name string) {
	a, err := Create(filepath.Join(b.TempDir(), name), Spec{DType: dtype.Float64, Shape: []int{0, 4096}, ChunkShape: []int{256, 256}, Options: Options{Cache: 1 << 30}})
	if err != nil {
		b.Fatal(err)
	}
	rows := slices.Repeat([]float64{1.5}, 512*4096)
	b.SetBytes(int64(8 * len(rows)))
	for b.Loop() {
		added, err := a.Extend(0, 512)
		if err == nil {
			err = Write(a, added, rows)
		}
		if err == nil {
			err = a.Sync()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkAt reads random elements of chunks in memory.
func BenchmarkAt(b *testing.B) {
	a := benchArray(b)
	if _, err := At[float64](a, 0, 0); err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		if _, err := At[float64](a, rng.IntN(256), rng.IntN(4096)); err != nil {
			b.Fatal(err)
		}
	}
}
