package zarr

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zlib"
	"github.com/pierrec/lz4/v4"
)

// blosc is the container of C-Blosc 1:
//
//	1 byte    version of the format, at most 2
//	1 byte    version of the compressor
//	1 byte    flags: 1 bytes are shuffled, 2 not compressed, 4 bits are shuffled, 16 one
//	          stream per block; the upper three bits are the compressor
//	1 byte    bytes of an element
//	4 bytes   decoded bytes, little-endian as the next ones
//	4 bytes   decoded bytes of a block; the last block may have fewer
//	4 bytes   encoded bytes, with this header
//	4 bytes   per block: where it begins
//
// A block consists of one stream, or of one for each byte of an element. A stream is its size, 4
// bytes, and its bytes, which are not compressed if there are as many as decoded ones.
type blosc struct {
	cname     string
	clevel    int
	shuffle   int // 0 none, 1 bytes, 2 bits
	typeSize  int // of elements; in version 2 the size of the dtype
	blockSize int
}

const (
	bloscHeader    = 16
	bloscShuffle   = 1
	bloscStored    = 2
	bloscBits      = 4
	bloscOneStream = 16

	maxTypeSize   = 255 // larger elements count as bytes
	maxSplits     = 16  // bytes of elements that have a stream each
	minSplitBytes = 128 // elements in a block that has several streams

	bloscBlock = 256 << 10 // bytes of the blocks that encode makes
)

// bloscFormats are the compressors by their number.
var bloscFormats = []string{"blosclz", "lz4", "snappy", "zlib", "zstd"}

// bloscShuffles are the names of the shuffles in version 3.
var bloscShuffles = []string{"noshuffle", "shuffle", "bitshuffle"}

// newBlosc returns the codec for a configuration. Only encode uses it: the chunks say themselves
// how they were made.
func newBlosc(config json.RawMessage) (codec, error) {
	var c struct {
		Cname     string          `json:"cname"`
		Level     int             `json:"clevel"`
		Shuffle   json.RawMessage `json:"shuffle"`
		TypeSize  int             `json:"typesize"`
		BlockSize int             `json:"blocksize"`
	}
	if len(config) > 0 {
		if err := json.Unmarshal(config, &c); err != nil {
			return nil, fmt.Errorf("codec blosc: %s: %w: %w", short(config), ErrFormat, err)
		}
	}
	return blosc{cname: c.Cname, clevel: c.Level, typeSize: c.TypeSize, blockSize: c.BlockSize}, nil
}

// A bloscChunk is the header of a chunk.
type bloscChunk struct {
	flags    byte
	typeSize int
	size     int // decoded
	block    int
	blocks   int
	src      []byte
}

// parseBlosc checks the header of a chunk.
func parseBlosc(src []byte, limit int) (c bloscChunk, err error) {
	if len(src) < bloscHeader {
		return c, damaged("blosc", "%d bytes, the header has 16", len(src))
	}
	if src[0] == 0 || src[0] > 2 {
		return c, damaged("blosc", "version %d: known are 1 and 2", src[0])
	}
	size, block, encoded := binary.LittleEndian.Uint32(src[4:]), binary.LittleEndian.Uint32(src[8:]), binary.LittleEndian.Uint32(src[12:])
	switch {
	case int64(size) > int64(limit) || size > math.MaxInt32:
		return c, damaged("blosc", "%d bytes, more than %d", size, limit)
	case int64(encoded) != int64(len(src)):
		return c, damaged("blosc", "%d encoded bytes, found %d", encoded, len(src))
	case src[3] == 0:
		return c, damaged("blosc", "elements of 0 bytes")
	case size > 0 && (block == 0 || block > max(size, bloscHeader)):
		return c, damaged("blosc", "blocks of %d bytes in %d", block, size)
	}
	c = bloscChunk{flags: src[2], typeSize: int(src[3]), size: int(size), block: int(block), src: src}
	if size > 0 {
		c.blocks = (c.size + c.block - 1) / c.block
	}
	return c, nil
}

