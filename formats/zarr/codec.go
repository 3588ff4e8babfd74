package zarr

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"io"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	frames "drx/internal/codec"

	"drx/internal/errkind"
)

// A codec encodes and decodes the bytes of a chunk.
type codec interface {
	// decode returns the decoded bytes, which may share the memory of src. If there are more than
	// limit, it returns an error that wraps ErrFormat, as for damaged bytes.
	decode(src []byte, limit int) ([]byte, error)
	// encode returns the encoded bytes, which may share the memory of src.
	encode(src []byte) ([]byte, error)
	// spec returns the name and the configuration of the codec in the given version of the
	// metadata.
	spec(version int) (name string, config map[string]any)
}

// newCodec returns the codec with the given name and configuration. In version 2 the configuration
// contains the name. The names of codecs that version 3 does not define begin with numcodecs.
func newCodec(name string, config json.RawMessage) (codec, error) {
	var c struct {
		Level       int    `json:"level"`
		Checksum    bool   `json:"checksum"`
		ElementSize int    `json:"elementsize"`
		Location    string `json:"location"`
	}
	if len(config) > 0 {
		// The members of an unknown codec may have other types.
		_ = json.Unmarshal(config, &c)
	}
	switch id := strings.TrimPrefix(name, "numcodecs."); id {
	case "gzip", "zlib", "bz2":
		return deflate{id, c.Level}, nil
	case "zstd":
		return zstandard{c.Level, c.Checksum}, nil
	case "lz4":
		return lz4Block{}, nil
	case "blosc":
		return newBlosc(config)
	case "crc32c", "crc32", "adler32", "fletcher32":
		atStart := id != "crc32c" && id != "fletcher32"
		if c.Location != "" {
			atStart = c.Location == "start"
		}
		return checksum{id, atStart}, nil
	case "shuffle":
		if c.ElementSize < 1 || c.ElementSize > maxTypeSize {
			return nil, errkind.Errorf(ErrFormat, "codec shuffle: elements of %d bytes: want 1 to %d", c.ElementSize, maxTypeSize)
		}
		return shuffle{c.ElementSize}, nil
	}
	return nil, fmt.Errorf("codec %q: %w: known are gzip, zlib, bz2, zstd, lz4, blosc, shuffle and checksums; zarr-python rewrites the array with another", short(name), ErrCodec)
}

// damaged returns the error of a codec for bytes that it cannot decode.
func damaged(codec, format string, args ...any) error {
	return errkind.Errorf(ErrFormat, "%s: %s", codec, fmt.Sprintf(format, args...))
}

// deflate is gzip or zlib, or bz2, which is only decoded.
type deflate struct {
	id    string
	level int
}

func (d deflate) decode(src []byte, limit int) ([]byte, error) {
	var r io.Reader
	var err error
	switch d.id {
	case "gzip":
		r, err = gzip.NewReader(bytes.NewReader(src))
	case "zlib":
		r, err = zlib.NewReader(bytes.NewReader(src))
	default:
		r = bzip2.NewReader(bytes.NewReader(src))
	}
	if err != nil {
		return nil, damaged(d.id, "%v", err)
	}
	return readUpTo(d.id, r, limit)
}

// readUpTo reads all of r, which must not have more than limit bytes.
func readUpTo(name string, r io.Reader, limit int) ([]byte, error) {
	out := make([]byte, 0, min(limit, 4<<20)+1)
	for {
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case len(out) > limit:
			return nil, damaged(name, "more than %d bytes", limit)
		case err == io.EOF:
			return out, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("%w: %w", damaged(name, "ends after %d decoded bytes", len(out)), err)
		case err != nil:
			return nil, damaged(name, "after %d bytes: %v", len(out), err)
		}
		if len(out) == cap(out) { // grows to at most one byte more than limit
			grown := make([]byte, len(out), min(2*cap(out), limit+1))
			copy(grown, out)
			out = grown
		}
	}
}

func (d deflate) encode(src []byte) ([]byte, error) {
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch d.id {
	case "gzip":
		w, err = gzip.NewWriterLevel(&out, d.level)
	case "zlib":
		w, err = zlib.NewWriterLevel(&out, d.level)
	default:
		err = fmt.Errorf("%s: %w", d.id, errors.ErrUnsupported)
	}
	if err != nil {
		return nil, err
	}
	if _, err = w.Write(src); err == nil {
		err = w.Close()
	}
	return out.Bytes(), err
}

func (d deflate) spec(version int) (string, map[string]any) {
	if version == 3 && d.id != "gzip" {
		return "numcodecs." + d.id, map[string]any{"level": d.level}
	}
	return d.id, map[string]any{"level": d.level}
}

// zstandard is a zstd frame.
type zstandard struct {
	level    int
	checksum bool
}

// zstdDecoders holds unused decoders, of type *zstdDecoder: making one takes as long as decoding a
// small chunk.
var zstdDecoders sync.Pool

// A zstdDecoder decodes frames of at most limit bytes.
type zstdDecoder struct {
	*zstd.Decoder
	limit int
}

// zstdDecoderFor returns a decoder for frames of at most limit bytes.
func zstdDecoderFor(limit int) (*zstdDecoder, error) {
	if d, ok := zstdDecoders.Get().(*zstdDecoder); ok {
		if d.limit == limit {
			return d, nil
		}
		d.Close()
	}
	// The decoder's limit also applies to the window, which may be larger than its content.
	most := max(uint64(limit), maxWindow)
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(most), zstd.WithDecoderMaxWindow(most))
	return &zstdDecoder{d, limit}, err
}

