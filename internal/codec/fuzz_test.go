package codec

import (
	"bytes"
	"errors"
	"testing"
)

// fuzzChunk is the size of the chunks of FuzzDecode.
const fuzzChunk = 6000

// fuzzCodecs are those of FuzzDecode.
var fuzzCodecs = []string{"zstd:1", "lz4", "blosc:lz4:5:shuffle", "blosc:zstd:1:bitshuffle", "blosc:lz4hc:3:noshuffle"}

// FuzzDecode decodes arbitrary bytes as frames of each codec. Decoding writes only into the chunk.
// It returns an error that wraps ErrFrame, or a chunk whose parts decode to the same bytes.
func FuzzDecode(f *testing.F) {
	chunk := make([]byte, fuzzChunk)
	for i := range chunk {
		chunk[i] = byte(i / 2 * (i % 2) >> 3)
	}
	for i, text := range fuzzCodecs {
		for _, elem := range []int{1, 2, 12} {
			frame, ok := newCodec(f, text, elem).Encode(nil, chunk)
			if !ok {
				f.Fatal(text)
			}
			f.Add(byte(i), frame, uint16(100))
			f.Add(byte(i), frame[:len(frame)/2], uint16(0))
		}
	}
	f.Fuzz(func(t *testing.T, which byte, frame []byte, from uint16) {
		c := newCodec(t, fuzzCodecs[int(which)%len(fuzzCodecs)], 4)
		const guard = 64
		memory := bytes.Repeat([]byte{0xa5}, guard+fuzzChunk+guard)
		whole := memory[guard:][:fuzzChunk]
		before := bytes.Clone(frame)
		err := c.Decode(whole, frame)
		if !bytes.Equal(memory[:guard], memory[guard+fuzzChunk:]) || memory[0] != 0xa5 || !bytes.Equal(frame, before) {
			t.Fatal("it has written outside of the chunk")
		}
		if err != nil && !errors.Is(err, ErrFrame) {
			t.Fatal(err)
		}
		first := int(from) % fuzzChunk
		part := make([]byte, min(1+int(from)%700, fuzzChunk-first))
		partErr := c.DecodeRange(part, frame, first, fuzzChunk)
		if partErr != nil && !errors.Is(partErr, ErrFrame) {
			t.Fatal(partErr)
		}
		if err == nil && (partErr != nil || !bytes.Equal(part, whole[first:][:len(part)])) {
			t.Fatalf("%d bytes from %d are others than those of the whole: %v", len(part), first, partErr)
		}
	})
}

// FuzzLZ4HDF5 decodes arbitrary bytes as a chunk stored by HDF5's filter. What LZ4FromHDF5 accepts
// decodes to the same bytes, and converts back.
func FuzzLZ4HDF5(f *testing.F) {
	chunk := bytes.Repeat([]byte("abcd"), 250)
	frame, _ := lz4Codec{}.Encode(nil, chunk)
	stored, err := LZ4ToHDF5(nil, frame)
	check(f, err)
	f.Add(stored)
	f.Add(stored[:14])
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x03\xe8\x00\x00\x01\xf4\x00\x00\x00\x01x"))
	f.Fuzz(func(t *testing.T, stored []byte) {
		whole := make([]byte, len(chunk))
		err := DecodeLZ4HDF5(whole, stored)
		if err != nil && !errors.Is(err, ErrFrame) {
			t.Fatal(err)
		}
		frame, ok, from := LZ4FromHDF5(nil, stored)
		if from != nil && !errors.Is(from, ErrFrame) {
			t.Fatal(from)
		}
		if !ok || err != nil {
			return
		}
		again := make([]byte, len(chunk))
		if err := (lz4Codec{}).Decode(again, frame); err != nil || !bytes.Equal(again, whole) {
			t.Fatal("the frame decodes to other bytes", err)
		}
		back, err := LZ4ToHDF5(nil, frame)
		check(t, err)
		if err := DecodeLZ4HDF5(again, back); err != nil || !bytes.Equal(again, whole) {
			t.Fatal("and back it decodes to other bytes", err)
		}
	})
}
