package drx

import (
	"fmt"

	"drx/axial"
	"drx/dtype"
	"drx/internal/plan"
	"drx/internal/state"
	"drx/nd"
)

// Read returns the elements of a section, dense and row-major, or in the order given. A
// nil section is the whole array. T must be the Go type of the array's element type. The
// error wraps ErrDType, ErrRank, ErrBounds, ErrOverflow, ErrClosed or ErrCorrupt.
func Read[T dtype.Element](a *Array, sec nd.Section, order ...nd.Order) ([]T, error) {
	t, err := beginTyped[T](a, "read", false, sec, order)
	if err != nil {
		return nil, err
	}
	defer t.done()
	if int64(t.size) > maxRead {
		return nil, a.errorf("read", fmt.Errorf("section %v of %d bytes: %w: at most %d at once", t.sec, t.size, ErrOverflow, int64(maxRead)))
	}
	data := make([]T, t.size/t.state.DType.Size())
	return data, readTyped(t, data)
}

// ReadInto is Read into a slice of the caller's, which must have the length of the section
// (ErrSize).
func ReadInto[T dtype.Element](a *Array, data []T, sec nd.Section, order ...nd.Order) error {
	t, err := beginTyped[T](a, "read", false, sec, order)
	if err != nil {
		return err
	}
	defer t.done()
	return readTyped(t, data)
}

// maxRead is how many bytes Read returns at most: no machine has more memory.
const maxRead = 1 << 46

func readTyped[T dtype.Element](t *transfer, data []T) error {
	buf := dtype.Bytes(data)
	err := t.readDense(buf)
	t.state.DType.ToLittle(buf) // and from it: the same swap
	return err
}

// Write writes the elements of a section, dense and row-major, or in the order given. data
// must have the length of the section (ErrSize), and T must be the Go type of the array's
// element type (ErrDType). Other errors wrap ErrRank, ErrBounds, ErrClosed, ErrReadOnly or
// ErrCorrupt.
func Write[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) error {
	t, err := beginTyped[T](a, "write", true, sec, order)
	if err != nil {
		return err
	}
	defer t.done()
	return t.writeDense(t.state.DType.Little(dtype.Bytes(data)))
}

// Fill sets every element of a section to v. A nil section is the whole array. Errors are
// those of Write.
func Fill[T dtype.Element](a *Array, sec nd.Section, v T) error {
	t, err := beginTyped[T](a, "fill", true, sec, nil)
	if err != nil {
		return err
	}
	defer t.done()
	return t.fill(t.state.DType.Little(dtype.Bytes([]T{v})))
}

// At returns one element. The error wraps ErrDType, ErrRank, ErrBounds, ErrClosed or
// ErrCorrupt.
func At[T dtype.Element](a *Array, index ...int) (T, error) {
	var v [1]T
	if err := a.hold("at", false); err != nil {
		return v[0], err
	}
	defer a.life.RUnlock()
	s := a.state.Load()
	q, within, err := place[T](a, s, index)
	if err != nil {
		return v[0], a.errorf("at", err)
	}
	a.access.element("at", len(index))
	buf := dtype.Bytes(v[:])
	if err := a.element(s, q, within, buf); err != nil {
		return v[0], a.errorf("at", err)
	}
	s.DType.ToLittle(buf)
	return v[0], nil
}

// Set changes one element. The error wraps ErrDType, ErrRank, ErrBounds, ErrClosed,
// ErrReadOnly or ErrCorrupt; a damaged chunk may stay one, as WriteBytes says.
func Set[T dtype.Element](a *Array, v T, index ...int) error {
	if a.shared {
		sec := make(nd.Section, len(index))
		for d, i := range index {
			sec[d] = nd.At(i)
		}
		return Fill(a, sec, v)
	}
	if err := a.beginChange("set"); err != nil {
		return err
	}
	defer a.endChange()
	s := a.state.Load()
	q, within, err := place[T](a, s, index)
	if err != nil {
		return a.errorf("set", err)
	}
	a.access.element("set", len(index))
	one := [1]T{v}
	buf := dtype.Bytes(one[:])
	s.DType.ToLittle(buf)
	return a.errorf("set", a.patch(q, within, buf))
}

// place returns where an element is: in which chunk, at which byte.
func place[T dtype.Element](a *Array, s *state.State, index []int) (q axial.Number, within int, err error) {
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

func beginTyped[T dtype.Element](a *Array, op string, write bool, sec nd.Section, order []nd.Order) (*transfer, error) {
	if err := checkType[T](a.state.Load()); err != nil {
		return nil, a.errorf(op, err)
	}
	switch len(order) {
	case 0:
		return a.beginTransfer(op, write, sec, nil)
	case 1:
		return a.beginTransfer(op, write, sec, order[0])
	}
	return nil, a.errorf(op, fmt.Errorf("%d orders: %w: one is enough", len(order), ErrRank))
}

func checkType[T dtype.Element](s *state.State) error {
	if t := dtype.Of[T](); t != s.DType {
		return fmt.Errorf("elements are %v, asked for as %v: %w", s.DType, t, ErrDType)
	}
	return nil
}
