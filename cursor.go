package drx

import (
	"drx/dtype"
	"drx/internal/state"
	"drx/internal/transfer"
	"drx/nd"
)

// A Cursor reads and changes single elements, as At and Set do, but remembers the chunk of the last element,
// which makes access to neighbouring elements faster. It sees all writes to the array, whoever makes them. A
// Cursor must not be used by several goroutines at the same time; several Cursors may.
type Cursor[T dtype.Element] struct {
	array  *Array
	state  *state.State
	chunk  transfer.Cursor
	first  []int // the index of the chunk's first element
	lo, hi []int // the chunk's elements within the bounds; nil if no chunk is remembered
}

// NewCursor returns a cursor. The error wraps ErrDType if T is not the Go type of the array's element type, or
// ErrClosed.
func NewCursor[T dtype.Element](a *Array) (*Cursor[T], error) {
	if err := a.rlockFiles(false); err != nil {
		return nil, a.errorf("cursor", err)
	}
	defer a.filesMu.RUnlock()
	if err := checkType[T](a.state.Load()); err != nil {
		return nil, a.errorf("cursor", err)
	}
	return &Cursor[T]{array: a}, nil
}

// At returns the element with the given index, one number per dimension. The error wraps ErrRank, ErrBounds,
// ErrClosed or ErrCorrupt.
func (c *Cursor[T]) At(index ...int) (v T, err error) {
	a := c.array
	if err := a.rlockFiles(false); err != nil {
		return v, a.errorf("at", err)
	}
	defer a.filesMu.RUnlock()
	within, err := c.find(index)
	if err != nil {
		return v, a.errorf("at", err)
	}
	a.observeElement(false, len(index))
	one := [1]T{}
	buf := dtype.Bytes(one[:])
	if !c.chunk.Read(within, buf) {
		err = a.chunks.Element(c.state, c.chunk.Number(), within, buf)
	}
	c.state.DType.ToLittle(buf)
	return one[0], a.errorf("at", err)
}

// Set changes the element with the given index. The error wraps ErrRank, ErrBounds, ErrClosed, ErrReadOnly or
// ErrCorrupt.
func (c *Cursor[T]) Set(v T, index ...int) error {
	a := c.array
	if a.opts.Shared {
		return Set(a, v, index...)
	}
	if err := a.beginChunkChange(); err != nil {
		return a.errorf("set", err)
	}
	defer a.endChunkChange()
	within, err := c.find(index)
	if err != nil {
		return a.errorf("set", err)
	}
	a.observeElement(true, len(index))
	one := [1]T{v}
	buf := dtype.Bytes(one[:])
	c.state.DType.ToLittle(buf)
	return a.errorf("set", a.chunks.SetElement(c.state, c.chunk.Number(), within, buf))
}

// find moves the cursor to the chunk of an element and returns the element's offset in the chunk, in bytes. It
// does no work if the cursor is already at that chunk and the array has not changed.
func (c *Cursor[T]) find(index []int) (within int, err error) {
	s := c.array.state.Load()
	if s != c.state || !c.chunk.At(c.array.chunks) || len(index) != len(c.lo) {
		return c.move(s, index)
	}
	position := 0
	for d, i := range index {
		if i < c.lo[d] || i >= c.hi[d] {
			return c.move(s, index)
		}
		position += (i - c.first[d]) * s.Strides[d]
	}
	return s.Offset(position), nil
}

// move is find for another chunk than the remembered one.
func (c *Cursor[T]) move(s *state.State, index []int) (within int, err error) {
	c.lo = nil // an error must leave no chunk remembered
	q, within, err := locateElement[T](s, index)
	if err != nil {
		return 0, err
	}
	k := len(index)
	c.state, c.first = s, make([]int, k)
	c.chunk.Move(c.array.chunks, q)
	c.lo, c.hi = make([]int, k), make([]int, k)
	for d, i := range index {
		c.first[d] = nd.FloorDiv(i, s.Chunk[d]) * s.Chunk[d]
		c.lo[d] = max(s.Lo[d], c.first[d])
		c.hi[d] = min(s.Hi[d], c.first[d]+s.Chunk[d])
	}
	return within, nil
}
