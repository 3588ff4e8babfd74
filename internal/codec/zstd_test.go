package codec

import (
	"bytes"
	"errors"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Frames without a stated size and frames with checksums are read. Two frames in a row, or bytes
// after a frame, are refused.
func TestZstdReadsOtherFrames(t *testing.T) {
	for _, size := range []int{1, 200, 300, 70000, 1 << 20} {
		chunk := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
		for _, checksum := range []bool{false, true} {
			var streamed bytes.Buffer
			w, err := zstd.NewWriter(&streamed, zstd.WithEncoderCRC(checksum), zstd.WithWindowSize(1<<17))
			check(t, err)
			for part := chunk; len(part) > 0; part = part[min(len(part), 1000):] {
				_, err = w.Write(part[:min(len(part), 1000)])
				check(t, err)
				check(t, w.Flush())
			}
			check(t, w.Close())
			for name, frame := range map[string][]byte{"streamed": streamed.Bytes(), "whole": w.EncodeAll(chunk, nil)} {
				got := make([]byte, size)
				c := zstdCodec{1}
				if err := c.Decode(got, frame); err != nil || !bytes.Equal(got, chunk) {
					t.Fatalf("%s, %d bytes, checksum %v: %v", name, size, checksum, err)
				}
				for _, other := range [][]byte{append(bytes.Clone(frame), 0), append(bytes.Clone(frame), frame...), frame[1:]} {
					if err := c.Decode(got, other); !errors.Is(err, ErrFrame) {
						t.Errorf("%s, %d bytes: %v", name, size, err)
					}
				}
				for _, n := range []int{size - 1, size + 1} {
					if err := c.Decode(make([]byte, n), frame); !errors.Is(err, ErrFrame) {
						t.Errorf("%s, %d bytes for %d: %v", name, size, n, err)
					}
				}
			}
		}
	}
}

// Calls allocate no memory once earlier calls have filled the pools.
func TestCallsAllocateNothing(t *testing.T) {
	field := smoothField(128, 512)
	random := periodic(testRand(11), len(field))
	for i := range random {
		random[i] ^= byte(i * i * 7919 >> 5)
	}
	for _, text := range []string{"zstd:1", "zstd:3", "lz4", "blosc:lz4", "blosc:lz4hc:3", "blosc:zstd:1", "blosc:zstd:5", "blosc:lz4:bitshuffle"} {
		c := newCodec(t, text, 2)
		frame, ok := c.Encode(nil, field)
		dst, whole, part := make([]byte, len(field)), make([]byte, len(field)), make([]byte, 100)
		n := testing.AllocsPerRun(40, func() {
			c.Encode(dst, field)
			c.Encode(dst, random)
			if ok {
				check(t, c.Decode(whole, frame))
				check(t, c.DecodeRange(part, frame, 1000, len(field)))
			}
		})
		if n >= 1 && !raceEnabled { // the race detector empties pools
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}
