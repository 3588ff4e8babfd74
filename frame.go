package drx

import (
	"bytes"
	"slices"

	"drx/internal/errkind"
	"drx/internal/state"
)

// ReadFrame returns the stored frame of a chunk, given by its index in the chunk grid: the output
// of the array's codec (Layout.Codec), verified against its checksum but not decompressed. Other
// programs can decode these frames. The frame is in the memory of buf if its capacity suffices.
// written is false for a chunk that was never written, which reads as the fill value.
//
// The frame is nil if the chunk is not stored as a frame or others should not see it: if the codec
// does not shorten the chunk; if the chunk extends over the bounds and may hold elements that a
// Shrink has removed; if it was changed but not stored since; or if it is damaged, as Read reports.
// The error wraps ErrClosed, ErrRank or ErrBounds.
func (a *Array) ReadFrame(chunkIndex []int, buf []byte) (frame []byte, written bool, err error) {
	const op = "read frame"
	done, err := a.begin(op, false)
	if err != nil {
		return nil, false, err
	}
	defer done()
	s := a.state.Load()
	if err := checkChunk(s, chunkIndex); err != nil {
		return nil, false, a.errorf(op, err)
	}
	q, inside := s.Grid.Number(chunkIndex)
	if !inside {
		return nil, false, a.errorf(op, ErrBounds)
	}
	if absent, err := a.pool.Absent(q); absent || err != nil {
		return nil, err != nil, nil // damaged: Read reports it
	}
	c := newClip(s)
	copy(c.index, chunkIndex)
	if whole := c.clipChunk(); s.Codec.IsNone() || a.pool.Dirty(q) || !whole && (s.WidestLo != nil || a.fixed) {
		return nil, true, nil
	}
	stored, err := a.store.ReadStored(q, slices.Grow(buf[:0], s.ChunkBytes)[:s.ChunkBytes])
	if err != nil {
		return nil, true, nil // damaged, or just being written
	}
	if frame = stored.Frame(); !s.Codec.Accepts(frame, s.ChunkBytes) {
		return nil, true, nil // such as a frame of a small chunk with a wrong size
	}
	return frame, true, nil
}

// WriteFrame stores a chunk, given by its index in the chunk grid, as a frame made elsewhere: the
// whole chunk, including the part beyond the bounds, compressed by the codec of the array. The
// frame is decompressed once, to check it, and not compressed again.
//
// WriteFrame returns false and changes nothing if the frame cannot be stored: if the codec of the
// array does not make such frames, or the frame is not shorter than the chunk; if it does not
// decompress to a chunk with the fill value beyond the bounds; or if the array is open with
// Options.Shared or in a group. Then use Write. The error wraps ErrReadOnly, ErrClosed, ErrRank or
// ErrBounds, or is the file system's.
func (a *Array) WriteFrame(chunkIndex []int, frame []byte) (written bool, err error) {
	const op = "write frame"
	if err := a.beginChunkChange(); err != nil {
		return false, a.errorf(op, err)
	}
	defer a.endChunkChange()
	written, err = a.writeFrame(chunkIndex, frame)
	return written, a.errorf(op, err)
}

func (a *Array) writeFrame(index []int, frame []byte) (written bool, err error) {
	s := a.state.Load()
	if err := checkChunk(s, index); err != nil {
		return false, err
	}
	q, inside := s.Grid.Number(index)
	switch {
	case !inside:
		return false, ErrBounds
	case a.writer == nil || a.chunks.Writer != a.writer || s.Recompressing != nil || !s.Codec.Accepts(frame, s.ChunkBytes):
		return false, nil
	}
	buf := storedBuffers.Get().(*[]byte)
	defer storedBuffers.Put(buf)
	*buf = slices.Grow((*buf)[:0], s.ChunkBytes)[:s.ChunkBytes]
	if a.store.DecodeFrame(*buf, frame) != nil || !isBlankOutside(s, index, *buf) {
		return false, nil
	}
	return true, a.pool.Overwrite(q, 1, func() error { return a.writer.WriteFrame(q, frame) })
}

// checkChunk checks an index in the chunk grid. The array may have no elements.
func checkChunk(s *state.State, index []int) error {
	if len(index) != len(s.Lo) {
		return errkind.Errorf(ErrRank, "chunk %v has %d indices, the array has %d dimensions", index, len(index), len(s.Lo))
	}
	return nil
}

// isBlankOutside reports whether a chunk has elements within the bounds, and only the fill value
// outside of them.
func isBlankOutside(s *state.State, index []int, chunk []byte) bool {
	c := newClip(s)
	copy(c.index, index)
	if c.clipChunk() {
		return true
	}
	if c.outside() {
		return false
	}
	blank := bytes.Clone(chunk)
	c.blankOutside(blank)
	return bytes.Equal(blank, chunk)
}
