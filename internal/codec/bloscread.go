package codec

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// container is a frame of blosc with a valid header.
type container struct {
	frame []byte
	flags byte
	elem  int
	size  int // bytes of the decoded chunk
	block int // bytes of a decoded block
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
	case size > 0 && (block == 0 || int64(block) > int64(max(size, bloscHeader))):
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

// BloscSize returns the decoded size of a C-Blosc container in bytes, from its header. The error
// wraps ErrFrame.
func BloscSize(frame []byte) (int64, error) {
	if len(frame) < bloscHeader {
		return 0, damaged(Blosc, "%d bytes, the header has %d", len(frame), bloscHeader)
	}
	return int64(binary.LittleEndian.Uint32(frame[4:])), nil
}

// DecodeBlosc decodes a C-Blosc container into dst, which has the length that BloscSize returns.
// The compressor and the shuffle are read from the container's header. The error wraps ErrFrame.
func DecodeBlosc(dst, frame []byte) error { return decodeBlosc(dst, frame, 0, len(dst)) }

func (bloscCodec) Decode(dst, frame []byte) error { return decodeBlosc(dst, frame, 0, len(dst)) }

func (bloscCodec) DecodeRange(dst, frame []byte, from, size int) error {
	checkRange(len(dst), from, size)
	return decodeBlosc(dst, frame, from, size)
}

func (bloscCodec) RangeBytes(frame []byte, from, n, size int) int {
	c, err := parseContainer(frame, size)
	if err != nil || c.flags&flagStored != 0 || n == 0 {
		return n
	}
	first, end := from/c.block*c.block, min((from+n+c.block-1)/c.block*c.block, size)
	if c.flags>>5 == bloscLZ4 && c.sorts() && c.splits() {
		end = from + n // end of the last block
	}
	return end - first
}

// decodeBlosc decodes len(dst) bytes, from byte from on, of a chunk of size bytes.
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
		if err := c.decodePart(s, dst[first-from:last-from], i, first-lo, hi-lo); err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
	}
	return nil
}

// decodePart decodes len(part) bytes, from byte from on, of block i, which has n bytes.
func (c container) decodePart(s *scratch, part []byte, i, from, n int) error {
	if len(part) == n {
		return c.decodeBlock(s, part, i)
	}
	if done, err := c.decodePlanes(s, part, i, from, n); done || err != nil {
		return err
	}
	whole := s.chunk(n)
	if err := c.decodeBlock(s, whole, i); err != nil {
		return err
	}
	copy(part, whole[from:])
	return nil
}

// blockReader returns the streams of a block one after the other.
type blockReader struct {
	src     []byte // from the block's first stream to the end of the container
	streams int
}

// at returns a reader of the streams of block i, which has n decoded bytes.
func (c container) at(i, n int) (blockReader, error) {
	start := binary.LittleEndian.Uint32(c.frame[bloscHeader+4*i:])
	if int64(start) > int64(len(c.frame)) {
		return blockReader{}, damaged(Blosc, "it begins at byte %d of %d", start, len(c.frame))
	}
	b := blockReader{c.frame[start:], 1}
	if c.splits() && n == c.block {
		b.streams = c.elem
	}
	if n%b.streams != 0 {
		return b, damaged(Blosc, "%d bytes in %d streams", n, b.streams)
	}
	return b, nil
}

// splits reports whether the full blocks have one stream per byte of an element.
func (c container) splits() bool {
	return c.flags&flagOneStream == 0 && c.elem <= maxStreams && c.block/c.elem >= minStreamLength
}

// next returns the next stream of a block.
func (b *blockReader) next() ([]byte, error) {
	if len(b.src) < 4 {
		return nil, damaged(Blosc, "it ends before its last stream")
	}
	size := binary.LittleEndian.Uint32(b.src)
	if b.src = b.src[4:]; int64(size) > int64(len(b.src)) {
		return nil, damaged(Blosc, "a stream of %d bytes, found %d", size, len(b.src))
	}
	stream := b.src[:size]
	b.src = b.src[size:]
	return stream, nil
}

// sorts reports whether the bytes are shuffled. Shuffling has no effect on elements of one byte.
func (c container) sorts() bool { return c.flags&flagShuffle != 0 && c.elem > 1 }

// decodeBlock decodes block i, which must fill out.
func (c container) decodeBlock(s *scratch, out []byte, i int) error {
	b, err := c.at(i, len(out))
	if err != nil {
		return err
	}
	sorted := out
	bits := !c.sorts() && c.flags&flagBitShuffle != 0
	if c.sorts() || bits {
		sorted = s.block(len(out))
	}
	for rest, n := sorted, len(out)/b.streams; len(rest) > 0; rest = rest[n:] {
		stream, err := b.next()
		if err != nil {
			return err
		}
		if err := c.decodeStream(s, rest[:n], stream); err != nil {
			return err
		}
	}
	switch {
	case c.sorts():
		UnshuffleBytes(out, sorted, c.elem)
	case bits:
		bitUnshuffle(out, sorted, s.bitBlock(len(out)), c.elem)
	}
	return nil
}

// decodePlanes decodes len(part) bytes, from byte from on, of block i, which has n bytes, if the
// block has one stream (plane) per byte of an element. It does only the work that these bytes need:
// a stream of LZ4 is decoded about as far as necessary, of an uncompressed stream only the range is
// copied, and only the range is unshuffled.
func (c container) decodePlanes(s *scratch, part []byte, i, from, n int) (done bool, err error) {
	b, err := c.at(i, n)
	if err != nil || !c.sorts() || b.streams == 1 {
		return false, err
	}
	length := n / c.elem
	first, last := from/c.elem, (from+len(part)+c.elem-1)/c.elem
	count := last - first
	planes := s.chunk(count * c.elem)
	for k := range c.elem {
		plane, err := b.next()
		if err != nil {
			return false, err
		}
		if len(plane) != length {
			stream := plane
			plane = s.block(length)
			if c.flags>>5 != bloscLZ4 || !decodeLZ4Start(plane, stream, last) {
				if err := c.decodeStream(s, plane, stream); err != nil {
					return false, err
				}
			}
		}
		copy(planes[k*count:], plane[first:last])
	}
	if len(part) == len(planes) {
		UnshuffleBytes(part, planes, c.elem)
		return true, nil
	}
	elements := s.bitBlock(len(planes))
	UnshuffleBytes(elements, planes, c.elem)
	copy(part, elements[from-first*c.elem:])
	return true, nil
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
		return decodeSnappy(out, stream)
	default:
		return damaged(Blosc, "compressor %d is not known", format)
	}
}
