package drx

import (
	"drx/axial"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/internal/plan"
	"drx/internal/state"
	"drx/internal/transfer"
	"drx/nd"
)

// At returns the element with the given index, one number per dimension. The error wraps ErrDType,
// ErrRank, ErrBounds, ErrClosed or ErrCorrupt.
func At[T dtype.Element](a *Array, index ...int) (T, error) {
	var v [1]T
	if err := a.rlockFiles(false); err != nil {
		return v[0], a.errorf("at", err)
	}
	defer a.filesMu.RUnlock()
	s := a.state.Load()
	q, within, err := locateElement[T](s, index)
	if err == nil {
		a.observeElement(false, len(index))
		buf := dtype.Bytes(v[:])
		err = a.chunks.Element(s, q, within, buf)
		s.DType.ToLittle(buf)
	}
	return v[0], a.errorf("at", err)
}

// Set changes the element with the given index, one number per dimension. The error wraps ErrDType,
// ErrRank, ErrBounds, ErrClosed, ErrReadOnly or ErrCorrupt. A damaged chunk may remain damaged, see
// WriteBytes.
func Set[T dtype.Element](a *Array, v T, index ...int) error {
	if a.opts.Shared {
		sec := make(nd.Section, len(index))
		for d, i := range index {
			sec[d] = nd.At(i)
		}
		return Fill(a, sec, v)
	}
	if err := a.beginChunkChange(); err != nil {
		return a.errorf("set", err)
	}
	defer a.endChunkChange()
	s := a.state.Load()
	q, within, err := locateElement[T](s, index)
	if err != nil {
		return a.errorf("set", err)
	}
	a.observeElement(true, len(index))
	one := [1]T{v}
	buf := dtype.Bytes(one[:])
	s.DType.ToLittle(buf)
	return a.errorf("set", a.chunks.SetElement(s, q, within, buf))
}

// locateElement returns the number of the chunk that holds an element, and the element's offset in
// the chunk, in bytes.
func locateElement[T dtype.Element](s *state.State, index []int) (q axial.Number, within int, err error) {
	if err := checkType[T](s); err != nil {
		return 0, 0, err
	}
	var few [8]int
	chunk := few[:]
	if len(index) > len(few) {
		chunk = make([]int, len(index))
	}
	q, within, ok := plan.Locate(s, index, chunk)
	if !ok {
		return 0, 0, nd.CheckIndex(index, s.Lo, s.Hi)
	}
	return q, within, nil
}

// Gather reads many single elements: dst[i] becomes the element whose index is indices[i*rank :
// (i+1)*rank]. It computes all addresses first, so that the processor overlaps the loads. The error
// wraps ErrSize unless there are rank indices per element of dst; otherwise it is one of those of
// At. After an error some elements of dst may have changed.
func Gather[T dtype.Element](a *Array, indices []int, dst []T) error {
	s, err := beginElements[T](a, "gather", false, len(dst), indices)
	if err != nil {
		return err
	}
	defer a.endAccess(false)
	buf := dtype.Bytes(dst)
	err = a.chunks.Gather(s, buf, indices)
	s.DType.ToLittle(buf) // the same swap converts from little-endian
	return a.errorf("gather", err)
}

// Scatter changes many single elements: the element whose index is indices[i*rank : (i+1)*rank]
// becomes src[i]. If an index occurs several times, its last value counts. Each chunk is changed
// once per million elements. The error wraps ErrSize unless there are rank indices per element of
// src; otherwise it is one of those of Set. After an error some elements of the array may have
// changed.
func Scatter[T dtype.Element](a *Array, indices []int, src []T) error {
	if a.opts.Shared {
		return scatterShared(a, indices, src)
	}
	s, err := beginElements[T](a, "scatter", true, len(src), indices)
	if err != nil {
		return err
	}
	defer a.endAccess(true)
	return a.errorf("scatter", a.chunks.Scatter(s, s.DType.Little(dtype.Bytes(src)), indices))
}

// scatterShared is Scatter for an array that other processes may write at the same time. It changes
// the elements one by one.
func scatterShared[T dtype.Element](a *Array, indices []int, src []T) error {
	k := a.Rank()
	if err := checkIndices(len(src), indices, k); err != nil {
		return a.errorf("scatter", err)
	}
	for i, v := range src {
		if err := Set(a, v, indices[i*k:(i+1)*k]...); err != nil {
			return err
		}
	}
	return nil
}

// beginElements begins an operation on n elements with the given indices, and returns the state
// whose bounds it uses. After success the caller must call endAccess.
func beginElements[T dtype.Element](a *Array, op string, write bool, n int, indices []int) (*state.State, error) {
	err := a.beginAccess(write)
	if err != nil {
		return nil, a.errorf(op, err)
	}
	s := a.state.Load()
	if err = checkType[T](s); err == nil {
		err = checkIndices(n, indices, len(s.Lo))
	}
	if err != nil {
		a.endAccess(write)
		return nil, a.errorf(op, err)
	}
	return s, nil
}

// checkIndices returns an error wrapping ErrSize unless there are rank indices for each of n
// elements.
func checkIndices(n int, indices []int, rank int) error {
	if len(indices)%rank == 0 && len(indices)/rank == n {
		return nil
	}
	return errkind.Errorf(ErrSize, "%d indices for %d elements of rank %d, there must be %d per element", len(indices), n, rank, rank)
}

// A Cursor reads and changes single elements, as At and Set do, but remembers the chunk of the last
// element, which speeds up access to neighbouring elements. It sees all writes to the array,
// whoever makes them. A Cursor is not safe for concurrent use; several Cursors may be used
// concurrently.
type Cursor[T dtype.Element] struct {
	array  *Array
	state  *state.State
	chunk  transfer.Cursor
	first  []int // the index of the chunk's first element
	lo, hi []int // the chunk's elements within the bounds; nil if no chunk is remembered
}

// NewCursor returns a cursor. The error wraps ErrDType if T is not the Go type of the array's
// element type, or ErrClosed.
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

// At returns the element with the given index, one number per dimension. The error wraps ErrRank,
// ErrBounds, ErrClosed or ErrCorrupt.
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

// Set changes the element with the given index. The error wraps ErrRank, ErrBounds, ErrClosed,
// ErrReadOnly or ErrCorrupt.
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

// find moves the cursor to the chunk of an element and returns the element's offset in the chunk,
// in bytes. It does no work if the cursor is already at that chunk and the array has not changed.
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

// move is find for an element outside of the remembered chunk.
func (c *Cursor[T]) move(s *state.State, index []int) (within int, err error) {
	c.lo = nil // after an error no chunk is remembered
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
