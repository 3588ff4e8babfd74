package transfer

import (
	"math/rand/v2"
	"slices"
	"testing"

	"drx"
	"drx/advise"
	"drx/dtype"
	"drx/formats"
)

// The boundaries of the file's chunks must be boundaries of the array's chunks, or the reverse, and
// chunks must have about 1 MiB.
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
		if got := alignedChunk(c.file, c.shape, c.size, leastChunk); !slices.Equal(got, c.want) {
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
		got := alignedChunk(file, shape, size, leastChunk)
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

// If the file has no chunks, the shape must be good for reads of boxes with equal extents: they
// must touch at most 1.4 times as many chunks as with the best shape for them, as docs/FORMATS.md
// says.
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
		got := o.chunkShape(varPlan{spec: drx.Spec{DType: typeOf(size), Shape: shape}}, make([]bool, rank))
		cost, err := advise.Of(p, got)
		if err != nil {
			t.Fatal(err)
		}
		if ratio := cost.Chunks / best.Chunks; ratio > 1.4 {
			t.Errorf("%v in %v of %d bytes: %v needs %.3f chunks, %v %.3f", box, shape, size, got, cost.Chunks, best.Chunk, best.Chunks)
		}
	}
}

// typeOf returns a type whose elements have size bytes.
func typeOf(size int) dtype.DType {
	return map[int]dtype.DType{1: dtype.Uint8, 2: dtype.Int16, 4: dtype.Float32, 8: dtype.Float64}[size]
}

// An array that grows and begins with few elements has chunks of about its initial size, at least
// 16 KiB, or 4 KiB for a coordinate, whether its file has chunks or not. If it is compressed, they
// are so large that a codec can save blocks. A small array grows along the times of its file.
// Others get the usual chunks.
func TestChunkOfSmallArrays(t *testing.T) {
	gzip := formats.CodecSpec{Name: "gzip", Level: 4}
	ofUnits := func(units string) []formats.Info {
		return []formats.Info{{Name: "d0", Dims: []string{"d0"}, Shape: []int{1}, Attrs: map[string]any{"units": units}}}
	}
	hours, metres := ofUnits("hours since 2020-01-01"), ofUnits("m")
	for _, c := range []struct {
		what        string
		shape, file []int
		growing     string
		unlimited   bool
		size        int
		codec       formats.CodecSpec
		option      string
		others      []formats.Info
		want        []int
	}{
		{what: "coordinate", shape: []int{8}, growing: "d0", size: 8, want: []int{512}},
		{what: "coordinate that the file lets grow", shape: []int{8}, file: []int{512}, unlimited: true, size: 8, want: []int{512}},
		{what: "coordinate in chunks of a MiB", shape: []int{8}, file: []int{1 << 17}, unlimited: true, size: 8, want: []int{512}},
		{what: "nothing yet", shape: []int{0}, file: []int{1 << 17}, unlimited: true, size: 8, want: []int{8192}},
		{what: "nothing yet, without chunks", shape: []int{0, 3}, growing: "d0", size: 4, want: []int{8192, 3}},
		{what: "coordinate of some values", shape: []int{10_000}, growing: "d0", size: 8, want: []int{10_000}},
		{what: "long coordinate", shape: []int{100_000}, growing: "d0", size: 8, want: []int{1 << 17}},
		{what: "temperatures", shape: []int{8, 15, 28}, growing: "d0", size: 4, want: []int{16, 15, 28}},
		{what: "temperatures in chunks of a day", shape: []int{8, 15, 28}, file: []int{8, 15, 28}, unlimited: true, size: 4, want: []int{16, 15, 28}},
		{what: "temperatures in chunks of a time", shape: []int{8, 15, 28}, file: []int{1, 15, 28}, unlimited: true, size: 4, want: []int{16, 15, 28}},
		{what: "one time", shape: []int{1, 15, 28}, file: []int{1, 15, 28}, unlimited: true, size: 4, want: []int{16, 15, 28}},
		{what: "temperatures in chunks of a year", shape: []int{8, 15, 28}, file: []int{2920, 15, 28}, unlimited: true, size: 4, want: []int{16, 15, 28}},
		{what: "compressed", shape: []int{8, 15, 28}, file: []int{8, 15, 28}, unlimited: true, size: 4, codec: gzip, want: []int{128, 15, 28}},
		{what: "to be compressed", shape: []int{8, 15, 28}, file: []int{8, 15, 28}, unlimited: true, size: 4, option: "lz4", want: []int{128, 15, 28}},
		{what: "not to be compressed", shape: []int{8, 15, 28}, growing: "d0", size: 4, codec: gzip, option: "none", want: []int{16, 15, 28}},
		{what: "does not grow", shape: []int{8}, size: 8, want: []int{8}},
		{what: "hours of a file that does not let them grow", shape: []int{1}, size: 8, others: hours, want: []int{512}},
		{what: "a time of such a file", shape: []int{1, 15, 28}, size: 4, others: hours, want: []int{16, 15, 28}},
		{what: "a compressed time", shape: []int{1, 15, 28}, file: []int{1, 15, 28}, size: 4, codec: gzip, others: hours, want: []int{128, 15, 28}},
		{what: "metres are no times", shape: []int{1}, size: 8, others: metres, want: []int{1}},
		{what: "many times", shape: []int{3000, 15, 28}, file: []int{1, 15, 28}, size: 4, others: hours, want: []int{256, 15, 28}},
		{what: "large ones", shape: []int{8, 181, 360}, file: []int{1, 181, 360}, unlimited: true, size: 4, want: []int{2, 181, 360}},
	} {
		dims := []string{"d0", "d1", "d2"}[:len(c.shape)]
		p := varPlan{
			info: formats.Info{Chunk: c.file, Unlimited: make([]bool, len(c.shape)), Codec: c.codec},
			spec: drx.Spec{DType: typeOf(c.size), Shape: c.shape, Dims: dims},
		}
		p.info.Unlimited[0] = c.unlimited
		o := planner{}
		o.Codec = c.option
		if got := o.chunkShape(p, growingDims(p, c.growing, c.others)); !slices.Equal(got, c.want) {
			t.Errorf("%s, %v in %v: chunks of %v, want %v", c.what, c.shape, c.file, got, c.want)
		}
	}
}
