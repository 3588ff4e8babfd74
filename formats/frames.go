package formats

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
