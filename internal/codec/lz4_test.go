package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// hdf5LZ4 stores a chunk as HDF5's filter 32004 does, in blocks of the given size.
func hdf5LZ4(chunk []byte, block int) []byte {
	stored := binary.BigEndian.AppendUint64(nil, uint64(len(chunk)))
	stored = binary.BigEndian.AppendUint32(stored, uint32(block))
	for ; len(chunk) > 0; chunk = chunk[min(block, len(chunk)):] {
		part := chunk[:min(block, len(chunk))]
		packed := make([]byte, len(part)-1)
		n := compressLZ4(packed, part, 1)
		if packed = packed[:n]; n == 0 {
			packed = part
		}
		stored = append(binary.BigEndian.AppendUint32(stored, uint32(len(packed))), packed...)
	}
	return stored
}

// A chunk of one block is converted from HDF5's framing to that of the codec and back without being
// compressed again; other chunks are decoded.
func TestLZ4OfHDF5(t *testing.T) {
	chunk := bytes.Repeat([]byte("some text "), 1000)
	for _, test := range []struct {
		block int
		asIs  bool
	}{{len(chunk), true}, {len(chunk) + 1, true}, {1 << 30, true}, {4096, false}, {5000, false}} {
		stored := hdf5LZ4(chunk, test.block)
		got := make([]byte, len(chunk))
		if err := DecodeLZ4HDF5(got, stored); err != nil || !bytes.Equal(got, chunk) {
			t.Errorf("blocks of %d: %v", test.block, err)
		}
		frame, ok, err := LZ4FromHDF5(nil, stored)
		if err != nil || ok != test.asIs {
			t.Errorf("blocks of %d: as it is: %v, %v", test.block, ok, err)
		}
		if ok {
			clear(got)
			if err := (lz4Codec{}).Decode(got, frame); err != nil || !bytes.Equal(got, chunk) {
				t.Errorf("blocks of %d: the frame: %v", test.block, err)
			}
			if back, err := LZ4ToHDF5(nil, frame); err != nil || !bytes.Equal(back, hdf5LZ4(chunk, len(chunk))) {
				t.Errorf("blocks of %d: back: %v", test.block, err)
			}
		}
	}
	raw := []byte("no two the same")
	if _, ok, err := LZ4FromHDF5(nil, hdf5LZ4(raw, len(raw))); ok || err != nil {
		t.Errorf("bytes that are not compressed: %v %v", ok, err)
	}
	got := make([]byte, len(raw))
	if err := DecodeLZ4HDF5(got, hdf5LZ4(raw, len(raw))); err != nil || !bytes.Equal(got, raw) {
		t.Error(err)
	}
	if _, err := LZ4ToHDF5(nil, append([]byte{3, 0, 0, 0}, "\x30abc"...)); !errors.Is(err, ErrFrame) {
		t.Errorf("a block that is longer than its bytes: %v", err)
	}
}

// periodic returns bytes that repeat earlier ones, from 1 to 40 or many bytes back, in runs of all
// lengths with literals between them.
func periodic(rng *rand.Rand, n int) []byte {
	b := make([]byte, 0, n+1000)
	for len(b) < n {
		for range 1 + rng.IntN([]int{3, 20, 300}[rng.IntN(3)]) {
			b = append(b, byte(rng.Uint32()))
		}
		back := 1 + rng.IntN(min(40, len(b)))
		if rng.IntN(4) == 0 {
			back = 1 + rng.IntN(min(60000, len(b)))
		}
		for range 4 + rng.IntN([]int{8, 15, 40, 700}[rng.IntN(4)]) {
			b = append(b, b[len(b)-back])
		}
	}
	return b[:n]
}

// Blocks, valid or damaged, decode as with package lz4 alone, and nothing outside dst is written.
func TestFirstSequencesAreThoseOfLZ4(t *testing.T) {
	portably(t, func(t *testing.T) {
		for seed := range uint64(600) {
			rng := rand.New(rand.NewPCG(seed, 9))
			chunk := periodic(rng, 1+rng.IntN([]int{200, 3000, 100000}[rng.IntN(3)]))
			block := make([]byte, lz4.CompressBlockBound(len(chunk)))
			n := compressLZ4(block, chunk, 1)
			if block = block[:n]; seed%3 == 0 {
				for range 1 + rng.IntN(3) {
					block[rng.IntN(n)] = []byte{0, 15, 0xf0, 0xff, byte(rng.Uint32())}[rng.IntN(5)]
				}
			}
			if seed%5 == 0 {
				block = block[:rng.IntN(n)]
			}
			size := len(chunk)
			if seed%7 == 0 {
				size = rng.IntN(size + 1)
			}
			want := make([]byte, size)
			m, err := lz4.UncompressBlock(block, want)
			valid := err == nil && m == size
			const guard = 64
			memory := make([]byte, guard+size+guard)
			err = decodeLZ4(memory[guard:][:size:size], bytes.Clone(block))
			if (err == nil) != valid || valid && !bytes.Equal(memory[guard:][:size], want) {
				t.Fatalf("seed %d: %d bytes: %v, valid: %v", seed, size, err, valid)
			}
			if valid && seed%15 != 0 && seed%3 != 0 && seed%7 != 0 && !bytes.Equal(want, chunk) {
				t.Fatalf("seed %d: the chunk is another one", seed)
			}
			if !bytes.Equal(memory[:guard], make([]byte, guard)) || !bytes.Equal(memory[guard+size:], make([]byte, guard)) {
				t.Fatalf("seed %d: %d bytes: it writes outside", seed, size)
			}
		}
	})
}
