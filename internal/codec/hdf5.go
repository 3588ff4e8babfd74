package codec

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"
)

// HDF5's filters store a chunk even if that lengthens it, and do not know how many bytes a stored
// chunk has.

// EncodeZstd returns a frame of zstd with the bytes of src, even if it is longer than src. Its
// header states the decoded size, which HDF5's registered zstd filter needs for decoding.
func EncodeZstd(src []byte, level int) ([]byte, error) {
	return sizedFrame(zstdEncoder(level).EncodeAll(src, nil), len(src))
}

// DecodeZstd decodes a frame of zstd into dst, which has the length of the chunk. The error wraps
// ErrFrame.
func DecodeZstd(dst, frame []byte) error { return zstdCodec{}.Decode(dst, frame) }

// ZstdSize returns the decoded size of a zstd frame in bytes, from its header; said is false if the
// header does not state it. The error wraps ErrFrame.
func ZstdSize(frame []byte) (size uint64, said bool, err error) {
	var h zstd.Header
	if err := h.Decode(frame); err != nil {
		return 0, false, damaged(Zstd, "%v", err)
	}
	return h.FrameContentSize, h.HasFCS, nil
}

// EncodeLZ4HDF5 appends to dst what HDF5's filter 32004 stores for src, in blocks of the given size
// in bytes; 0 means one block.
func EncodeLZ4HDF5(dst, src []byte, block int) []byte {
	if block <= 0 || block > len(src) {
		block = min(len(src), maxLZ4)
	}
	dst = binary.BigEndian.AppendUint64(dst, uint64(len(src)))
	dst = binary.BigEndian.AppendUint32(dst, uint32(block))
	packed := make([]byte, block)
	for ; len(src) > 0; src = src[min(block, len(src)):] {
		part := src[:min(block, len(src))]
		if n := compressLZ4(packed[:len(part)-1], part, 1); n > 0 {
			part = packed[:n]
		}
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(part)))
		dst = append(dst, part...)
	}
	return dst
}

// LZ4HDF5Size returns the decoded size in bytes of what HDF5's filter 32004 has stored, from its
// header. The error wraps ErrFrame.
func LZ4HDF5Size(stored []byte) (uint64, error) {
	if len(stored) < hdf5LZ4Header-4 {
		return 0, damaged(LZ4, "%d bytes, the header of HDF5 has 12", len(stored))
	}
	return binary.BigEndian.Uint64(stored), nil
}
