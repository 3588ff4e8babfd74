package transfer

import (
	"fmt"
	"slices"

	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
)

const (
	// chunksInMemory is how many chunks of a file take memory at once, at the most, while one of
	// them is encoded: libraries keep some, convert and compress them. Readers of Zarr count as
	// many.
	chunksInMemory = 12
	// leastChunks is how many of them take memory at the least, as when one is decoded.
	leastChunks = 3
	// smallChunk is the size of a chunk that all have memory for, in bytes.
	smallChunk = 1 << 20
)

// limitChunks gives the file smaller chunks than the arrays have where the memory for encoding is
// too small for those.
func (o *exporter) limitChunks(vars []exportVar) {
	// The tiles of FITS come in any order.
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

// checkChunk returns an error for a variable of a file that gets more, if its chunks take too much
// memory: those of a file stay as they are.
func (o *exporter) checkChunk(file formats.Info) error {
	bytes := chunkBytes(file)
	if bytes <= max(o.decoding()/leastChunks, smallChunk) {
		return nil
	}
	return errkind.Errorf(formats.ErrMemory, "the file has chunks of %s, each of %s, and encoding takes %d times as much, but there are %s for it, a quarter of a limit that can be raised",
		DescribeShape(nil, file.Chunk), wording.Bytes(bytes), leastChunks, wording.Bytes(o.decoding()))
}

// smallerChunk divides extents of a chunk, the slowest ones first, until it has at most limit
// bytes. Equal parts are better, if they are not much smaller: a chunk of the array then has whole
// chunks of the file.
func smallerChunk(chunk []int, size, limit int) []int {
	small := make([]int, len(chunk))
	for d := len(chunk) - 1; d >= 0; d-- { // the slowest one gets what the others leave
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
