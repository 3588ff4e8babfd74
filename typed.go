package drx

import (
	"fmt"

	"drx/dtype"
	"drx/internal/errkind"
	"drx/internal/state"
	"drx/nd"
)

// Read returns the elements of a section, dense and row-major or in the given order of the
// dimensions. A nil section is the whole array. T must be the Go type of the array's element type.
// The error wraps ErrDType, ErrRank, ErrBounds, ErrOverflow if the section has more than 64 TiB,
// ErrClosed or ErrCorrupt.
func Read[T dtype.Element](a *Array, sec nd.Section, order ...nd.Order) ([]T, error) {
	r, err := typedRequest[T](a, opRead, sec, order)
	if err != nil {
		return nil, err
	}
	defer r.end()
	data, err := readNew[T](r)
	return data, r.errorf(err)
}

// ReadView is like Read but returns a view, which has the shape of the section. Index 0 of the view
// is the first index of the section. It returns the errors of Read.
func ReadView[T dtype.Element](a *Array, sec nd.Section) (nd.View[T], error) {
	r, err := typedRequest[T](a, opRead, sec, nil)
	if err != nil {
		return nd.View[T]{}, err
	}
	defer r.end()
	data, err := readNew[T](r)
	if err != nil {
		return nd.View[T]{}, r.errorf(err)
	}
	view, err := nd.NewView(data, r.Shape, nil)
	return view, r.errorf(err)
}

// ReadInto is like Read but stores the elements in data, which must have the length of the section
// (ErrSize). After an error some elements of data may have changed.
func ReadInto[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) error {
	r, err := typedRequest[T](a, opRead, sec, order)
	if err != nil {
		return err
	}
	defer r.end()
	return r.errorf(readTyped(r, data))
}

// maxRead limits the bytes that Read returns. No machine has more memory.
const maxRead = 1 << 46

// readNew reads the section into a new slice. The error wraps ErrOverflow if it has more than
// maxRead bytes.
func readNew[T dtype.Element](r *request) ([]T, error) {
	if int64(r.Size) > maxRead {
		return nil, fmt.Errorf("section %v of %d bytes: %w: at most %d at once", r.Ranges, r.Size, ErrOverflow, int64(maxRead))
	}
	data := make([]T, r.Size/r.State.DType.Size())
	return data, readTyped(r, data)
}

// readTyped reads into data and converts the elements to the machine's byte order.
func readTyped[T dtype.Element](r *request, data []T) error {
	buf := dtype.Bytes(data)
	err := r.read(buf)
	r.State.DType.ToLittle(buf) // the same swap converts from little-endian
	return err
}

// Write writes the elements of a section, dense and row-major or in the given order of the
// dimensions. A nil section is the whole array. data must have the length of the section (ErrSize),
// and T must be the Go type of the array's element type (ErrDType). Other errors wrap ErrRank,
// ErrBounds, ErrClosed, ErrReadOnly or ErrCorrupt. After an error some chunks may have been
// written.
func Write[T dtype.Element](a *Array, sec nd.Section, data []T, order ...nd.Order) error {
	r, err := typedRequest[T](a, opWrite, sec, order)
	if err != nil {
		return err
	}
	defer r.end()
	return r.errorf(r.write(r.State.DType.Little(dtype.Bytes(data))))
}

// Fill sets every element of a section to v. A nil section is the whole array. It returns the
// errors of Write.
func Fill[T dtype.Element](a *Array, sec nd.Section, v T) error {
	r, err := typedRequest[T](a, opFill, sec, nil)
	if err != nil {
		return err
	}
	defer r.end()
	return r.errorf(r.fill(r.State.DType.Little(dtype.Bytes([]T{v}))))
}

// typedRequest is Array.request for elements of type T, with at most one order.
func typedRequest[T dtype.Element](a *Array, op operation, sec nd.Section, order []nd.Order) (*request, error) {
	if err := checkType[T](a.state.Load()); err != nil {
		return nil, a.errorf(op.String(), err)
	}
	switch len(order) {
	case 0:
		return a.request(op, sec, nil)
	case 1:
		return a.request(op, sec, order[0])
	}
	return nil, a.errorf(op.String(), errkind.Errorf(ErrRank, "%d orders, at most 1 is allowed", len(order)))
}

// checkType returns an error wrapping ErrDType unless T is the Go type of the elements, and
// ErrClosed for a nil state, which is that of the zero Array.
func checkType[T dtype.Element](s *state.State) error {
	if s == nil {
		return ErrClosed
	}
	if t := dtype.Of[T](); t != s.DType {
		return errkind.Errorf(ErrDType, "elements are %v, requested as %v", s.DType, t)
	}
	return nil
}

// ReadStrided reads a section into parts of data: the element at position p of the section becomes
// data[sum(p[d]*strides[d])]. strides are in elements, one per dimension, and not negative. The
// other elements of data do not change. T must be the Go type of the array's element type
// (ErrDType); other errors are those of the method ReadStrided.
func ReadStrided[T dtype.Element](a *Array, sec nd.Section, data []T, strides []int) error {
	if err := checkType[T](a.state.Load()); err != nil {
		return a.errorf("read", err)
	}
	t, buf := dtype.Of[T](), dtype.Bytes(data)
	t.ToLittle(buf) // swaps twice, so that elements outside of the section do not change
	defer t.ToLittle(buf)
	return a.readStrided(sec, buf, strides, t.Size())
}

// WriteStrided writes a section from parts of data, which is laid out as for the function
// ReadStrided. A stride of 0 repeats the same element along its dimension. Errors are those of
// ReadStrided and Write.
func WriteStrided[T dtype.Element](a *Array, sec nd.Section, data []T, strides []int) error {
	if err := checkType[T](a.state.Load()); err != nil {
		return a.errorf("write", err)
	}
	t := dtype.Of[T]()
	return a.writeStrided(sec, t.Little(dtype.Bytes(data)), strides, t.Size())
}
