//go:build (hdf5 || netcdf) && cgo

package h5filter

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"unsafe"

	"drx/formats"
	"drx/internal/codec"
)

// filters are the filters, with parameters of all kinds.
var filters = []struct {
	id     int
	values []uint32
}{
	{Zstd, nil},
	{Zstd, []uint32{19}},
	{Zstd, []uint32{1 << 31}},
	{LZ4, nil},
	{LZ4, []uint32{64}},
	{LZ4, []uint32{1 << 30}},
	{Blosc, nil},
	{Blosc, []uint32{2, 2, 4, 4096, 9, 2, 5}},
	{Blosc, []uint32{2, 2, 4, 4096, 5, 1, 0}},
	{Blosc, []uint32{2, 2, 999, 4096, 0, 0, 1}},
	{Blosc, []uint32{0, 0, 0, 0, 99, 99, 99}},
}

// run encodes or decodes by a filter of libhdf5, and returns a copy of the result.
func run(id int, reverse bool, values []uint32, from []byte) ([]byte, error) {
	out, err := filter(id, reverse, values, from)
	defer release(out)
	return bytes.Clone(out), err
}

// Every filter must decode what it has encoded, for all lengths, even if the encoded bytes are
// longer, and must decode to nothing larger than a chunk.
func TestFilters(t *testing.T) {
	defer Expect(Chunk{Most: usualMost})
	rng := rand.New(rand.NewPCG(1, 32015))
	for _, f := range filters {
		for range 100 {
			chunk := make([]byte, 1+rng.IntN([]int{3, 200, 70000}[rng.IntN(3)]))
			for i := range chunk {
				if chunk[i] = byte(i / 9); rng.IntN(3) == 0 {
					chunk[i] = byte(rng.Uint32())
				}
			}
			n := int64(len(chunk))
			Expect(NewChunk(n, 0, []int{f.id}))
			stored, err := run(f.id, false, f.values, chunk)
			if err != nil {
				t.Fatal(err)
			}
			if _, said, err := codec.ZstdSize(stored); f.id == Zstd && (!said || err != nil) {
				t.Fatalf("a frame of %d bytes does not say so, %v", n, err)
			}
			got, err := run(f.id, true, f.values, stored)
			if err != nil || !bytes.Equal(got, chunk) {
				t.Fatalf("filter %d, %v, %d bytes: %v", f.id, f.values, n, err)
			}
			for _, c := range []Chunk{NewChunk(n+1, 0, []int{2, f.id}), NewChunk(n-1, 0, []int{f.id, 3}), NewChunk(n, 0, []int{3, f.id}), {Most: n - 1}} {
				Expect(c)
				if _, err := run(f.id, true, f.values, stored); !errors.Is(err, codec.ErrFrame) {
					t.Fatalf("filter %d of %d bytes, expected %+v: %v", f.id, n, c, err)
				}
			}
			Expect(Chunk{Most: n})
			if got, err := run(f.id, true, f.values, stored); err != nil || !bytes.Equal(got, chunk) {
				t.Fatalf("filter %d, no chunk: %v", f.id, err)
			}
		}
	}
}

// The filter that must decode to a chunk is the first one that compresses, if that is known.
func TestNewChunk(t *testing.T) {
	for _, c := range []struct {
		filters []int
		first   int
		bytes   int64
	}{
		{[]int{2, Zstd, 3}, Zstd, 100},
		{[]int{3, LZ4}, LZ4, 104},
		{[]int{LZ4, Blosc}, LZ4, 100},
		{[]int{Zstd, Zstd}, 0, 0},
		{[]int{1, Zstd}, 0, 0},
		{nil, 0, 0},
		{[]int{2, 3}, 0, 0},
	} {
		if got := NewChunk(100, 5, c.filters); got != (Chunk{100, 5, c.first, c.bytes}) {
			t.Errorf("%v: %+v", c.filters, got)
		}
	}
	if got := NewChunk(0, 5, []int{Zstd}); got != (Chunk{Most: 5}) {
		t.Errorf("of unknown size: %+v", got)
	}
}

// Each codec must have its filter; gzip and none have none in this package.
func TestOf(t *testing.T) {
	for text, id := range map[string]int{
		"zstd:7": Zstd, "lz4": LZ4, "blosc": Blosc, "blosc:zlib:3:noshuffle": Blosc, "gzip": 0, "none": 0,
	} {
		c, err := formats.ParseCodec(text)
		if err != nil {
			t.Fatal(err)
		}
		got, _, has := Of(c, 4, 1000)
		if got != id || has != (id != 0) {
			t.Errorf("%s: %d, %v", text, got, has)
		}
	}
	if _, _, has := Of(formats.CodecSpec{Name: "blosc", Blosc: "snappy"}, 4, 1000); has {
		t.Error("snappy is not written")
	}
}

// FuzzFilters decodes any bytes. Bytes that are not a chunk must give an error that says so, and
// the memory must never be much more than that of a chunk.
func FuzzFilters(f *testing.F) {
	chunk := bytes.Repeat([]byte("abcdefgh"), 125)
	for i, x := range filters {
		stored, err := Encode(x.id, x.values, chunk)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), stored)
		f.Add(uint8(i), stored[:len(stored)/2])
	}
	f.Fuzz(func(t *testing.T, which uint8, stored []byte) {
		x := filters[int(which)%len(filters)]
		n := int64(len(chunk))
		for _, c := range []Chunk{NewChunk(n, 0, []int{x.id}), {Bytes: n}, {Most: n}} {
			Expect(c)
			out, err := filter(x.id, true, x.values, stored)
			if err != nil && !errors.Is(err, codec.ErrFrame) {
				t.Fatal(err)
			}
			if size := int64(cap(out)); err == nil && (int64(len(out)) > n+slack(n) || c.First != 0 && int64(len(out)) != n || size > n+slack(n)) {
				t.Fatalf("%d bytes in memory of %d for a chunk of %d", len(out), size, n)
			}
			release(out)
		}
		Expect(Chunk{Most: usualMost})
	})
}

// release frees the memory of libhdf5.
func release(out []byte) {
	if out != nil {
		free(unsafe.Pointer(unsafe.SliceData(out)))
	}
}
