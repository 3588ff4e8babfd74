package drx

import (
	"fmt"

	"drx/dtype"
	"drx/nd"
)

// ReadStrided reads a section into parts of buf: the element at position p of the section, as little-endian
// bytes, goes to byte sum(p[d]*strides[d]) of buf. strides are in bytes, one per dimension, and not negative.
// The other bytes of buf do not change. If strides make elements overlap, one of them is stored. A nil section
// is the whole array. The error wraps ErrSize if the number of strides is not the rank, a stride is negative,
// or the section does not fit into buf, and is otherwise one of those of ReadBytes.
func (a *Array) ReadStrided(sec nd.Section, buf []byte, strides []int) error {
	return a.readStrided(sec, buf, strides, 1)
}

// readStrided is ReadStrided for strides in units of unit bytes.
func (a *Array) readStrided(sec nd.Section, buf []byte, strides []int, unit int) error {
	return a.do(opRead, sec, nil, func(r *request) error {
		if err := r.setStrides(strides, unit, len(buf)); err != nil {
			return err
		}
		return a.chunks.Read(r.Section, buf)
	})
}

// WriteStrided writes a section from parts of buf, which is laid out as for ReadStrided. A stride of 0 repeats
// the same element along its dimension. Other errors are those of WriteBytes.
func (a *Array) WriteStrided(sec nd.Section, buf []byte, strides []int) error {
	return a.writeStrided(sec, buf, strides, 1)
}

// writeStrided is WriteStrided for strides in units of unit bytes.
func (a *Array) writeStrided(sec nd.Section, buf []byte, strides []int, unit int) error {
	return a.do(opWrite, sec, nil, func(r *request) error {
		if err := r.setStrides(strides, unit, len(buf)); err != nil {
			return err
		}
		return a.chunks.Write(r.Section, buf)
	})
}

// ReadStrided reads a section into parts of data: the element at position p of the section becomes
// data[sum(p[d]*strides[d])]. strides are in elements, one per dimension, and not negative. The other elements
// of data do not change. T must be the Go type of the array's element type (ErrDType); other errors are those
// of the method ReadStrided.
func ReadStrided[T dtype.Element](a *Array, sec nd.Section, data []T, strides []int) error {
	if err := checkType[T](a.state.Load()); err != nil {
		return a.errorf("read", err)
	}
	t, buf := dtype.Of[T](), dtype.Bytes(data)
	t.ToLittle(buf) // swaps twice, so that elements outside of the section do not change
	defer t.ToLittle(buf)
	return a.readStrided(sec, buf, strides, t.Size())
}

// WriteStrided writes a section from parts of data, which is laid out as for the function ReadStrided. A stride
// of 0 repeats the same element along its dimension. Errors are those of ReadStrided and Write.
func WriteStrided[T dtype.Element](a *Array, sec nd.Section, data []T, strides []int) error {
	if err := checkType[T](a.state.Load()); err != nil {
		return a.errorf("write", err)
	}
	t := dtype.Of[T]()
	return a.writeStrided(sec, t.Little(dtype.Bytes(data)), strides, t.Size())
}

// setStrides sets the strides, given in units of unit bytes, of a buffer of size bytes. The error wraps
// ErrSize.
func (r *request) setStrides(strides []int, unit, size int) error {
	if len(strides) != len(r.Shape) {
		return fmt.Errorf("%d strides for %d dimensions, there must be one per dimension: %w", len(strides), len(r.Shape), ErrSize)
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
