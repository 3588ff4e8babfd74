package drx

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"drx/dtype"
	"drx/nd"
)

// BenchmarkElementOrder reads single elements, neighbourhoods and lines at random positions of 2048
// x 2048 and of 128 x 128 x 128 float64. The chunks have 512 KiB and 256 KiB, with elements in each
// order; the files are in the page cache.
func BenchmarkElementOrder(b *testing.B) {
	for _, order := range elementOrders {
		b.Run(string(order), func(b *testing.B) {
			flat := benchOrder(b, order, []int{2048, 2048}, []int{256, 256})
			for _, box := range []struct {
				name string
				size []int
			}{{"element", []int{1, 1}}, {"3x3", []int{3, 3}}, {"16x16", []int{16, 16}}, {"64x64", []int{64, 64}}, {"row", []int{1, 2048}}, {"column", []int{2048, 1}}} {
				b.Run(box.name, func(b *testing.B) { benchBoxes(b, flat, box.size, 1) })
			}
			b.Run("chunk", func(b *testing.B) { benchBoxes(b, flat, []int{256, 256}, 256) })
			b.Run("gather", func(b *testing.B) { benchGather(b, flat) })
			deep := benchOrder(b, order, []int{128, 128, 128}, []int{32, 32, 32})
			b.Run("3x3x3", func(b *testing.B) { benchBoxes(b, deep, []int{3, 3, 3}, 1) })
			b.Run("8x8x8", func(b *testing.B) { benchBoxes(b, deep, []int{8, 8, 8}, 1) })
		})
	}
}

func benchOrder(b *testing.B, order ElementOrder, shape, chunk []int) *Array {
	b.Helper()
	a, err := Create(filepath.Join(b.TempDir(), "a"), Spec{DType: dtype.Float64, Shape: shape, ChunkShape: chunk, Order: order})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = a.Close() })
	n, _ := a.Bounds().Len()
	elements := make([]float64, n)
	for i := range elements {
		elements[i] = float64(i)
	}
	if err := Write(a, nil, elements); err != nil {
		b.Fatal(err)
	}
	if err := a.Sync(); err != nil {
		b.Fatal(err)
	}
	if _, err := Read[float64](a, nil); err != nil { // checks the chunks
		b.Fatal(err)
	}
	return a
}

// benchBoxes reads boxes of a size at random multiples of align.
func benchBoxes(b *testing.B, a *Array, size []int, align int) {
	rng := rand.New(rand.NewPCG(1, 1))
	n, _ := nd.Product(size...)
	buf, sec := make([]float64, n), make(nd.Section, len(size))
	b.SetBytes(int64(8 * n))
	for b.Loop() {
		for d, extent := range a.Shape() {
			lo := rng.IntN((extent-size[d])/align+1) * align
			sec[d] = nd.Span(lo, lo+size[d])
		}
		if err := ReadInto(a, sec, buf); err != nil {
			b.Fatal(err)
		}
	}
}

// benchGather reads 8192 elements with random indices at a time.
func benchGather(b *testing.B, a *Array) {
	rng := rand.New(rand.NewPCG(1, 1))
	values, indices := make([]float64, 1<<13), make([]int, 2<<13)
	for i := range indices {
		indices[i] = rng.IntN(2048)
	}
	b.SetBytes(int64(8 * len(values)))
	for b.Loop() {
		if err := Gather(a, indices, values); err != nil {
			b.Fatal(err)
		}
	}
}
