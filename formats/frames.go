package formats

import (
	"drx/internal/errkind"
	"drx/nd"
)

// A FrameWriter is a Writer of a format whose compressed chunks (frames) have the same form as
// those of an array, so that they can be copied without being compressed again.
type FrameWriter interface {
	Writer
	// AcceptsFrames reports whether WriteFrame may be called for frames of a codec: whether a chunk
	// in the file is exactly the output of that codec for its little-endian elements.
	AcceptsFrames(c CodecSpec) bool
	// LeftOut returns the element that readers see everywhere in a chunk that the file leaves out;
	// nil if readers do not agree on it.
	LeftOut() []byte
	// WriteFrame writes the chunk with an index in the grid of chunks, instead of WriteSection with
	// its elements. The frame has all elements of the chunk in Info.Order, including those beyond
	// the shape. A nil frame leaves the chunk out.
	WriteFrame(chunkIndex []int, frame []byte) error
}

// A FrameReader is a Reader of a format whose compressed chunks (frames) have the same form as
// those of an array.
type FrameReader interface {
	Reader
	// ReadFrame returns the chunk with an index in the grid of chunks of Info.Chunk as the file
	// stores it, in memory of its own: the output of a codec for all of its little-endian elements
	// in Info.Order, including those beyond the shape. It returns nil if the chunk is missing or
	// stored in another way; ReadSection then reads it. ReadFrame does not check whether the frame
	// is damaged.
	ReadFrame(chunkIndex []int) ([]byte, error)
}

// ChunkSection returns the section of the chunk with an index in the grid of chunks of i.Chunk,
// clipped to the shape. The error wraps nd.ErrBounds if there is no such chunk.
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
