package codec

import (
	"encoding/binary"
	"math"
	"sync"

	"github.com/pierrec/lz4/v4"
)

// lz4Codec stores a chunk as its size, followed by an LZ4 block.
type lz4Codec struct{}

const lz4Header = 4

func (lz4Codec) Encode(dst, src []byte) ([]byte, bool) {
	limit := len(src) - 1
	if limit <= lz4Header || len(src) > maxLZ4 {
		return dst[:0], false
	}
	if cap(dst) < limit {
		dst = make([]byte, limit)
	}
	dst = dst[:limit]
	n := compressLZ4(dst[lz4Header:], src, 1)
	if n == 0 {
		return dst[:0], false
	}
	binary.LittleEndian.PutUint32(dst, uint32(len(src)))
	return dst[:lz4Header+n], true
}

func (lz4Codec) Decode(dst, frame []byte) error {
	if len(frame) < lz4Header {
		return damaged(LZ4, "%d bytes, the size alone has 4", len(frame))
	}
	if size := binary.LittleEndian.Uint32(frame); int64(size) != int64(len(dst)) {
		return damaged(LZ4, "it has %d bytes instead of %d", size, len(dst))
	}
	return decodeLZ4(dst, frame[lz4Header:])
}

func (c lz4Codec) DecodeRange(dst, frame []byte, from, size int) error {
	return decodePart(c, dst, frame, from, size)
}

func (lz4Codec) RangeBytes(_ []byte, _, _, size int) int { return size }

// maxLZ4 is the largest decoded size of an LZ4 block, in bytes.
const maxLZ4 = 0x7e000000

var (
	lz4Compressors   = sync.Pool{New: func() any { return new(lz4.CompressorCCompat) }}
	lz4hcCompressors = sync.Pool{New: func() any { return new(lz4.CompressorHC) }}
)

// compressLZ4 compresses src into dst and returns the length, or 0 if it does not fit. Its output
// is that of the reference implementation. A higher acceleration is faster and compresses less.
func compressLZ4(dst, src []byte, acceleration int) int {
	c := lz4Compressors.Get().(*lz4.CompressorCCompat)
	c.Acceleration = acceleration
	n, err := c.CompressBlock(src, dst)
	lz4Compressors.Put(c)
	if err != nil {
		return 0
	}
	return n
}

// compressLZ4HC compresses better and more slowly: for each match it tries up to depth candidates.
func compressLZ4HC(dst, src []byte, depth int) int {
	c := lz4hcCompressors.Get().(*lz4.CompressorHC)
	c.Level = lz4.CompressionLevel(depth)
	n, err := c.CompressBlock(src, dst)
	lz4hcCompressors.Put(c)
	if err != nil {
		return 0
	}
	return n
}

// decodeLZ4 decodes a block that must fill dst.
func decodeLZ4(dst, block []byte) error {
	di, si := firstSequences(dst, block)
	n, err := lz4.UncompressBlockWithDict(block[si:], dst[di:], dst[:di])
	n += di
	switch {
	case err != nil:
		return damaged(LZ4, "a block of %d bytes: %v", len(block), err)
	case n != len(dst):
		return damaged(LZ4, "a block of %d bytes has %d bytes instead of %d", len(block), n, len(dst))
	}
	return nil
}

// decodeLZ4Start decodes at least the first want bytes of a block into dst and reports whether that
// worked. If not, the caller decodes the whole block, which returns the error if there is one.
func decodeLZ4Start(dst, block []byte, want int) bool {
	const more = 4096 // so that a long sequence that begins before want can end
	n, _ := firstSequences(dst[:min(want+more, len(dst))], block)
	return n >= want
}

// hdf5LZ4Header is the size of the header that HDF5's filter 32004 (H5Zlz4.c) writes before the
// bytes of the first block. The filter stores the decoded size (8 bytes) and the block size (4
// bytes); then for each block its stored size (4 bytes) and its bytes. A block whose stored size
// equals its decoded size is not compressed. All numbers are big-endian.
const hdf5LZ4Header = 16

// LZ4ToHDF5 appends to dst what HDF5's filter 32004 stores for the chunk of a frame of the codec
// lz4. The LZ4 block is copied, not compressed again. The error wraps ErrFrame.
func LZ4ToHDF5(dst, frame []byte) ([]byte, error) {
	if len(frame) < lz4Header {
		return nil, damaged(LZ4, "%d bytes, the size alone has 4", len(frame))
	}
	size, block := binary.LittleEndian.Uint32(frame), frame[lz4Header:]
	if size > math.MaxInt32 || int64(len(block)) >= int64(size) {
		return nil, damaged(LZ4, "a block of %d bytes for %d is not shorter: HDF5 would take it for raw bytes", len(block), size)
	}
	dst = binary.BigEndian.AppendUint64(dst, uint64(size))
	dst = binary.BigEndian.AppendUint32(dst, size)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(block)))
	return append(dst, block...), nil
}

// LZ4FromHDF5 appends to dst the frame of the codec lz4 for what HDF5's filter 32004 has stored. ok
// is false if that has several blocks, or an uncompressed one: then use DecodeLZ4HDF5 and compress
// again. The error wraps ErrFrame.
func LZ4FromHDF5(dst, stored []byte) (frame []byte, ok bool, err error) {
	if len(stored) < hdf5LZ4Header-4 {
		return nil, false, damaged(LZ4, "%d bytes, the header of HDF5 has 12", len(stored))
	}
	size, block := binary.BigEndian.Uint64(stored), binary.BigEndian.Uint32(stored[8:])
	if size == 0 || uint64(block) < size || size > math.MaxInt32 || len(stored) < hdf5LZ4Header {
		return nil, false, nil
	}
	n := binary.BigEndian.Uint32(stored[12:])
	if int64(n) != int64(len(stored)-hdf5LZ4Header) {
		return nil, false, damaged(LZ4, "a block of %d bytes, found %d", n, len(stored)-hdf5LZ4Header)
	}
	if uint64(n) >= size {
		return nil, false, nil
	}
	return append(binary.LittleEndian.AppendUint32(dst, uint32(size)), stored[hdf5LZ4Header:]...), true, nil
}

// DecodeLZ4HDF5 decodes what HDF5's filter 32004 has stored into dst, which has the length of the
// chunk. The error wraps ErrFrame.
func DecodeLZ4HDF5(dst, stored []byte) error {
	if len(stored) < hdf5LZ4Header-4 {
		return damaged(LZ4, "%d bytes, the header of HDF5 has 12", len(stored))
	}
	size, block := binary.BigEndian.Uint64(stored), int(binary.BigEndian.Uint32(stored[8:]))
	if size != uint64(len(dst)) || block == 0 && size > 0 {
		return damaged(LZ4, "it has %d bytes in blocks of %d instead of %d", size, block, len(dst))
	}
	stored = stored[hdf5LZ4Header-4:]
	for len(dst) > 0 {
		part := dst[:min(block, len(dst))]
		if len(stored) < 4 {
			return damaged(LZ4, "it ends %d bytes early", len(dst))
		}
		n := binary.BigEndian.Uint32(stored)
		if stored = stored[4:]; int64(n) > int64(len(stored)) {
			return damaged(LZ4, "a block of %d bytes, found %d", n, len(stored))
		}
		if int(n) == len(part) {
			copy(part, stored)
		} else if err := decodeLZ4(part, stored[:n]); err != nil {
			return err
		}
		dst, stored = dst[len(part):], stored[n:]
	}
	if len(stored) > 0 {
		return damaged(LZ4, "%d bytes behind its last block", len(stored))
	}
	return nil
}