func (blosc) decode(src []byte, limit int) ([]byte, error) {
	c, err := parseBlosc(src, limit)
	if err != nil {
		return nil, err
	}
	if c.flags&bloscStored != 0 {
		if len(src)-bloscHeader != c.size {
			return nil, damaged("blosc", "%d bytes after the header, expected %d", len(src)-bloscHeader, c.size)
		}
		return src[bloscHeader:], nil
	}
	if len(src)-bloscHeader < 4*c.blocks {
		return nil, damaged("blosc", "%d bytes for the starts of %d blocks", len(src)-bloscHeader, c.blocks)
	}
	out := make([]byte, c.size)
	var work []byte
	if c.flags&(bloscShuffle|bloscBits) != 0 {
		work = make([]byte, c.block)
	}
	for i := range c.blocks {
		if err := c.decodeBlock(i, out[i*c.block:min((i+1)*c.block, c.size)], work); err != nil {
			return nil, fmt.Errorf("block %d: %w", i, err)
		}
	}
	return out, nil
}

// decodeBlock decodes block i to out. work holds a block while it is shuffled.
func (c bloscChunk) decodeBlock(i int, out, work []byte) error {
	start := binary.LittleEndian.Uint32(c.src[bloscHeader+4*i:])
	if int64(start) > int64(len(c.src)) {
		return damaged("blosc", "starts at byte %d of %d", start, len(c.src))
	}
	src, to := c.src[start:], out
	byteShuffled, bitShuffled := c.flags&bloscShuffle != 0 && c.typeSize > 1, c.flags&bloscBits != 0 && c.block >= c.typeSize
	if byteShuffled || bitShuffled {
		to = work[:len(out)]
	}
	streams := 1
	if c.flags&bloscOneStream == 0 && c.typeSize <= maxSplits && c.block/c.typeSize >= minSplitBytes && len(out) == c.block {
		streams = c.typeSize
	}
	if len(out)%streams != 0 {
		return damaged("blosc", "%d bytes in %d streams", len(out), streams)
	}
	for s, n := 0, len(out)/streams; s < streams; s++ {
		if len(src) < 4 {
			return damaged("blosc", "stream %d is cut", s)
		}
		size := binary.LittleEndian.Uint32(src)
		if src = src[4:]; int64(size) > int64(len(src)) {
			return damaged("blosc", "stream %d of %d bytes, found %d", s, size, len(src))
		}
		if err := c.decodeStream(to[s*n:(s+1)*n], src[:size]); err != nil {
			return fmt.Errorf("stream %d: %w", s, err)
		}
		src = src[size:]
	}
	switch {
	case byteShuffled:
		unshuffleBytes(out, to, c.typeSize)
	case bitShuffled:
		unshuffleBits(out, to, c.typeSize)
	}
	return nil
}

// decodeStream decodes a stream, which must fill out.
func (c bloscChunk) decodeStream(out, src []byte) (err error) {
	if len(src) == len(out) {
		copy(out, src)
		return nil
	}
	var n int
	switch format := int(c.flags >> 5); format {
	case 0:
		n, err = decodeBloscLZ(out, src)
	case 1:
		n, err = lz4.UncompressBlock(src, out)
	case 2:
		if n, err = snappy.DecodedLen(src); err == nil && n == len(out) {
			_, err = snappy.Decode(out, src)
		}
	case 3, 4:
		var got []byte
		if format == 3 {
			got, err = deflate{id: "zlib"}.decode(src, len(out))
		} else {
			got, err = zstandard{}.decode(src, len(out))
		}
		n = copy(out, got)
	default:
		return damaged("blosc", "compressor %d is not known", format)
	}
	if err != nil || n != len(out) {
		return damaged("blosc", "%d bytes of %d: %v", n, len(out), err)
	}
	return nil
}

// decodeBloscLZ decodes BloscLZ, a kind of FastLZ: runs of literal bytes, each after its length
// less one, below 32; and matches: three bits of the length, five of the distance, more bytes of
// the length, a byte of the distance. The largest distance is followed by two bytes more of it. It
// returns the number of bytes decoded.
func decodeBloscLZ(out, src []byte) (n int, err error) {
	const farthest = 8191
	errCut := damaged("blosclz", "the stream is cut")
	for first := true; len(src) > 0; first = false {
		ctrl := int(src[0])
		src = src[1:]
		if first {
			ctrl &= 31 // the first run is literal; the upper bits are the version
		}
		if ctrl < 32 {
			if ctrl++; ctrl > len(src) || ctrl > len(out)-n {
				return n, errCut
			}
			n += copy(out[n:], src[:ctrl])
			src = src[ctrl:]
			continue
		}
		length, distance := ctrl>>5-1, ctrl&31<<8
		for more := length == 6; more; {
			if len(src) == 0 {
				return n, errCut
			}
			length, more = length+int(src[0]), src[0] == 255
			src = src[1:]
		}
		if len(src) == 0 {
			return n, errCut
		}
		distance += int(src[0])
		if src = src[1:]; distance == farthest {
			if len(src) < 2 {
				return n, errCut
			}
			distance += int(src[0])<<8 + int(src[1])
			src = src[2:]
		}
		distance, length = distance+1, length+3
		if distance > n || length > len(out)-n {
			return n, damaged("blosclz", "a match of %d bytes, %d bytes back, at byte %d of %d", length, distance, n, len(out))
		}
		for range length { // the match may overlap what it makes
			out[n] = out[n-distance]
			n++
		}
	}
	return n, nil
}

