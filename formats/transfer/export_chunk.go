package transfer

import (
	"fmt"
	"slices"

	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
)

const (
	// chunksInMemory is the largest number of chunks of a file that are in memory while one of them
	// is encoded, as libraries keep copies to convert and to compress. Readers of Zarr count with
	// the same number.
	chunksInMemory = 12
	// leastChunks is the least number of chunks in memory, as when a single one is decoded.
	leastChunks = 3
	// smallChunk is the size of a chunk, in bytes, for which every memory limit is taken to
	// suffice.
	smallChunk = 1 << 20
)

// limitChunks gives variables smaller chunks than their arrays have, where the memory for encoding
// does not suffice for these, and notes it.
func (o *exporter) limitChunks(vars []exportVar) {
	// FITS is not in chunked, but its compressed images have tiles, which may be written in any
	// order.
	if !slices.Contains(chunked, o.Format) && (o.Format != "fits" || o.Deflate == 0) {
		return
	}
	limit := max(o.decoding()/chunksInMemory, smallChunk)
	for i := range vars {
		info := &vars[i].info
		if info.Chunk == nil || chunkBytes(*info) <= limit {
			continue
		}
		large := info.Chunk
		info.Chunk = smallerChunk(large, info.DType.Size(), int(limit))
		if o.Note != nil {
			o.Note(fmt.Sprintf("%s: the array has chunks of %s, of which %d do not fit into the %s for encoding; the file gets chunks of %s",
				wording.Printable(info.Name), DescribeShape(nil, large), chunksInMemory, wording.Bytes(o.decoding()), DescribeShape(nil, info.Chunk)))
		}
	}
}

// checkChunk returns an error if the chunks of a variable that is appended to take too much memory.
// The chunks of an existing file cannot be made smaller.
func (o *exporter) checkChunk(file formats.Info) error {
	bytes := chunkBytes(file)
	if bytes <= max(o.decoding()/leastChunks, smallChunk) {
		return nil
	}
	return errkind.Errorf(formats.ErrMemory, "the file has chunks of %s, each of %s, and encoding takes %d times as much, but there are %s for it, a quarter of a limit that can be raised",
		DescribeShape(nil, file.Chunk), wording.Bytes(bytes), leastChunks, wording.Bytes(o.decoding()))
}

// smallerChunk divides the extents of a chunk, the slowest ones first, until it has at most limit
// bytes. It prefers a divisor of the extent if that is above half of the largest possible one: a
// chunk of the array then consists of whole chunks of the file.
func smallerChunk(chunk []int, size, limit int) []int {
	small := make([]int, len(chunk))
	for d := len(chunk) - 1; d >= 0; d-- { // the slowest dimension gets what the others leave
		n := max(1, min(chunk[d], limit/size))
		for k := n; k > n/2; k-- {
			if chunk[d]%k == 0 {
				n = k
				break
			}
		}
		small[d] = n
		size *= n
	}
	return small
}
