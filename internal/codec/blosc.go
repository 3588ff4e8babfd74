package codec

import (
	"encoding/binary"
	"math"

	"drx/internal/errkind"
)

// Constants of C-Blosc's container.
const (
	bloscHeader = 16

	flagShuffle    = 1
	flagStored     = 2
	flagBitShuffle = 4
	flagOneStream  = 16

	bloscLZ     = 0
	bloscLZ4    = 1
	bloscSnappy = 2
	bloscZlib   = 3
	bloscZstd   = 4

	maxElement      = 255 // bytes of an element; larger elements are treated as bytes
	maxStreams      = 16  // bytes of the largest element whose bytes get a stream each
	minStreamLength = 128 // elements in the smallest block that is split into streams
	minBlosc        = 128 // C-Blosc does not compress chunks of fewer bytes

	maxBlosc = math.MaxInt32 - bloscHeader
)

// bloscFormats maps each compressor that we write to its number in the header.
var bloscFormats = map[string]byte{LZ4: bloscLZ4, LZ4HC: bloscLZ4, Zlib: bloscZlib, Zstd: bloscZstd}

// bloscCodec writes containers with one compressor, level and shuffle. It reads all containers.
type bloscCodec struct {
	inner   string
	level   int
	shuffle byte // flagShuffle, flagBitShuffle or 0
	elem    int
}

func newBlosc(s Spec, elemSize int) bloscCodec {
	if elemSize > maxElement {
		elemSize = 1
	}
	flags := map[string]byte{NoShuffle: 0, Shuffle: flagShuffle, BitShuffle: flagBitShuffle}
	return bloscCodec{s.Inner, s.Level, flags[s.Shuffle], elemSize}
}

// EncodeBlosc returns a C-Blosc container with the bytes of src. Unlike a frame of Encode, it may
// be longer than src, because files of other formats store every chunk as a container. spec.Inner
// may also be Zlib, and level 0 means that nothing is compressed. Elements of more than 255 bytes
// are treated as bytes. The error wraps ErrSpec for another compressor or level, and for chunks
// near 2 GiB and longer.
func EncodeBlosc(src []byte, spec Spec, elemSize int) ([]byte, error) {
	switch {
	case bloscFormats[spec.Inner] == 0:
		return nil, errkind.Errorf(ErrSpec, "blosc with %q: lz4, lz4hc, zlib and zstd are written", spec.Inner)
	case spec.Level < 0 || spec.Level > maxLevels[Blosc]:
		return nil, errkind.Errorf(ErrSpec, "blosc with level %d: levels are 0 to %d", spec.Level, maxLevels[Blosc])
	case len(src) > maxBlosc:
		return nil, errkind.Errorf(ErrSpec, "blosc: a chunk of %d bytes: the limit is %d", len(src), maxBlosc)
	}
	c := newBlosc(spec, max(1, elemSize))
	if spec.Level > 0 {
		if frame, ok := c.Encode(nil, src); ok {
			return frame, nil
		}
	}
	frame := make([]byte, bloscHeader, bloscHeader+len(src))
	frame[0], frame[1], frame[2], frame[3] = 2, 1, flagStored|bloscFormats[c.inner]<<5, byte(c.elem)
	binary.LittleEndian.PutUint32(frame[4:], uint32(len(src)))
	binary.LittleEndian.PutUint32(frame[8:], uint32(max(1, len(src))))
	binary.LittleEndian.PutUint32(frame[12:], uint32(bloscHeader+len(src)))
	return append(frame, src...), nil
}

// splits reports whether a full block of n bytes has one stream per byte of an element. C-Blosc
// splits blocks so for all compressors except zstd. We split shuffled blocks for zstd, too: our
// zstd encoder updates its statistics only every 64 or 128 KiB, and the statistics of one byte
// plane do not fit the next. libzstd finds these borders itself.
func (c bloscCodec) splits(n int) bool {
	return c.elem <= maxStreams && n/c.elem >= minStreamLength && (c.inner != Zstd || c.shuffle != 0)
}

// minPlane is the least length of a zstd stream, in bytes. Each stream starts with new statistics,
// so short ones compress badly.
const minPlane = 16 << 10

