package transfer

import (
	"math/rand/v2"
	"slices"
	"testing"

	"drx"
	"drx/advise"
	"drx/dtype"
)

// The bounds of the file's chunks are bounds of the array's chunks, or the other way round, and chunks have about 1 MiB.
func TestAlignedChunk(t *testing.T) {
	for _, c := range []struct {
		file, shape, want []int
		size              int
	}{
		{[]int{8, 181, 360}, []int{208, 721, 1440}, []int{4, 181, 360}, 4},
		{[]int{8, 181, 360}, []int{208, 721, 1440}, []int{8, 181, 360}, 2},
		{[]int{1, 721, 1440}, []int{0, 721, 1440}, []int{1, 103, 1440}, 4},
		{[]int{1, 719, 1440}, []int{0, 719, 1440}, nil, 4}, // a prime number
		{[]int{512}, []int{0}, []int{32768}, 8},
		{[]int{10, 10}, []int{10, 10}, []int{10, 10}, 8},
		{[]int{1 << 30, 1 << 30}, []int{0, 0}, nil, 8},
	} {
		if got := alignedChunk(c.file, c.shape, c.size); !slices.Equal(got, c.want) {
			t.Errorf("%v in %v: %v, want %v", c.file, c.shape, got, c.want)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		file, shape, size := make([]int, 3), make([]int, 3), 1<<random.IntN(4)
		for d := range file {
			file[d] = 1 + random.IntN(1<<(1+3*random.IntN(4)))
			shape[d] = random.IntN(3000)
		}
		got := alignedChunk(file, shape, size)
		if got == nil {
			continue
		}
		bytes, more := size, false
		for d, n := range got {
			bytes *= n
			cut := file[d]
			if shape[d] > 0 {
				cut = min(cut, shape[d])
			}
			if cut%n != 0 && n%cut != 0 && n != shape[d] {
				t.Errorf("%v in %v of %d bytes: %v", file, shape, size, got)
			}
			more = more || n < shape[d] || shape[d] == 0
		}
		if bytes > importChunk || more && bytes < leastChunk {
			t.Errorf("%v in %v of %d bytes: %v has %d bytes", file, shape, size, got, bytes)
		}
	}
}

// Without chunks in the file the shape is good for reads of boxes with equal extents: they touch at most 1.4 times as many chunks as with the
// best shape for them, which docs/FORMATS.md says.
func TestChunkWithoutChunks(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	for range 300 {
		rank, size, edge := 1+random.IntN(4), 1<<random.IntN(4), 1<<(2+random.IntN(4))
		shape, box := make([]int, rank), make([]int, rank)
		for d := range shape {
			shape[d] = 1 + random.IntN(3000)
			box[d] = min(edge, shape[d])
		}
		p := advise.Problem{
			Accesses: []advise.Access{{Box: box, Weight: 1}}, ElemSize: size, Block: importChunk, Floor: leastChunk, Shape: shape,
		}
		best, err := advise.Best(p)
		if err != nil {
			t.Fatal(err)
		}
		o := planner{}
		got := o.chunkShape(plannedVar{spec: drx.Spec{DType: typeOf(size), Shape: shape}}, "")
		cost, err := advise.Of(p, got)
		if err != nil {
			t.Fatal(err)
		}
		if ratio := cost.Chunks / best.Chunks; ratio > 1.4 {
			t.Errorf("%v in %v of %d bytes: %v needs %.3f chunks, %v %.3f", box, shape, size, got, cost.Chunks, best.Chunk, best.Chunks)
		}
	}
}

// typeOf returns a type with elements of so many bytes.
func typeOf(size int) dtype.DType {
	return map[int]dtype.DType{1: dtype.Uint8, 2: dtype.Int16, 4: dtype.Float32, 8: dtype.Float64}[size]
}
