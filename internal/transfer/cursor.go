package transfer

import (
	"drx/axial"
	"drx/internal/chunkstore"
)

// A Cursor reads single elements. It keeps the bytes of the last chunk pinned, so that further
// elements of that chunk are read quickly. It is for one goroutine. The zero value is at no chunk.
type Cursor struct {
	chunks *Chunks
	number axial.Number
	pinned chunkstore.Pin
}

// Move moves the cursor to chunk q.
func (c *Cursor) Move(chunks *Chunks, q axial.Number) {
	*c = Cursor{chunks: chunks, number: q}
}

// At reports whether the cursor is at a chunk of the given array.
func (c *Cursor) At(chunks *Chunks) bool { return c.chunks == chunks }

// Number returns the number of the chunk.
func (c *Cursor) Number() axial.Number { return c.number }

// Read copies the bytes from offset within of the chunk, if the file is mapped and the pool does
// not hold the chunk. Otherwise it returns false, and the caller uses Chunks.Element.
func (c *Cursor) Read(within int, buf []byte) (ok bool) {
	if c.chunks.Pool.Holds(c.number) {
		return false
	}
	err := c.chunks.Store.Guard(func() (err error) {
		for range 2 { // the second time if the chunk was written since it was pinned
			if ok, err = c.read(within, buf); ok || err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		ok, c.pinned = false, chunkstore.Pin{}
	}
	return ok
}

func (c *Cursor) read(within int, buf []byte) (ok bool, err error) {
	store := c.chunks.Store
	if c.pinned.Bytes == nil {
		if !store.FitsBudget(c.number) {
			return false, nil
		}
		if c.pinned, err = store.Pin(c.number, 0, store.ChunkBytes()); err != nil || c.pinned.Bytes == nil {
			return false, err
		}
	}
	copy(buf, c.pinned.Bytes[within:])
	if ok = store.Unpin(&c.pinned); !ok || !c.pinned.Lasts() {
		c.pinned = chunkstore.Pin{}
	}
	return ok, nil
}