// blockSize returns the block size, in bytes, for a chunk of n bytes. It is C-Blosc's, except that
// blocks that zstd splits are large enough for streams of minPlane bytes.
func (c bloscCodec) blockSize(n int) int {
	const small = 32 << 10
	if n < c.elem {
		return 1
	}
	block := n
	if n >= small {
		block = small * [...]int{1: 1, 2: 2, 3: 4, 4: 8, 5: 8, 6: 16, 7: 16, 8: 16, 9: 16}[c.level] / 2
		if c.inner != LZ4 {
			block *= 2
			if c.level == 9 {
				block *= 2
			}
		}
	}
	switch {
	case !c.splits(block):
	case c.inner == Zstd:
		block = max(block, minPlane*c.elem)
	default:
		block = min(max(min(block, 256<<10)*c.elem, 64<<10), 1<<20)
	}
	block = min(block, n)
	if block > c.elem {
		block = block / c.elem * c.elem
	}
	return block
}

func (c bloscCodec) Encode(dst, src []byte) ([]byte, bool) {
	block := c.blockSize(len(src))
	starts := (len(src) + block - 1) / block * 4
	limit := len(src) - 1
	if len(src) < minBlosc || len(src) > maxBlosc || bloscHeader+starts > limit {
		return dst[:0], false
	}
	if cap(dst) < limit {
		dst = make([]byte, limit)
	}
	dst = dst[:limit]
	c.writeHeader(dst, len(src), block)
	s := getScratch()
	defer s.free()
	n := bloscHeader + starts
	for i := 0; i*block < len(src); i++ {
		binary.LittleEndian.PutUint32(dst[bloscHeader+4*i:], uint32(n))
		part := src[i*block : min((i+1)*block, len(src))]
		streams := 1
		if len(part) == block && c.splits(block) {
			streams = c.elem
		}
		size := c.encodeBlock(s, dst[n:], part, streams)
		if size == 0 {
			return dst[:0], false
		}
		n += size
	}
	binary.LittleEndian.PutUint32(dst[12:], uint32(n))
	return dst[:n], true
}

// writeHeader writes the header, except for the size of the container.
func (c bloscCodec) writeHeader(dst []byte, size, block int) {
	flags := c.shuffle | bloscFormats[c.inner]<<5
	if !c.splits(block) {
		flags |= flagOneStream
	}
	dst[0], dst[1], dst[2], dst[3] = 2, 1, flags, byte(c.elem)
	binary.LittleEndian.PutUint32(dst[4:], uint32(size))
	binary.LittleEndian.PutUint32(dst[8:], uint32(block))
}

// encodeBlock shuffles a block and compresses its streams into dst. It returns their length, or 0
// if they do not fit.
func (c bloscCodec) encodeBlock(s *scratch, dst, src []byte, streams int) int {
	switch {
	case c.shuffle == flagShuffle && c.elem > 1:
		sorted := s.block(len(src))
		ShuffleBytes(sorted, src, c.elem)
		src = sorted
	case c.shuffle == flagBitShuffle:
		sorted := s.block(len(src))
		bitShuffle(sorted, src, s.bitBlock(len(src)), c.elem)
		src = sorted
	}
	n := 0
	for length := len(src) / streams; len(src) > 0; src = src[length:] {
		if len(dst) < n+4 {
			return 0
		}
		size := c.encodeStream(s, dst[n+4:], src[:length])
		if size == 0 {
			return 0
		}
		binary.LittleEndian.PutUint32(dst[n:], uint32(size))
		n += 4 + size
	}
	return n
}

// encodeStream compresses a stream into dst, or copies it if compressing does not shorten it. It
// returns the length, or 0 if neither fits.
func (c bloscCodec) encodeStream(s *scratch, dst, src []byte) int {
	n, limit := 0, min(len(dst), len(src)-1)
	switch c.inner {
	case LZ4:
		n = compressLZ4(dst[:limit], src, 10-c.level)
	case LZ4HC:
		n = compressLZ4HC(dst[:limit], src, max(2, 1<<(c.level-1)))
	case Zlib:
		n = compressZlib(dst[:limit], src, c.level)
	case Zstd:
		if encoded := zstdEncoder(c.zstdLevel()).EncodeAll(src, s.stream(zstdBound(len(src)))[:0]); len(encoded) <= limit {
			n = copy(dst, encoded)
		}
	}
	if n == 0 && len(dst) >= len(src) {
		n = copy(dst, src)
	}
	return n
}

// zstdLevel returns the zstd level that C-Blosc uses for level c.level of its own: the highest one
// for 9, two below it for 8, and 2n - 1 for the others.
func (c bloscCodec) zstdLevel() int {
	switch c.level {
	case 9:
		return maxLevels[Zstd]
	case 8:
		return maxLevels[Zstd] - 2
	}
	return 2*c.level - 1
}
