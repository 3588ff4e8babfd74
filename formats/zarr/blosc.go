package zarr

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/klauspost/compress/zlib"
	"github.com/pierrec/lz4/v4"

	frames "drx/internal/codec"
	"drx/internal/errkind"
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

	maxTypeSize = 255 // larger elements count as bytes

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

func (blosc) decode(src []byte, limit int) ([]byte, error) {
	size, err := frames.BloscSize(src)
	switch {
	case err != nil:
		return nil, errkind.Of(ErrFormat, err)
	case size > int64(limit):
		return nil, damaged("blosc", "%d bytes, more than %d", size, limit)
	}
	out := make([]byte, size)
	if err := frames.DecodeBlosc(out, src); err != nil {
		return nil, errkind.Of(ErrFormat, err)
	}
	return out, nil
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
