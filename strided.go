package drx

import (
	"fmt"

	"drx/dtype"
	"drx/nd"
)

// ReadStrided reads a section into a part of buf: the element at position p of the section, as
// little-endian bytes, goes to byte sum(p[d]*strides[d]). No stride may be negative; what else is in buf
// stays as it is. Where strides make elements overlap, buf holds any of them. A nil section is the whole
// array. The error wraps ErrSize if there are not as many strides as dimensions, one is negative, or the
// section ends outside of buf, and otherwise what that of ReadBytes does.
func (a *Array) ReadStrided(sec nd.Section, buf []byte, strides []int) error {
	r, err := a.stridedRequest(opRead, sec, len(buf), strides, 1)
	if err != nil {
		return err
	}
	defer r.done()
	return r.errorf(a.chunks.Read(r.Section, buf))
}

// WriteStrided writes a section from a part of buf, see ReadStrided. A stride of 0 writes the same element
// along its dimension. The error is otherwise that of WriteBytes.
func (a *Array) WriteStrided(sec nd.Section, buf []byte, strides []int) error {
	r, err := a.stridedRequest(opWrite, sec, len(buf), strides, 1)
	if err != nil {
		return err
	}
	defer r.done()
	return r.errorf(a.chunks.Write(r.Section, buf))
}

// ReadStrided reads a section into a part of data: the element at position p of the section becomes
// data[sum(p[d]*strides[d])]. No stride may be negative; the other elements of data stay as they are.
// T must be the Go type of the array's element type (ErrDType); errors are otherwise those of the method
// of that name.
func ReadStrided[T dtype.Element](a *Array, sec nd.Section, data []T, strides []int) error {
	r, err := typedStridedRequest(a, opRead, sec, data, strides)
	if err != nil {
		return err
	}
	defer r.done()
	buf := dtype.Bytes(data)
	r.State.DType.ToLittle(buf) // twice, so that elements outside of the section stay as they are
	defer r.State.DType.ToLittle(buf)
	return r.errorf(a.chunks.Read(r.Section, buf))
}

// WriteStrided writes a section from a part of data, see ReadStrided. A stride of 0 writes the same element
// along its dimension.
func WriteStrided[T dtype.Element](a *Array, sec nd.Section, data []T, strides []int) error {
	r, err := typedStridedRequest(a, opWrite, sec, data, strides)
	if err != nil {
		return err
	}
	defer r.done()
	return r.errorf(a.chunks.Write(r.Section, r.State.DType.Little(dtype.Bytes(data))))
}

// typedStridedRequest begins a request for elements of type T, with strides in elements.
func typedStridedRequest[T dtype.Element](a *Array, op operation, sec nd.Section, data []T, strides []int) (*request, error) {
	if err := checkArrayType[T](a); err != nil {
		return nil, a.errorf(op.String(), err)
	}
	return a.stridedRequest(op, sec, len(dtype.Bytes(data)), strides, dtype.Of[T]().Size())
}

// stridedRequest begins a request for a buffer of so many bytes with strides in units of unit bytes.
func (a *Array) stridedRequest(op operation, sec nd.Section, size int, strides []int, unit int) (*request, error) {
	r, err := a.request(op, sec, nil)
	if err != nil {
		return nil, err
	}
	if err := r.setStrides(strides, unit, size); err != nil {
		r.done()
		return nil, r.errorf(err)
	}
	return r, nil
}

// setStrides sets strides in units of unit bytes, for a buffer of so many bytes.
func (r *request) setStrides(strides []int, unit, size int) error {
	if len(strides) != len(r.Shape) {
		return fmt.Errorf("%d strides for %d dimensions: %w", len(strides), len(r.Shape), ErrSize)
	}
	end := r.State.DType.Size()
	for d, stride := range strides {
		if stride < 0 {
			return fmt.Errorf("dimension %d: stride %d is negative: %w", d, stride, ErrSize)
		}
		bytes, ok := nd.Mul(stride, unit)
		span, ok2 := nd.Mul(bytes, max(0, r.Shape[d]-1))
		if end, ok3 := nd.Add(end, span); !ok || !ok2 || !ok3 || r.Size > 0 && end > size {
			return fmt.Errorf("section %v with strides %v does not fit into a buffer of %d bytes: %w", r.Ranges, strides, size, ErrSize)
		}
		end += span
		r.Strides[d] = bytes
	}
	return nil
}
