package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"drx/dtype"
	"drx/nd"
)

// Samples lie within the bounds, in different chunks, and have at most the bytes to try.
func TestCodecSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rank := rapid.IntRange(1, 4).Draw(t, "rank")
		lo, hi, chunk := make([]int, rank), make([]int, rank), make([]int, rank)
		for d := range rank {
			lo[d] = rapid.IntRange(-50, 50).Draw(t, "lo")
			hi[d] = lo[d] + rapid.IntRange(0, 1<<20).Draw(t, "extent")
			chunk[d] = rapid.IntRange(1, 1000).Draw(t, "chunk")
		}
		samples := CodecSamples(dtype.Float64, nd.Box(lo, hi), chunk)
		chunks, err := 1, error(nil)
		for d := range rank {
			if chunks, err = nd.Product(chunks, nd.CeilDiv(hi[d], chunk[d])-nd.FloorDiv(lo[d], chunk[d])); err != nil {
				chunks = codecSamples
			}
			if hi[d] == lo[d] {
				chunks = 0
				break
			}
		}
		if len(samples) != min(chunks, codecSamples) {
			t.Fatalf("%d samples of %d chunks", len(samples), chunks)
		}
		seen := map[string]bool{}
		for _, sec := range samples {
			n, err := sec.Len()
			if err != nil || n < 1 || 8*n > codecSampleBytes {
				t.Fatalf("%v: %d elements, %v", sec, n, err)
			}
			index := ""
			for d, r := range sec {
				first, last := nd.FloorDiv(r.Lo, chunk[d]), nd.FloorDiv(r.Hi-1, chunk[d])
				if r.Lo < lo[d] || r.Hi > hi[d] || first != last {
					t.Fatalf("%v in %v to %v, chunks of %v", sec, lo, hi, chunk)
				}
				index += fmt.Sprint(first, ",")
			}
			if seen[index] {
				t.Fatalf("chunk of %v twice", sec)
			}
			seen[index] = true
		}
	})
	for _, chunk := range [][]int{nil, {3}, {0, 3}, {3, -1}} {
		if got := CodecSamples(dtype.Int8, nd.Box([]int{0, 0}, []int{9, 9}), chunk); got != nil {
			t.Errorf("chunks of %v: %v", chunk, got)
		}
	}
}

// The codec of an array is chosen by its written chunks, whatever their present codec.
func TestChooseCodecOfArray(t *testing.T) {
	choices := map[CodecChoice]bool{}
	for _, from := range []string{"none", "lz4", "zstd:9"} {
		a, _ := compressedSquare(t, t.TempDir()+"/a", from)
		choice, err := a.ChooseCodec()
		if err != nil || choice.Codec == "none" || choice.Stored >= choice.Tried {
			t.Fatalf("%s: %+v, %v", from, choice, err)
		}
		choices[choice] = true
		tried, err := a.TryCodec(choice.Codec)
		if err != nil || tried != choice {
			t.Errorf("%s: tried %+v, chosen %+v, %v", from, tried, choice, err)
		}
		for _, wrong := range []string{"gzip", AutoCodec} {
			if _, err := a.TryCodec(wrong); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%s: %v", wrong, err)
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := a.ChooseCodec(); !errors.Is(err, ErrClosed) {
			t.Errorf("a closed array: %v", err)
		}
	}
	if len(choices) != 1 {
		t.Errorf("one choice for the same elements: %v", choices)
	}
	a, err := Create(t.TempDir()+"/sparse", Spec{DType: dtype.Uint64, Shape: []int{1 << 20}, ChunkShape: []int{1 << 13}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if choice, err := a.ChooseCodec(); err != nil || choice != (CodecChoice{Codec: "none"}) {
		t.Errorf("without a written chunk: %+v, %v", choice, err)
	}
	noise, rng := make([]uint64, 1<<13), rand.New(rand.NewPCG(1, 1))
	for i := range noise {
		noise[i] = rng.Uint64()
	}
	if err := errors.Join(Write(a, nd.Sec(nd.Span(1<<19, 1<<19+1<<13)), noise), a.Sync()); err != nil {
		t.Fatal(err)
	}
	if choice, err := a.ChooseCodec(); err != nil || choice.Codec != "none" || choice.Tried != 1<<16 {
		t.Errorf("noise in one chunk: %+v, %v", choice, err)
	}
}

// A new array has no elements for choosing a codec: auto is refused with an alternative.
func TestAutoIsNoCodec(t *testing.T) {
	_, err := Create(t.TempDir()+"/a", Spec{DType: dtype.Int8, Shape: []int{3}, Codec: AutoCodec})
	if !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), "name a codec, as blosc:") {
		t.Error(err)
	}
}

// Timing codecs does not change the frames, and unknown codecs are refused.
func TestTimeCodecs(t *testing.T) {
	a, err := Create("A", Spec{DType: dtype.Int32, Shape: []int{4000}, ChunkShape: []int{1000}, Options: inMemory()})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if none, err := a.TimeCodecs("lz4"); err != nil || len(none) != 1 || none[0].Tried != 0 {
		t.Errorf("no chunks: %+v, %v", none, err)
	}
	elements := make([]int32, 4000)
	for i := range elements {
		elements[i] = int32(i * i)
	}
	if err := errors.Join(Write(a, nil, elements), a.Sync()); err != nil {
		t.Fatal(err)
	}
	names := []string{"zstd:1", "none", "blosc:lz4:5:shuffle"}
	trials, err := a.TimeCodecs(names...)
	if err != nil || len(trials) != len(names) {
		t.Fatal(trials, err)
	}
	for i, got := range trials {
		if want, err := a.TryCodec(names[i]); err != nil || got.CodecChoice != want || got.Encode <= 0 || got.Decode <= 0 {
			t.Errorf("%+v, want %+v, %v", got, want, err)
		}
	}
	if _, err := a.TimeCodecs("lz4", "gzip"); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
}
