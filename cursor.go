package drx

import (
	"drx/dtype"
	"drx/internal/state"
	"drx/internal/transfer"
	"drx/nd"
)

// A Cursor reads and changes single elements, as At and Set do, and remembers the chunk of the
// last one: for programs that go from neighbour to neighbour. It sees what everybody else
// writes. A Cursor is for one goroutine; several may be used at once.
type Cursor[T dtype.Element] struct {
	array  *Array
	state  *state.State
	chunk  transfer.Cursor
	first  []int // the first element of the chunk
	lo, hi []int // its elements within the bounds
}

// NewCursor returns a cursor. The error wraps ErrDType when T is not the type of the elements, or ErrClosed.
func NewCursor[T dtype.Element](a *Array) (*Cursor[T], error) {
	if err := a.hold("cursor", false); err != nil {
		return nil, err
	}
	defer a.life.RUnlock()
	if err := checkType[T](a.state.Load()); err != nil {
		return nil, a.errorf("cursor", err)
	}
	return &Cursor[T]{array: a}, nil
}

// At returns one element. The error wraps ErrRank, ErrBounds, ErrClosed or ErrCorrupt.
func (c *Cursor[T]) At(index ...int) (v T, err error) {
	a := c.array
	if err := a.hold("at", false); err != nil {
		return v, err
	}
	defer a.life.RUnlock()
	within, err := c.find(index)
	if err != nil {
		return v, a.errorf("at", err)
	}
	a.observeElement(false, len(index))
	one := [1]T{}
	buf := dtype.Bytes(one[:])
	if !c.chunk.Read(within, buf) {
		if err := a.chunks.Element(c.state, c.chunk.Number(), within, buf); err != nil {
			return v, a.errorf("at", err)
		}
	}
	c.state.DType.ToLittle(buf)
	return one[0], nil
}

// Set changes one element. The error wraps ErrRank, ErrBounds, ErrClosed, ErrReadOnly or
// ErrCorrupt.
func (c *Cursor[T]) Set(v T, index ...int) error {
	a := c.array
	if a.shared {
		return Set(a, v, index...)
	}
	if err := a.beginChange("set"); err != nil {
		return err
	}
	defer a.endChange()
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

// find moves the cursor to the chunk of an element, and returns its offset there in bytes.
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

func (c *Cursor[T]) move(s *state.State, index []int) (within int, err error) {
	c.lo = nil // until all is known
	q, within, err := locate[T](s, index)
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
