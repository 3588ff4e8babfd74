package zarr

import (
	"container/list"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"slices"

	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

// maxPartial limits the incomplete chunks that a writer keeps in memory, in bytes. The rest are in
// their files.
var maxPartial = 64 << 20

// A writer writes an array by sections. A chunk is encoded when all of its elements within the
// array have been written.
type writer struct {
	store   *storeWriter
	info    formats.Info
	a       *array
	layout  reader // maps elements to units
	total   int    // elements of the array
	written int
	partial map[string]*list.Element // incomplete chunks by key
	recent  *list.List               // of *partialChunk in memory, the latest first
	memory  int
	closed  bool
}

// A partialChunk is a chunk with missing elements.
type partialChunk struct {
	key     string
	data    []byte // little-endian elements; nil: they are in the file
	missing int
}

func newWriter(s *storeWriter, info formats.Info, a *array) *writer {
	total, _ := nd.Product(info.Shape...) // Bytes has checked it
	info.Chunk = a.chunk
	return &writer{
		store: s, info: info, a: a, total: total, layout: reader{a: a, info: info, unit: a.chunk},
		partial: map[string]*list.Element{}, recent: list.New(),
	}
}

// WriteSection implements formats.Writer.
func (w *writer) WriteSection(sec nd.Section, buf []byte) error {
	sec, err := w.info.Check(sec, buf)
	if err != nil {
		return err
	}
	lo, extents := make([]int, len(sec)), sec.Shape()
	for d := range sec {
		lo[d] = sec[d].Lo
	}
	if err := w.checkElements(buf); err != nil {
		return err
	}
	return w.layout.eachUnit(sec, func(u unit) error {
		return w.writeUnit(u, buf, newBox(u.lo, lo, extents, w.info.Order, w.a.size))
	})
}

// checkElements checks that every index has a string.
func (w *writer) checkElements(buf []byte) error {
	if w.a.text == noText {
		return nil
	}
	for i := 0; i < len(buf); i += w.a.size {
		if n := w.index(buf[i:]); n >= uint64(len(w.info.Labels)) {
			return errkind.Errorf(nd.ErrBounds, "string %d: there are %d", n, len(w.info.Labels))
		}
	}
	return nil
}

// index returns the index of a string.
func (w *writer) index(p []byte) uint64 {
	var b [8]byte
	copy(b[:], p[:w.a.size])
	return binary.LittleEndian.Uint64(b[:])
}

// writeUnit copies a box of buf to a chunk, and writes the chunk once it is complete.
func (w *writer) writeUnit(u unit, buf []byte, from box) error {
	key := path.Join(w.a.path, w.a.key.key(u.index))
	c, err := w.chunk(key, u)
	if err != nil {
		return err
	}
	shape := u.shape()
	n, _ := nd.Product(shape...)
	copyBox(c.data, newBox(u.lo, u.origin, w.a.chunk, w.info.Order, w.a.size), buf, from, shape, w.info.Order, w.a.size)
	c.missing -= n
	w.written += n
	if c.missing > 0 {
		return w.spill()
	}
	w.forget(c)
	return w.encode(c)
}

// chunk returns an incomplete chunk, and loads it into memory if necessary.
func (w *writer) chunk(key string, u unit) (*partialChunk, error) {
	e := w.partial[key]
	if e != nil {
		if c := e.Value.(*partialChunk); c.data != nil {
			w.recent.MoveToFront(e)
			return c, nil
		}
	}
	size, err := formats.Info{DType: w.info.DType, Shape: w.a.chunk}.Bytes()
	if err != nil {
		return nil, err
	}
	c := &partialChunk{key: key, data: make([]byte, size), missing: 1}
	if e != nil { // its elements are in the file
		f, err := w.store.root.Open(key)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, bare(err))
		}
		defer f.Close()
		if _, err := io.ReadFull(f, c.data); err != nil {
			return nil, fmt.Errorf("%s: %w", key, bare(err))
		}
		c.missing = e.Value.(*partialChunk).missing
	} else {
		for d, origin := range u.origin {
			c.missing *= min(w.a.chunk[d], w.info.Shape[d]-origin)
		}
		if slices.ContainsFunc(w.a.fill, func(b byte) bool { return b != 0 }) {
			fillWith(c.data, w.a.fill)
		}
	}
	w.partial[key] = w.recent.PushFront(c)
	w.memory += size
	return c, nil
}

// forget removes a chunk from the incomplete ones.
func (w *writer) forget(c *partialChunk) {
	w.recent.Remove(w.partial[c.key])
	delete(w.partial, c.key)
	w.memory -= len(c.data)
}

// spill moves the least recently used incomplete chunks to their files until the others fit into
// maxPartial.
func (w *writer) spill() error {
	for w.memory > maxPartial && w.recent.Len() > 1 {
		e := w.recent.Back()
		c := e.Value.(*partialChunk)
		if err := w.store.writeFile(c.key, c.data); err != nil {
			return err
		}
		w.recent.Remove(e)
		w.memory -= len(c.data)
		w.partial[c.key] = &list.Element{Value: &partialChunk{key: c.key, missing: c.missing}}
	}
	return nil
}

// encode encodes a complete chunk and writes it.
func (w *writer) encode(c *partialChunk) (err error) {
	data := c.data
	switch {
	case w.a.text != noText:
		data = w.encodeText(data)
	case w.a.big:
		w.a.dtype.Swap(data)
	}
	for _, codec := range slices.Backward(w.a.codecs) {
		if data, err = codec.encode(data); err != nil {
			return fmt.Errorf("%s: %w", c.key, err)
		}
	}
	return w.store.write(c.key, data)
}

// encodeText converts indices of strings to strings, each preceded by its length.
func (w *writer) encodeText(data []byte) []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(data)/w.a.size))
	for ; len(data) > 0; data = data[w.a.size:] {
		var s string
		if n := w.index(data); n < uint64(len(w.info.Labels)) { // an array without strings has no labels
			s = w.info.Labels[n]
		}
		out = append(binary.LittleEndian.AppendUint32(out, uint32(len(s))), s...)
	}
	return out
}

// Close implements formats.Writer.
func (w *writer) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	err := w.store.done()
	if w.written < w.total {
		return errkind.Errorf(io.ErrUnexpectedEOF, "zarr: %sshape %v of %v: expected %d elements, got %d",
			w.layout.prefix(), w.info.Shape, w.info.DType, w.total, w.written)
	}
	return err
}
