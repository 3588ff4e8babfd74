package transfer

import (
	"drx/axial"
	"drx/internal/chunkio"
)

// A Cursor reads elements of one chunk after another, and keeps the bytes of the last chunk pinned. It is for
// one goroutine. The zero value is at no chunk.
type Cursor struct {
	chunks *Chunks
	number axial.Number
	pinned chunkio.Pinned
}

// Move moves the cursor to chunk q.
func (c *Cursor) Move(chunks *Chunks, q axial.Number) {
	*c = Cursor{chunks: chunks, number: q}
}

// At reports whether the cursor is at one of these chunks.
func (c *Cursor) At(chunks *Chunks) bool { return c.chunks == chunks }

// Number returns the number of the chunk.
func (c *Cursor) Number() axial.Number { return c.number }

// Read copies bytes from byte within of the chunk on, and reports whether that was possible where the
// chunk is in the file; if not, see Chunks.Element.
func (c *Cursor) Read(within int, buf []byte) (ok bool) {
	if c.chunks.Pool.Holds(c.number) {
		return false
	}
	err := c.chunks.Store.Guard(func() (err error) {
		for range 2 { // once more if the chunk was written since it was pinned
			if ok, err = c.read(within, buf); ok || err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		ok, c.pinned = false, chunkio.Pinned{}
	}
	return ok
}

func (c *Cursor) read(within int, buf []byte) (ok bool, err error) {
	store := c.chunks.Store
	if c.pinned.Bytes == nil {
		if !store.Room(c.number) {
			return false, nil
		}
		if c.pinned, err = store.Pin(c.number, 0, store.ChunkBytes()); err != nil || c.pinned.Bytes == nil {
			return false, err
		}
	}
	copy(buf, c.pinned.Bytes[within:])
	if ok = store.Unpin(&c.pinned); !ok || !c.pinned.Lasts() {
		c.pinned = chunkio.Pinned{}
	}
	return ok, nil
}
