package drx

import (
	"bytes"
	"slices"
	"sync"

	"drx/internal/state"
)

// StoresLike reports whether CopyChunk may copy whole chunks of src: both arrays have the same
// element type, fill value, chunk shape, element order and codec.
func (a *Array) StoresLike(src *Array) bool { return storeAlike(a.now(), src.now()) }

func storeAlike(s, t *state.State) bool {
	return !s.Codec.IsNone() && s.Codec == t.Codec && t.Recompressing == nil && s.DType == t.DType && s.Order == t.Order &&
		slices.Equal(s.Chunk, t.Chunk) && bytes.Equal(s.Fill, t.Fill)
}

// storedBuffers are buffers for the stored form of chunks.
var storedBuffers = sync.Pool{New: func() any { return new([]byte) }}

// CopyChunk copies the chunk of src with the given index in the chunk grid to the same index of a,
// in its stored form: verified against its checksum, but not decompressed. It returns false, and
// has copied nothing, if this is impossible: unless StoresLike; if a is open with Options.Shared or
// in a group; if the bounds of the arrays cut the chunk differently; if src has shrunk, or has
// changed the chunk since its last commit; if src is of OpenAt and its bounds cut the chunk;
// or if the chunk is damaged. Then use Read and Write. A chunk that neither array has written stays
// unwritten and counts as copied. The error wraps ErrReadOnly, ErrClosed or ErrBounds, or is the
// file system's.
func (a *Array) CopyChunk(src *Array, chunkIndex []int) (copied bool, err error) {
	const op = "copy chunk"
	if a == src {
		return false, nil
	}
	if err := a.beginChunkChange(); err != nil {
		return false, a.errorf(op, err)
	}
	defer a.endChunkChange()
	done, err := src.begin(op, false)
	if err != nil {
		return false, err
	}
	defer done()
	copied, err = a.copyChunk(src, chunkIndex)
	return copied, a.errorf(op, err)
}

func (a *Array) copyChunk(src *Array, index []int) (copied bool, err error) {
	to, from := a.state.Load(), src.state.Load()
	if a.writer == nil || a.chunks.Writer != a.writer || !storeAlike(to, from) || !cutAlike(to, from, index, from.WidestLo != nil || src.fixed) {
		return false, nil
	}
	number, inTo := to.Grid.Number(index)
	q, inFrom := from.Grid.Number(index)
	if !inTo || !inFrom {
		return false, ErrBounds
	}
	if absent, err := src.pool.Absent(q); err != nil {
		return false, nil // damaged: Read reports it
	} else if absent {
		return a.pool.Absent(number)
	}
	if src.pool.Dirty(q) {
		return false, nil
	}
	buf := storedBuffers.Get().(*[]byte)
	defer storedBuffers.Put(buf)
	*buf = slices.Grow((*buf)[:0], from.ChunkBytes)[:from.ChunkBytes]
	stored, err := src.store.ReadStored(q, *buf)
	if err != nil {
		return false, nil // damaged, or just being written
	}
	return true, a.pool.Overwrite(number, 1, func() error { return a.writer.WriteStored(number, stored) })
}

// cutAlike reports whether the bounds of two arrays with chunks of the same shape include the same
// elements of a chunk, and whether the second array has only the fill value outside of them: if it
// is not trimmed, that is, if its bounds have been wider, or are now.
func cutAlike(s, t *state.State, index []int, trimmed bool) bool {
	if len(index) != len(s.Lo) || len(index) != len(t.Lo) {
		return false
	}
	c, d := newClip(s), newClip(t)
	copy(c.index, index)
	copy(d.index, index)
	if c.clipChunk(); c.outside() {
		return false
	}
	whole := d.clipChunk()
	return slices.Equal(c.lo, d.lo) && slices.Equal(c.extent, d.extent) && (whole || !trimmed)
}
