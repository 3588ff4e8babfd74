package zarr

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

// A shard describes the division of an array's chunks into inner chunks, each of which is encoded
// separately. A file contains the inner chunks in any order, and an index with the offset and the
// length of each, 8 bytes each. Both have all bits set for a missing inner chunk.
type shard struct {
	chunk      []int    // extents of the inner chunks
	order      nd.Order // order of the inner chunks in the index
	indexCodec []codec  // codecs of the index, in the order of decoding: a checksum or none
	big        bool     // the index is big-endian
	atStart    bool     // the index lies before the chunks
}

// setShard decodes the codec sharding_indexed. Its inner codecs become the codecs of the array.
func (a *array) setShard(n extension) error {
	var c struct {
		Chunk    []int       `json:"chunk_shape"`
		Codecs   []extension `json:"codecs"`
		Index    []extension `json:"index_codecs"`
		Location string      `json:"index_location"`
	}
	if err := n.config(&c); err != nil {
		return err
	}
	if a.shard != nil {
		return fmt.Errorf("shards within shards: %w; zarr-python rewrites the array with chunks in shards", ErrCodec)
	}
	if len(c.Chunk) != len(a.chunk) {
		return errkind.Errorf(nd.ErrRank, "sharding_indexed: chunks %v of shards %v: want as many dimensions", c.Chunk, a.chunk)
	}
	if c.Location != "" && c.Location != "start" && c.Location != "end" {
		return errkind.Errorf(ErrFormat, "sharding_indexed: index_location %q is neither start nor end", short(c.Location))
	}
	s := &shard{chunk: make([]int, len(c.Chunk)), order: a.order, atStart: c.Location == "start"}
	for i, d := range a.order.Dims(len(c.Chunk)) { // as earlier codecs ordered them
		if s.chunk[d] = c.Chunk[i]; s.chunk[d] < 1 || a.chunk[d]%s.chunk[d] != 0 {
			return errkind.Errorf(ErrFormat, "sharding_indexed: dimension %d: chunks of %d do not divide shards of %d", d, s.chunk[d], a.chunk[d])
		}
	}
	if err := s.setIndexCodecs(c.Index); err != nil {
		return err
	}
	a.shard = s
	return a.setCodecs3(c.Codecs)
}

// setIndexCodecs decodes the codecs of the index: bytes, then at most a checksum.
func (s *shard) setIndexCodecs(list []extension) (err error) {
	if len(list) == 0 || list[0].Name != "bytes" && list[0].Name != "endian" {
		return fmt.Errorf("sharding_indexed: the index has no codec bytes: %w; zarr-python rewrites the array with it", ErrCodec)
	}
	if s.big, err = parseBytes(list[0], elementType{size: 8}); err != nil {
		return err
	}
	for _, n := range list[1:] {
		c, err := newCodec(n.Name, n.Configuration)
		if err != nil {
			return err
		}
		if _, ok := c.(checksum); !ok {
			return fmt.Errorf("sharding_indexed: codec %s of the index: %w: only checksums are; %s", n.Name, ErrCodec, rewritten)
		}
		s.indexCodec = slices.Insert(s.indexCodec, 0, c)
	}
	return nil
}

// A shardIndex is the decoded index of a shard: offset and length of each inner chunk, in the order
// of the index.
type shardIndex []extentInFile

// An extentInFile locates an inner chunk in a shard.
type extentInFile struct{ offset, length uint64 }

// missing reports whether the inner chunk is missing.
func (e extentInFile) missing() bool { return e.offset == math.MaxUint64 && e.length == math.MaxUint64 }

// indexBytes returns the number of inner chunks and the bytes of the index in a file. The error
// wraps formats.ErrMemory if reading it takes more than limit.
func (s *shard) indexBytes(outer []int, limit int64) (n, size int, err error) {
	n = 1
	for d, extent := range outer {
		var ok bool
		if n, ok = nd.Mul(n, extent/s.chunk[d]); !ok {
			n = math.MaxInt
			break
		}
	}
	if int64(n) > limit/32 { // encoded and decoded
		return 0, 0, errkind.Errorf(formats.ErrMemory, "shards %v of chunks %v: the index takes more than %d bytes", outer, s.chunk, limit)
	}
	return n, 16*n + 4*len(s.indexCodec), nil
}

// readIndex reads the index of a shard of the given size.
func (s *shard) readIndex(r io.ReaderAt, fileSize int64, outer []int, limit int64) (shardIndex, error) {
	n, size, err := s.indexBytes(outer, limit)
	if err != nil {
		return nil, err
	}
	if int64(size) > fileSize {
		return nil, errkind.Of(ErrFormat, errkind.Errorf(io.ErrUnexpectedEOF, "a shard of %d bytes, its index has %d", fileSize, size))
	}
	data, at := make([]byte, size), fileSize-int64(size)
	if s.atStart {
		at = 0
	}
	if _, err := r.ReadAt(data, at); err != nil && err != io.EOF {
		return nil, bare(err)
	}
	return s.parseIndex(data, n, fileSize)
}

// parseIndex decodes and checks an index of n chunks in a file of the given size.
func (s *shard) parseIndex(data []byte, n int, fileSize int64) (_ shardIndex, err error) {
	for _, c := range s.indexCodec {
		if data, err = c.decode(data, len(data)); err != nil {
			return nil, fmt.Errorf("index of the shard: %w", err)
		}
	}
	if len(data) != 16*n {
		return nil, errkind.Errorf(ErrFormat, "index of the shard: %d bytes, expected %d", len(data), 16*n)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if s.big {
		order = binary.BigEndian
	}
	index := make(shardIndex, n)
	for i := range index {
		e := &index[i]
		e.offset, e.length = order.Uint64(data[16*i:]), order.Uint64(data[16*i+8:])
		if e.missing() {
			continue
		}
		if size := uint64(fileSize); e.offset > size || e.length > size-e.offset {
			return nil, errkind.Errorf(ErrFormat, "index of the shard: chunk %d: %d bytes at byte %d of %d", i, e.length, e.offset, size)
		}
	}
	return index, nil
}