func (b blosc) encode(src []byte) ([]byte, error) {
	if len(src) > math.MaxInt32-bloscHeader {
		return nil, fmt.Errorf("blosc: a chunk of %d bytes: the limit is %d", len(src), math.MaxInt32-bloscHeader)
	}
	size := b.typeSize
	if size < 1 || size > maxTypeSize {
		size = 1
	}
	// Whole groups of 8 elements, so that the bits of every block but the last can be shuffled.
	block := max(bloscBlock/(8*size), 1) * 8 * size
	block = min(block, max(len(src), 1))
	format := 0
	for i, name := range bloscFormats {
		if name == b.cname || name+"hc" == b.cname {
			format = i
		}
	}
	out := make([]byte, bloscHeader, bloscHeader+len(src))
	out[0], out[1], out[2], out[3] = 2, 1, byte(format<<5|bloscOneStream), byte(size)
	out[2] |= []byte{0, bloscShuffle, bloscBits}[b.shuffle]
	binary.LittleEndian.PutUint32(out[4:], uint32(len(src)))
	binary.LittleEndian.PutUint32(out[8:], uint32(block))
	blocks := (len(src) + block - 1) / block
	out = append(out, make([]byte, 4*blocks)...)
	work := make([]byte, block)
	for i := range blocks {
		binary.LittleEndian.PutUint32(out[bloscHeader+4*i:], uint32(len(out)))
		stream, err := b.encodeBlock(src[i*block:min((i+1)*block, len(src))], work, size)
		if err != nil {
			return nil, err
		}
		out = append(binary.LittleEndian.AppendUint32(out, uint32(len(stream))), stream...)
	}
	if len(out) >= bloscHeader+len(src) {
		out[2] = out[2]&^(bloscShuffle|bloscBits) | bloscStored
		out = append(out[:bloscHeader], src...)
	}
	binary.LittleEndian.PutUint32(out[12:], uint32(len(out)))
	return out, nil
}

// encodeBlock returns the stream of a block, which is the block itself if that is not longer.
func (b blosc) encodeBlock(src, work []byte, size int) (stream []byte, err error) {
	work = work[:len(src)]
	switch {
	case b.shuffle == 1 && size > 1:
		shuffleBytes(work, src, size)
	case b.shuffle == 2 && len(src) >= size:
		shuffleBits(work, src, size)
	default:
		copy(work, src)
	}
	switch b.cname {
	case "lz4":
		stream = make([]byte, lz4.CompressBlockBound(len(work)))
		var n int
		n, err = lz4.CompressBlock(work, stream, nil)
		stream = stream[:n]
	case "lz4hc":
		stream = make([]byte, lz4.CompressBlockBound(len(work)))
		var n int
		n, err = lz4.CompressBlockHC(work, stream, lz4.Level9, nil, nil)
		stream = stream[:n]
	case "zstd":
		stream, err = zstandard{level: b.clevel}.encode(work)
	case "zlib":
		var buf bytes.Buffer
		w, _ := zlib.NewWriterLevel(&buf, b.clevel) // the level was checked
		if _, err = w.Write(work); err == nil {
			err = w.Close()
		}
		stream = buf.Bytes()
	default:
		return nil, fmt.Errorf("blosc: compressor %q: known for writing are lz4, lz4hc, zlib and zstd", b.cname)
	}
	if len(stream) == 0 || len(stream) >= len(work) {
		stream = work
	}
	return stream, err
}

func (b blosc) spec(version int) (string, map[string]any) {
	if version == 2 {
		return "blosc", map[string]any{"cname": b.cname, "clevel": b.clevel, "shuffle": b.shuffle, "blocksize": b.blockSize}
	}
	return "blosc", map[string]any{
		"cname": b.cname, "clevel": b.clevel, "shuffle": bloscShuffles[b.shuffle], "blocksize": b.blockSize, "typesize": b.typeSize,
	}
}
