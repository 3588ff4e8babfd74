//go:build (hdf5 || netcdf) && cgo

package h5filter

import (
	"fmt"
	"slices"

	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/codec"
	"drx/internal/errkind"
)

// The numbers of the filters.
const (
	Blosc = 32001
	LZ4   = 32004
	Zstd  = 32015
)

// The indices of blosc's parameters: two versions, the bytes of an element and of a chunk, level,
// shuffle and compressor. The last three may be missing.
const (
	bloscElement = iota + 2
	bloscChunk
	bloscLevel
	bloscShuffle
	bloscInner
	bloscValues
)

// bloscInners are the compressors inside blosc, by number. DRX reads but does not write those
// without a name.
var bloscInners = []string{"", codec.LZ4, codec.LZ4HC, "", codec.Zlib, codec.Zstd}

// bloscShuffles are the shuffles of blosc, by number.
var bloscShuffles = []string{codec.NoShuffle, codec.Shuffle, codec.BitShuffle}

// Of returns the number and the parameters of the filter for a codec, for chunks of chunk bytes
// with elements of element bytes. has is false if no filter compresses as the codec does.
func Of(c formats.CodecSpec, element, chunk int) (id int, values []uint32, has bool) {
	switch c.Name {
	case "zstd":
		return Zstd, []uint32{uint32(c.Level)}, true
	case "lz4":
		return LZ4, []uint32{0}, true // one block
	case "blosc":
		shuffle := 1
		if c.Shuffle != "" {
			shuffle = slices.Index(bloscShuffles, c.Shuffle)
		}
		inner := slices.Index(bloscInners, c.Blosc)
		if c.Blosc == "" || shuffle < 0 || inner < 0 || int64(chunk) > 1<<32-1 {
			return 0, nil, false
		}
		const version, container = 2, 2
		return Blosc, []uint32{version, container, uint32(element), uint32(chunk), uint32(c.Level), uint32(shuffle), uint32(inner)}, true
	}
	return 0, nil, false
}

// Encode returns the bytes that a filter stores for a chunk. Goroutines may call it without the
// mutex of libhdf5.
func Encode(id int, values []uint32, chunk []byte) ([]byte, error) {
	value := func(i, usual int) int {
		if i < len(values) && values[i] < 1<<31 {
			return int(values[i])
		}
		return usual
	}
	switch id {
	case Zstd:
		return codec.EncodeZstd(chunk, min(max(value(0, 3), 1), 22))
	case LZ4:
		return codec.EncodeLZ4HDF5(nil, chunk, value(0, 0)), nil
	}
	spec := codec.Spec{Level: min(value(bloscLevel, 5), 9), Shuffle: codec.Shuffle}
	if i := value(bloscShuffle, 1); i < len(bloscShuffles) {
		spec.Shuffle = bloscShuffles[i]
	}
	if i := value(bloscInner, 0); i < len(bloscInners) {
		spec.Inner = bloscInners[i]
	}
	if spec.Inner == "" { // another program's dataset; readers accept any inner codec
		spec.Inner = codec.LZ4
	}
	return codec.EncodeBlosc(chunk, spec, value(bloscElement, 1))
}

// decodedSize returns the size of a filter's output in bytes, from the header of its input. A zstd
// frame may omit its size; usual, the size of a chunk, is then assumed.
func decodedSize(id int, stored []byte, usual int64) (int64, error) {
	switch id {
	case Zstd:
		n, said, err := codec.ZstdSize(stored)
		switch {
		case err == nil && !said && usual > 0:
			return usual, nil
		case err == nil && !said:
			return 0, errkind.Errorf(codec.ErrFrame, "it does not say how many bytes it has")
		}
		return int64(min(n, 1<<62)), err
	case LZ4:
		n, err := codec.LZ4HDF5Size(stored)
		return int64(min(n, 1<<62)), err
	}
	return codec.BloscSize(stored)
}

