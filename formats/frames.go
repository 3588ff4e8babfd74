package formats

import (
	"drx/internal/errkind"
	"drx/nd"
)

// A FrameWriter is a Writer of a format whose compressed chunks are frames that an array may have,
// too, so that they need not be compressed again.
type FrameWriter interface {
	Writer
	// TakesFrames reports whether WriteFrame may be called: whether chunks are what this codec makes
	// of their little-endian elements, and nothing else.
	TakesFrames(c Codec) bool
	// LeftOut returns the element that all of a chunk has which the file leaves out; nil if readers
	// do not agree on it.
	LeftOut() []byte
	// WriteFrame writes the chunk with an index in the grid of chunks, instead of WriteSection with
	// its elements. The frame has all elements of the chunk in Info.Order, also those beyond the
	// shape. nil leaves the chunk out.
	WriteFrame(chunkIndex []int, frame []byte) error
}

// A FrameReader is a Reader of a format whose compressed chunks are frames that an array may have,
// too.
type FrameReader interface {
	Reader
	// ReadFrame returns the chunk with an index in the grid of chunks of Info.Chunk as the file has
	// it, in memory of its own: what a codec, and nothing else, made of all its little-endian elements
	// in Info.Order, also those beyond the shape. It is nil if the chunk is missing, or is not stored
	// so: ReadSection reads it. Nobody has looked whether it is damaged.
	ReadFrame(chunkIndex []int) ([]byte, error)
}

// ChunkSection returns the elements of the chunk with an index in the grid of chunks of i.Chunk, as
// far as the variable has them. The error wraps nd.ErrBounds if there is no such chunk.
func (i Info) ChunkSection(chunkIndex []int) (nd.Section, error) {
	sec := make(nd.Section, len(i.Shape))
	if len(chunkIndex) != len(i.Shape) || len(i.Chunk) != len(i.Shape) {
		return nil, errkind.Errorf(nd.ErrRank, "chunk %v: the variable has %d dimensions, and chunks of %v", chunkIndex, len(i.Shape), i.Chunk)
	}
	for d, at := range chunkIndex {
		n := nd.CeilDiv(i.Shape[d], i.Chunk[d])
		if at < 0 || at >= n {
			return nil, errkind.Errorf(nd.ErrBounds, "chunk %v: dimension %d has %d chunks", chunkIndex, d, n)
		}
		sec[d] = nd.Span(at*i.Chunk[d], min(i.Shape[d], (at+1)*i.Chunk[d]))
	}
	return sec, nil
}
