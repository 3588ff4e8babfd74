package par

import (
	"unsafe"

	"drx/dtype"
)

// combine replaces each element x of dst by op(x, y), where y is the element of src at the same
// position. Both have the same number of elements of type t, for which op.Check returns nil.
func combine(dst, src []byte, t dtype.DType, op Op) {
	if op >= And {
		combineBits(dst, src, op)
		return
	}
	switch t {
	case dtype.Int8:
		combineReal[int8](dst, src, op)
	case dtype.Int16:
		combineReal[int16](dst, src, op)
	case dtype.Int32:
		combineReal[int32](dst, src, op)
	case dtype.Int64:
		combineReal[int64](dst, src, op)
	case dtype.Uint8:
		combineReal[uint8](dst, src, op)
	case dtype.Uint16:
		combineReal[uint16](dst, src, op)
	case dtype.Uint32:
		combineReal[uint32](dst, src, op)
	case dtype.Uint64:
		combineReal[uint64](dst, src, op)
	case dtype.Float32:
		combineReal[float32](dst, src, op)
	case dtype.Float64:
		combineReal[float64](dst, src, op)
	case dtype.Complex64:
		arithmetic[complex64](dst, src, op)
	case dtype.Complex128:
		arithmetic[complex128](dst, src, op)
	}
}

type realNumber interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// combineBits combines bytes, whatever the type: a bool is a byte of 0 or 1.
func combineBits(dst, src []byte, op Op) {
	for i, s := range src {
		if op == And {
			dst[i] &= s
		} else {
			dst[i] |= s
		}
	}
}

func combineReal[T realNumber](dst, src []byte, op Op) {
	if op < Min {
		arithmetic[T](dst, src, op)
		return
	}
	onElements(dst, src, func(d, s []T) {
		for i := range d {
			if op == Min {
				d[i] = min(d[i], s[i])
			} else {
				d[i] = max(d[i], s[i])
			}
		}
	})
}

func arithmetic[T realNumber | complex64 | complex128](dst, src []byte, op Op) {
	onElements(dst, src, func(d, s []T) {
		for i := range d {
			if op == Sum {
				d[i] += s[i]
			} else {
				d[i] *= s[i]
			}
		}
	})
}

// onElements calls f with bytes as elements. Bytes that are not aligned for T are copied, and
// copied back after the call.
func onElements[T Number](dst, src []byte, f func(d, s []T)) {
	d, s := elements[T](dst), elements[T](src)
	f(d, s)
	if len(d) > 0 && unsafe.Pointer(&d[0]) != unsafe.Pointer(&dst[0]) {
		copy(dst, dtype.Bytes(d))
	}
}

// elements returns bytes as elements: in place if they are aligned, otherwise in a copy.
func elements[T Number](b []byte) []T {
	var v T
	n := len(b) / int(unsafe.Sizeof(v))
	if n == 0 {
		return nil
	}
	p := unsafe.Pointer(&b[0])
	if uintptr(p)%unsafe.Alignof(v) == 0 {
		return unsafe.Slice((*T)(p), n)
	}
	s := make([]T, n)
	copy(dtype.Bytes(s), b)
	return s
}
