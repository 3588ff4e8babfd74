package codec

import (
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"testing"
)

// zstdBomb returns a zstd frame of blocks of 128 KiB of one repeated byte, without a decoded size.
func zstdBomb(window byte, blocks int) []byte {
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, window}
	for i := range blocks {
		header := uint32(1<<1 | 128<<10<<3)
		if i == blocks-1 {
			header |= 1
		}
		frame = append(frame, byte(header), byte(header>>8), byte(header>>16), 7)
	}
	return frame
}

// containerOf returns a container for one chunk in which all blocks start at the same stream.
func containerOf(format byte, elem, size, block int, stream []byte) []byte {
	frame := []byte{2, 1, format<<5 | flagOneStream | flagBitShuffle, byte(elem)}
	blocks := (size + block - 1) / block
	at := bloscHeader + 4*blocks
	for _, n := range []int{size, block, at + 4 + len(stream)} {
		frame = binary.LittleEndian.AppendUint32(frame, uint32(n))
	}
	for range blocks {
		frame = binary.LittleEndian.AppendUint32(frame, uint32(at))
	}
	return append(binary.LittleEndian.AppendUint32(frame, uint32(len(stream))), stream...)
}

// Decoding a hostile frame returns an error and allocates at most a chunk and a block.
func TestHostileFramesCostLittle(t *testing.T) {
	const size, block = 1 << 20, 128 << 10
	content := func(n uint64) []byte { // a frame that states n bytes
		return append(binary.LittleEndian.AppendUint64([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0}, n), 0x13, 0, 0x10, 7)
	}
	for name, test := range map[string]struct {
		codec string
		frame []byte
	}{
		"many blocks":             {"zstd", zstdBomb(0x58, 100000)},
		"a large window":          {"zstd", zstdBomb(0x98, 100000)},
		"the largest window":      {"zstd", zstdBomb(0xff, 100000)},
		"a content of 1 TiB":      {"zstd", content(1 << 40)},
		"a content of 2^63":       {"zstd", content(1 << 63)},
		"a false content":         {"zstd", content(size)},
		"many blocks in blosc":    {"blosc:zstd", containerOf(bloscZstd, 2, size, size, zstdBomb(0x58, 100000))},
		"small blocks in blosc":   {"blosc:zstd", containerOf(bloscZstd, 1, size, 64, zstdBomb(0x58, 10))},
		"blocks of 1 byte":        {"blosc:lz4", containerOf(bloscLZ4, 8, size, 1, []byte{1, 2})},
		"lz4 of 4 GiB":            {"lz4", []byte{255, 255, 255, 255, 1, 2, 3}},
		"a long match":            {"lz4", append([]byte{0, 0, 16, 0, 0x1f, 1, 1, 0}, zstdBomb(0, 10)...)},
		"a container of 2 GiB":    {"blosc", []byte{2, 1, 0x31, 2, 255, 255, 255, 127, 255, 255, 255, 127, 20, 0, 0, 0, 0, 0, 0, 0}},
		"zlib in blosc":           {"blosc", containerOf(bloscZlib, 2, size, size, []byte{0x78, 0x9c, 1, 2, 3})},
		"blosclz that goes back":  {"blosc", containerOf(bloscLZ, 2, size, size, []byte{0, 1, 0xe0, 255, 255, 0, 255})},
		"a stream of 4 GiB":       {"blosc", append(containerOf(bloscLZ4, 2, size, size, nil)[:20], 255, 255, 255, 255)},
		"an unknown compressor":   {"blosc", containerOf(7, 2, size, size, []byte{1, 2, 3})},
		"a block before the file": {"blosc", append(containerOf(bloscLZ4, 2, size, size, nil)[:16], 255, 255, 255, 255, 0, 0, 0, 0)},
	} {
		c := newCodec(t, test.codec, 2)
		dst, part := make([]byte, size), make([]byte, 1)
		least := uint64(math.MaxUint64) // the least of several calls, which reuse memory
		for range 5 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := c.Decode(dst, test.frame)
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
			if !errors.Is(err, ErrFrame) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if least > uint64(size+block+slack+len(test.frame)) && !raceEnabled {
			t.Errorf("%s: %d bytes of memory", name, least)
		}
		if err := c.DecodeRange(part, test.frame, size/2, size); !errors.Is(err, ErrFrame) {
			t.Errorf("%s: a part: %v", name, err)
		}
	}
}