func (z zstandard) decode(src []byte, limit int) ([]byte, error) {
	d, err := zstdDecoderFor(limit)
	if err != nil {
		return nil, err
	}
	defer zstdDecoders.Put(d)
	out, err := d.DecodeAll(src, nil)
	if err != nil {
		return nil, damaged("zstd", "%v", err)
	}
	if len(out) > limit {
		return nil, damaged("zstd", "more than %d bytes", limit)
	}
	return out, nil
}

// maxWindow is the largest zstd window accepted for chunks that are smaller than the window. Levels
// up to 19 use no larger one.
const maxWindow = 8 << 20

func (z zstandard) encode(src []byte) ([]byte, error) {
	// A single-segment frame states the size of its content, as numcodecs requires, even below 256
	// bytes.
	w, err := zstd.NewWriter(nil, zstd.WithSingleSegment(true), zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(z.level)),
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(z.checksum))
	if err != nil {
		return nil, err
	}
	return w.EncodeAll(src, nil), w.Close()
}

func (z zstandard) spec(version int) (string, map[string]any) {
	if version == 2 {
		return "zstd", map[string]any{"level": z.level}
	}
	return "zstd", map[string]any{"level": z.level, "checksum": z.checksum}
}

// lz4Block is the size of the decoded bytes, 4 bytes little-endian, and a block of LZ4.
type lz4Block struct{}

func (lz4Block) decode(src []byte, limit int) ([]byte, error) {
	if len(src) < 4 {
		return nil, damaged("lz4", "%d bytes", len(src))
	}
	size := binary.LittleEndian.Uint32(src)
	if int64(size) > int64(limit) {
		return nil, damaged("lz4", "%d bytes, more than %d", size, limit)
	}
	out := make([]byte, size)
	n, err := lz4.UncompressBlock(src[4:], out)
	if err != nil || n != len(out) {
		return nil, damaged("lz4", "%d bytes of %d: %v", n, size, err)
	}
	return out, nil
}

func (lz4Block) encode(src []byte) ([]byte, error) {
	out := make([]byte, 4+lz4.CompressBlockBound(len(src)))
	binary.LittleEndian.PutUint32(out, uint32(len(src)))
	n, err := lz4.CompressBlock(src, out[4:], nil)
	return out[:4+n], err
}

func (lz4Block) spec(version int) (string, map[string]any) {
	if version == 3 {
		return "numcodecs.lz4", nil
	}
	return "lz4", nil
}

// checksum adds a checksum of 4 bytes, little-endian, before or after the bytes.
type checksum struct {
	id      string
	atStart bool
}

func (c checksum) decode(src []byte, _ int) ([]byte, error) {
	if len(src) < 4 {
		return nil, damaged(c.id, "%d bytes", len(src))
	}
	data, stored := src[:len(src)-4], src[len(src)-4:]
	if c.atStart {
		data, stored = src[4:], src[:4]
	}
	if got, want := c.sum(data), binary.LittleEndian.Uint32(stored); got != want {
		return nil, damaged(c.id, "checksum %08x, the chunk says %08x", got, want)
	}
	return data, nil
}

func (c checksum) encode(src []byte) ([]byte, error) {
	out := make([]byte, 0, len(src)+4)
	if c.atStart {
		return append(binary.LittleEndian.AppendUint32(out, c.sum(src)), src...), nil
	}
	return binary.LittleEndian.AppendUint32(append(out, src...), c.sum(src)), nil
}

func (c checksum) spec(version int) (string, map[string]any) {
	if version == 3 && c.id != "crc32c" {
		return "numcodecs." + c.id, nil
	}
	return c.id, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (c checksum) sum(data []byte) uint32 {
	switch c.id {
	case "crc32c":
		return crc32.Checksum(data, castagnoli)
	case "crc32":
		return crc32.ChecksumIEEE(data)
	case "adler32":
		return adler32.Checksum(data)
	}
	return fletcher32(data)
}

// fletcher32 is the checksum of HDF5, over big-endian pairs of bytes. The last may be a single
// byte.
func fletcher32(data []byte) uint32 {
	var a, b uint32
	for len(data) >= 2 {
		for n := min(len(data)/2, 360); n > 0; n-- { // 360 terms do not overflow
			a += uint32(data[0])<<8 | uint32(data[1])
			b += a
			data = data[2:]
		}
		a, b = a&0xffff+a>>16, b&0xffff+b>>16
	}
	if len(data) == 1 {
		a += uint32(data[0]) << 8
		b += a
		a, b = a&0xffff+a>>16, b&0xffff+b>>16
	}
	a, b = a&0xffff+a>>16, b&0xffff+b>>16
	return b<<16 | a
}

// shuffle is the filter that groups the first bytes of all elements, then the second bytes, and so
// on.
type shuffle struct{ size int }

func (s shuffle) decode(src []byte, _ int) ([]byte, error) {
	out := make([]byte, len(src))
	frames.UnshuffleBytes(out, src, s.size)
	return out, nil
}

func (s shuffle) encode(src []byte) ([]byte, error) {
	out := make([]byte, len(src))
	frames.ShuffleBytes(out, src, s.size)
	return out, nil
}

func (s shuffle) spec(version int) (string, map[string]any) {
	name := map[int]string{2: "shuffle", 3: "numcodecs.shuffle"}[version]
	return name, map[string]any{"elementsize": s.size}
}
