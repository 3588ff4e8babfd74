package codec

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// A container is a frame of blosc whose header was checked.
type container struct {
	frame []byte
	flags byte
	elem  int
	size  int // decoded
	block int // decoded
}

// parseContainer checks the header of a frame for a chunk of size bytes.
func parseContainer(frame []byte, size int) (c container, err error) {
	if len(frame) < bloscHeader {
		return c, damaged(Blosc, "%d bytes, the header has %d", len(frame), bloscHeader)
	}
	decoded, block, stored := binary.LittleEndian.Uint32(frame[4:]), binary.LittleEndian.Uint32(frame[8:]), binary.LittleEndian.Uint32(frame[12:])
	switch {
	case frame[0] == 0 || frame[0] > 2:
		return c, damaged(Blosc, "version %d of the format, known are 1 and 2", frame[0])
	case int64(decoded) != int64(size):
		return c, damaged(Blosc, "it has %d bytes instead of %d", decoded, size)
	case int64(stored) != int64(len(frame)):
		return c, damaged(Blosc, "%d bytes by its header, found %d", stored, len(frame))
	case frame[3] == 0:
		return c, damaged(Blosc, "elements of 0 bytes")
	case size > 0 && (block == 0 || int64(block) > int64(size)):
		return c, damaged(Blosc, "blocks of %d bytes in %d", block, size)
	}
	c = container{frame, frame[2], int(frame[3]), size, int(block)}
	switch {
	case c.flags&flagStored != 0:
		if len(frame)-bloscHeader != size {
			return c, damaged(Blosc, "%d bytes behind the header, expected %d", len(frame)-bloscHeader, size)
		}
	case (len(frame)-bloscHeader)/4 < (size+c.block-1)/max(c.block, 1):
		return c, damaged(Blosc, "%d bytes for the starts of blocks of %d in %d", len(frame)-bloscHeader, c.block, size)
	}
	return c, nil
}

func (bloscCodec) Decode(dst, frame []byte) error { return decodeBlosc(dst, frame, 0, len(dst)) }

func (bloscCodec) DecodeRange(dst, frame []byte, from, size int) error {
	checkRange(len(dst), from, size)
	return decodeBlosc(dst, frame, from, size)
}

// decodeBlosc decodes the bytes from the given one of a chunk of size bytes into dst.
func decodeBlosc(dst, frame []byte, from, size int) error {
	dst = slices.Clip(dst) // decoders may write up to the capacity
	c, err := parseContainer(frame, size)
	if err != nil {
		return err
	}
	if c.flags&flagStored != 0 {
		copy(dst, frame[bloscHeader:][from:])
		return nil
	}
	if len(dst) == 0 {
		return nil
	}
	s := getScratch()
	defer s.free()
	for i := from / c.block; i*c.block < from+len(dst); i++ {
		lo, hi := i*c.block, min((i+1)*c.block, size)
		first, last := max(lo, from), min(hi, from+len(dst))
		part := dst[first-from : last-from]
		whole := part
		if len(part) < hi-lo {
			whole = s.chunk(hi - lo)
		}
		if err := c.decodeBlock(s, whole, i); err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
		if len(part) < hi-lo {
			copy(part, whole[first-lo:])
		}
	}
	return nil
}

// decodeBlock decodes block i, which must fill out.
func (c container) decodeBlock(s *scratch, out []byte, i int) error {
	start := binary.LittleEndian.Uint32(c.frame[bloscHeader+4*i:])
	if int64(start) > int64(len(c.frame)) {
		return damaged(Blosc, "it begins at byte %d of %d", start, len(c.frame))
	}
	src, sorted := c.frame[start:], out
	bytes := c.flags&flagShuffle != 0 && c.elem > 1
	bits := !bytes && c.flags&flagBitShuffle != 0
	if bytes || bits {
		sorted = s.block(len(out))
	}
	streams := 1
	if c.flags&flagOneStream == 0 && c.elem <= maxStreams && c.block/c.elem >= minStreamLength && len(out) == c.block {
		streams = c.elem
	}
	if len(out)%streams != 0 {
		return damaged(Blosc, "%d bytes in %d streams", len(out), streams)
	}
	for rest, n := sorted, len(out)/streams; len(rest) > 0; rest = rest[n:] {
		if len(src) < 4 {
			return damaged(Blosc, "it ends %d bytes early", len(rest))
		}
		size := binary.LittleEndian.Uint32(src)
		if src = src[4:]; int64(size) > int64(len(src)) {
			return damaged(Blosc, "a stream of %d bytes, found %d", size, len(src))
		}
		if err := c.decodeStream(s, rest[:n], src[:size]); err != nil {
			return err
		}
		src = src[size:]
	}
	switch {
	case bytes:
		unshuffle(out, sorted, c.elem)
	case bits:
		bitUnshuffle(out, sorted, s.bitBlock(len(out)), c.elem)
	}
	return nil
}

// decodeStream decodes a stream, which must fill out.
func (c container) decodeStream(s *scratch, out, stream []byte) error {
	if len(stream) == len(out) {
		copy(out, stream)
		return nil
	}
	switch format := c.flags >> 5; format {
	case bloscLZ:
		return decodeBloscLZ(out, stream)
	case bloscLZ4:
		return decodeLZ4(out, stream)
	case bloscZlib:
		return decodeZlib(out, stream)
	case bloscZstd:
		return decodeZstd(s, out, stream)
	case bloscSnappy:
		return damaged(Blosc, "the compressor is snappy, read are blosclz, lz4, zlib and zstd")
	default:
		return damaged(Blosc, "compressor %d is not known", format)
	}
}
