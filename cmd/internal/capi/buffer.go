package capi

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"drx"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// Raw is the type of elements in the form of the file: little-endian, of the array's type.
const Raw dtype.DType = 0

// Unchecked is the Size of a Buffer whose size the host does not give. The host then guarantees
// that the buffer is large enough.
const Unchecked = -1

// A Buffer is memory of the host. Data is the address of the element at position 0 of the section.
// Size is the number of bytes from the first to the last byte that may be used, or Unchecked.
// Strides are in bytes, one per dimension; nil means dense, row-major elements. DType is the type
// of the elements, or Raw.
type Buffer struct {
	DType   dtype.DType
	Data    unsafe.Pointer
	Size    int64
	Strides []int64
}

// bytes returns n bytes at the beginning of the buffer.
func (b Buffer) bytes(n int) []byte { return unsafe.Slice((*byte)(b.Data), n) }

// probe reads the first and the last byte of the non-empty range [first, end), so that a bad
// address faults here, where Do recovers, and not in another goroutine, where it would end the
// program, or under a lock.
func (b Buffer) probe(first, end int) {
	touch(unsafe.Add(b.Data, first))
	touch(unsafe.Add(b.Data, end-1))
}

// touch reads a byte. It is not inlined because then the compiler would leave it out.
//
//go:noinline
func touch(p unsafe.Pointer) byte { return *(*byte)(p) }

// littleEndian reports whether this machine has the byte order of the file.
var littleEndian = func() bool {
	b := []byte{1, 0}
	dtype.Uint16.ToLittle(b)
	return b[0] == 1
}()

// checkType returns an error wrapping drx.ErrDType unless there is such a type.
func checkType(t dtype.DType) error {
	if t != Raw && !t.Valid() {
		return errkind.Errorf(drx.ErrDType, "type %d: types are 1 to %d, and 0 for elements as they are in the file", t, len(dtype.All()))
	}
	return nil
}

// stored reports whether elements of the array and of a buffer of type t have the same bytes.
func stored(a *array, t dtype.DType) bool {
	return t == Raw || t == a.DType() && (littleEndian || t.Size() == 1)
}

// converter returns the converter from one type to another; nil if the types are equal. The error
// wraps drx.ErrDType unless every value of the first type is a value of the second.
func converter(from, to dtype.DType) (*dtype.Converter, error) {
	if !from.ExactIn(to) {
		return nil, errkind.Errorf(drx.ErrDType, "elements are %v, and not every one is exact in %v", from, to)
	}
	return dtype.NewConverter(from, to, false, make([]byte, to.Size()))
}

// toStored returns the converter from a type to the array's, nil if the types are equal. With the
// option clip a value becomes the nearest of the array's type, and NaN the fill value.
func (a *array) toStored(from dtype.DType) (*dtype.Converter, error) {
	if a.clip {
		return dtype.NewConverter(from, a.DType(), true, a.FillValue())
	}
	c, err := converter(from, a.DType())
	if err != nil {
		err = fmt.Errorf("%w; the option \"clip\" of drx_open or drx_create stores the nearest values", err)
	}
	return c, err
}

// lay checks the buffer against a section with the given extents and elements of elem bytes. It
// stores the buffer's strides in strides, with 0 for dimensions with a single position. It returns
// the byte range [first, end), relative to Data, that the section occupies. If writes is set,
// elements of the buffer will be written and must not overlap. The error wraps drx.ErrSize or
// ErrInvalid.
func (b Buffer) lay(shape []int, elem int, writes bool, strides []int) (first, end int, err error) {
	if b.Strides == nil {
		nd.RowMajor.FillStrides(strides, shape)
		for d := range strides {
			strides[d] *= elem
		}
	}
	first, end = 0, elem
	for d, n := range shape {
		if b.Strides != nil {
			if strides[d], err = Int(b.Strides[d]); err != nil {
				return 0, 0, err
			}
		}
		if n == 1 {
			strides[d] = 0
		}
		span, ok := nd.Mul(max(0, abs(strides[d])), n-1)
		_, ok2 := nd.Add(span, end-first)
		if !ok || !ok2 || strides[d] == math.MinInt {
			return 0, 0, nd.DimErrorf(d, "%w", errkind.Errorf(drx.ErrOverflow, "stride %d: the buffer would be larger than any memory", strides[d]))
		}
		if strides[d] < 0 {
			first -= span
		} else {
			end += span
		}
	}
	if b.Data == nil {
		return 0, 0, invalidf("the buffer is NULL, but the section has elements")
	}
	if b.Size != Unchecked && int64(end-first) > b.Size {
		return 0, 0, errkind.Errorf(drx.ErrSize, "buffer of %d bytes, the section takes %d", b.Size, end-first)
	}
	if b.Strides == nil && b.Size != Unchecked && int64(end) != b.Size {
		return 0, 0, errkind.Errorf(drx.ErrSize, "buffer of %d bytes, the section has %d", b.Size, end)
	}
	if writes {
		err = checkDisjoint(shape, strides, elem)
	}
	return first, end, err
}

// checkDisjoint returns an error wrapping drx.ErrSize unless the strides keep the elements of a box
// apart: ordered by magnitude, each must be at least the span of the smaller ones. All views of
// dense arrays satisfy this. The test also refuses some boxes without overlap, which no such view
// has.
func checkDisjoint(shape, strides []int, elem int) error {
	var few [8]int
	dims := few[:0]
	for d, n := range shape {
		if n > 1 {
			dims = append(dims, d)
		}
	}
	slices.SortFunc(dims, func(i, j int) int { return cmp.Compare(abs(strides[i]), abs(strides[j])) })
	span := elem
	for _, d := range dims {
		if abs(strides[d]) < span {
			return nd.DimErrorf(d, "%w", errkind.Errorf(drx.ErrSize, "stride %d: elements overlap, at least %d bytes are needed", strides[d], span))
		}
		span += abs(strides[d]) * (shape[d] - 1)
	}
	return nil
}

func abs(i int) int { return max(i, -i) }

// Strides stores the strides in bytes of a dense buffer. order is nil for row-major.
func Strides(t dtype.DType, shape []int64, order []int32, strides []int64) error {
	if !t.Valid() {
		return errkind.Errorf(drx.ErrDType, "type %d: types are 1 to %d", t, len(dtype.All()))
	}
	extents, err := Ints(shape)
	if err != nil {
		return err
	}
	for d, n := range extents {
		if n < 0 {
			return nd.DimErrorf(d, "%w", errkind.Errorf(drx.ErrBounds, "extent %d is negative", n))
		}
	}
	var o nd.Order
	for _, d := range order {
		o = append(o, int(d))
	}
	if err := o.Check(len(extents)); err != nil {
		return err
	}
	if _, err := nd.Product(append(slices.DeleteFunc(slices.Clone(extents), func(n int) bool { return n == 0 }), t.Size())...); err != nil {
		return err
	}
	for d, n := range o.Strides(extents) {
		strides[d] = int64(n * t.Size())
	}
	return nil
}
