package drx

import (
	"drx/axial"
	"drx/dtype"
	"drx/internal/chunkio"
	"drx/internal/state"
	"drx/nd"
)

// A Cursor reads and changes single elements, as At and Set do, and remembers the chunk of the
// last one: for programs that go from neighbour to neighbour. It sees what everybody else
// writes. A Cursor is for one goroutine; several may be used at once.
type Cursor[T dtype.Element] struct {
	array  *Array
	state  *state.State
	store  *chunkio.Store // that the view is of
	number axial.Number   // of the chunk
	first  []int          // its first element
	lo     []int          // the elements of the chunk, within the bounds
	hi     []int
	view   chunkio.View // of the chunk, where it is in the file
}

// NewCursor returns a cursor. The error wraps ErrDType when T is not the type of the elements.
func NewCursor[T dtype.Element](a *Array) (*Cursor[T], error) {
	s := a.state.Load()
	if err := checkType[T](s); err != nil {
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
	a.access.element("at", len(index))
	one := [1]T{}
	buf := dtype.Bytes(one[:])
	if !c.viewed(within, buf) {
		if err := a.element(c.state, c.number, within, buf); err != nil {
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
	a.access.element("set", len(index))
	one := [1]T{v}
	buf := dtype.Bytes(one[:])
	c.state.DType.ToLittle(buf)
	return a.errorf("set", a.patch(c.number, within, buf))
}

// find moves the cursor to the chunk of an element, and returns its offset there in bytes.
func (c *Cursor[T]) find(index []int) (within int, err error) {
	s := c.array.state.Load()
	if s != c.state || c.store != c.array.store || len(index) != len(c.lo) {
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
	q, within, err := place[T](c.array, s, index)
	if err != nil {
		return 0, err
	}
	k := len(index)
	c.state, c.store, c.view = s, c.array.store, chunkio.View{}
	c.number, c.first = q, make([]int, k)
	c.lo, c.hi = make([]int, k), make([]int, k)
	for d, i := range index {
		c.first[d] = nd.FloorDiv(i, s.Chunk[d]) * s.Chunk[d]
		c.lo[d] = max(s.Lo[d], c.first[d])
		c.hi[d] = min(s.Hi[d], c.first[d]+s.Chunk[d])
	}
	return within, nil
}

// viewed reads the element at offset within of the chunk where it is in the file, and reports
// whether it is to be had there.
func (c *Cursor[T]) viewed(within int, buf []byte) (ok bool) {
	a, q := c.array, c.number
	if a.pool.Holds(q) {
		return false
	}
	err := c.store.Guard(func() (err error) {
		for range 2 { // once more if the chunk was written since the view was taken
			if c.view.Bytes == nil {
				if !c.store.Room(q) {
					return nil
				}
				if c.view, err = c.store.View(q, 0, c.state.ChunkBytes); err != nil || c.view.Bytes == nil {
					return err
				}
			}
			copy(buf, c.view.Bytes[within:])
			v := c.view
			if ok = c.store.Still(v); !ok || !v.Lasts() {
				c.view = chunkio.View{}
			}
			if ok {
				return nil
			}
		}
		return nil
	})
	if err != nil { // the view ends too
		ok, c.view = false, chunkio.View{}
	}
	return ok
}
