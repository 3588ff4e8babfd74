package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

// hdf5LZ4 stores a chunk as HDF5's filter 32004 does with blocks of some bytes.
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

// A chunk of one block goes from HDF5's framing to that of the codec and back without being
// compressed again; other ones are decoded.
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
