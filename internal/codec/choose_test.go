package codec

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// chosenFields returns chunks by kind of content, with their element size.
func chosenFields() map[string]struct {
	chunk []byte
	elem  int
} {
	type field = struct {
		chunk []byte
		elem  int
	}
	const n = 1 << 16
	rng := rand.New(rand.NewPCG(3, 9))
	noise, integers, flags, floats, sparse := make([]byte, 4*n), make([]byte, 4*n), make([]byte, n), make([]byte, 4*n), make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(noise[4*i:], rng.Uint32())
		binary.LittleEndian.PutUint32(integers[4*i:], uint32(i/3)+rng.Uint32N(20))
		binary.LittleEndian.PutUint32(floats[4*i:], math.Float32bits(float32(280+10*math.Sin(float64(i)/500))))
		if rng.IntN(50) == 0 {
			binary.LittleEndian.PutUint32(sparse[4*i:], rng.Uint32())
		}
		if rng.IntN(20) == 0 {
			flags[i] = 1
		}
	}
	return map[string]field{
		"smooth": {smoothField(256, 512), 2}, "noise": {noise, 4}, "integers": {integers, 4}, "flags": {flags, 1},
		"floats": {floats, 4}, "sparse": {sparse, 4}, "zeros": {make([]byte, n), 8}, "doubles": {floats, 8},
		"a block": {smoothField(32, 64), 2}, "an element": {[]byte{1, 2}, 2}, "nothing": {nil, 4},
	}
}

// The fastest codec among those that need about the least space is chosen, and none if it saves too
// little.
func TestChoose(t *testing.T) {
	none := map[string]bool{"noise": true, "a block": true, "an element": true, "nothing": true}
	for name, f := range chosenFields() {
		samples := [][]byte{f.chunk, f.chunk[:len(f.chunk)/2/f.elem*f.elem]}
		got, err := Choose(samples, f.elem)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Choose(samples, f.elem); err != nil || again != got {
			t.Errorf("%s: %+v, then %+v, %v", name, got, again, err)
		}
		if got.Spec.IsNone() != none[name] {
			t.Errorf("%s: %+v", name, got)
		}
		if got.Spec.IsNone() {
			if got.Stored != got.Tried {
				t.Errorf("%s: none stores %d of %d", name, got.Stored, got.Tried)
			}
			continue
		}
		faster := true
		for _, spec := range candidates {
			other, err := Try(spec, samples, f.elem)
			if err != nil {
				t.Fatal(err)
			}
			if got.Blocks*10 > other.Blocks*11 {
				t.Errorf("%s: %v takes %d, %v %d", name, got.Spec, got.Blocks, spec, other.Blocks)
			}
			if faster = faster && spec != got.Spec; faster && other.Blocks <= got.Blocks {
				t.Errorf("%s: %v is faster than %v and takes no more", name, spec, got.Spec)
			}
		}
	}
}

// The choices are fixed here, so that a change of them is noticed.
func TestChoices(t *testing.T) {
	want := map[string]string{
		"smooth": "blosc:lz4:5:bitshuffle", "noise": "none", "integers": "blosc:lz4:5:bitshuffle", "flags": "blosc:zstd:3:bitshuffle",
		"floats": "blosc:zstd:3:shuffle", "sparse": "zstd:3", "zeros": "blosc:lz4:5:shuffle", "doubles": "blosc:zstd:3:shuffle",
	}
	fields := chosenFields()
	for name, spec := range want {
		got, err := Choose([][]byte{fields[name].chunk}, fields[name].elem)
		if err != nil || got.Spec.String() != spec {
			t.Errorf("%s: %s, %+v, want %s", name, got.Spec, got, spec)
		}
	}
}

// Chunks of one repeated element do not influence the choice.
func TestChooseIgnoresRepeatedElements(t *testing.T) {
	noise := chosenFields()["noise"].chunk
	zeros := make([]byte, len(noise))
	got, err := Choose([][]byte{zeros, zeros, noise, zeros}, 4)
	if err != nil || !got.Spec.IsNone() || got.Tried != int64(len(noise)) {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = Choose([][]byte{append(slices.Clone(noise[:8192]), zeros...)}, 4)
	if err != nil || !got.Spec.IsNone() || got.Blocks != 8192 {
		t.Errorf("noise beside a hole: %+v, %v", got, err)
	}
	if _, err := Choose(nil, 0); err == nil {
		t.Error("elements of no bytes")
	}
}