// Has reports whether a filter is one of this package, by its number.
func Has(id int) bool { return id == Blosc || id == LZ4 || id == Zstd }

// Decode decodes the output of a filter to dst, which it must fill. Goroutines may call it without
// the mutex of libhdf5. The error names the filter.
func Decode(id int, dst, stored []byte) error {
	n := int64(len(dst))
	size, err := decodedSize(id, stored, n)
	if err == nil {
		err = Chunk{Bytes: n, First: id, FirstBytes: n}.checkSize(id, size)
	}
	if err == nil {
		err = decode(id, dst, stored)
	}
	if err != nil {
		return cformat.InFilter(id, err)
	}
	return nil
}

// decode decodes the output of a filter into dst, which has the length from decodedSize.
func decode(id int, dst, stored []byte) error {
	switch id {
	case Zstd:
		return codec.DecodeZstd(dst, stored)
	case LZ4:
		return codec.DecodeLZ4HDF5(dst, stored)
	}
	return codec.DecodeBlosc(dst, stored)
}

// A Chunk describes the chunks that are read or written next.
type Chunk struct {
	Bytes int64 // size of a chunk; 0 if unknown, as of the parts of a virtual dataset
	Most  int64 // limit of a filter's decoded size if Bytes is 0
	// First is the filter that encodes a chunk first, after filters whose output size is known, and
	// FirstBytes the size that it must decode to. First is 0 if that filter is not one of this
	// package.
	First      int
	FirstBytes int64
}

// NewChunk returns the Chunk for chunks of bytes bytes, or of unknown size (0) with the limit most.
// filters are the numbers of their filters in the order of encoding.
func NewChunk(bytes, most int64, filters []int) Chunk {
	const sum = 4 // bytes of fletcher32
	c := Chunk{Bytes: bytes, Most: most}
	for i, id := range filters {
		switch {
		case id == cformat.FilterShuffle:
		case id == cformat.FilterFletcher32:
			bytes += sum
		case Has(id) && c.Bytes > 0 && !slices.Contains(filters[i+1:], id):
			c.First, c.FirstBytes = id, bytes
			return c
		default:
			return c
		}
	}
	return c
}

// expected describes the chunks that are being read or written, see Expect.
var expected Chunk

// usualMost is the limit when no chunk is expected, as for data that libhdf5 itself stores.
const usualMost = 1 << 20

// slack returns by how many bytes a filter may exceed a chunk of n bytes when it decodes: its
// output may be that of other filters for the chunk.
func slack(n int64) int64 { return n/16 + 4<<10 }

// Expect sets the chunks that are read or written until the next call of Expect. A filter refuses
// output that is larger than the chunk allows or has the wrong size, before it allocates memory.
func Expect(c Chunk) { failed, expected = nil, c }

// failed is the last error of a filter since the last call of Expect.
var failed error

// Failed returns the error of a filter since the last call of Expect, nil if there was none.
// libnetcdf does not report the reason.
func Failed() error { return failed }

// checkSize returns an error if the output of a filter cannot have the given size.
func (c Chunk) checkSize(id int, size int64) error {
	most := c.Most
	if c.Bytes > 0 {
		most = c.Bytes + slack(c.Bytes)
	}
	switch {
	case c.First == id && size != c.FirstBytes:
		return errkind.Errorf(codec.ErrFrame, "it has %d bytes by its header instead of %d", size, c.FirstBytes)
	case size <= most:
		return nil
	case c.Bytes > 0:
		return errkind.Errorf(codec.ErrFrame, "it has %d bytes by its header, and a chunk has %d", size, c.Bytes)
	}
	return errkind.Errorf(codec.ErrFrame, "it has %d bytes by its header, the limit is %d", size, most)
}

// errMemory returns the error for n bytes that libhdf5 cannot allocate.
func errMemory(n int) error { return fmt.Errorf("%d bytes: %w", n, formats.ErrMemory) }
