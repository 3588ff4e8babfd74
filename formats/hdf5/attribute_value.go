//go:build hdf5 && cgo

package hdf5

// #include <string.h>
// #include "bridge.h"
import "C"

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
)

// attributeValue converts one value of a native type to JSON. It returns nil if the type has no
// JSON counterpart or if b is too short, as in a damaged file. b is memory of the library and is
// not modified. budget is the memory left for values, in bytes: in a small file, many strings and
// sequences can share the same bytes. Once it is below zero, no more values are returned.
func attributeValue(t handle, b []byte, budget *int64) any {
	if *budget -= perValue; *budget < 0 ||
		len(b) == 0 || len(b) < int(C.H5Tget_size(t.id())) {
		return nil
	}
	switch C.H5Tget_class(t.id()) {
	case C.H5T_INTEGER, C.H5T_BITFIELD:
		return attributeInteger(t, b)
	case C.H5T_FLOAT:
		return attributeFloat(t, b)
	case C.H5T_STRING:
		return attributeString(t, b, budget)
	case C.H5T_ENUM:
		return attributeEnum(t, b)
	case C.H5T_COMPOUND:
		return attributeCompound(t, b, budget)
	case C.H5T_ARRAY:
		base := handle(C.H5Tget_super(t.id()))
		defer base.close()
		var dims [C.H5S_MAX_RANK]C.hsize_t
		shape, fit := extents(dims[:max(0, C.H5Tget_array_dims2(t.id(), &dims[0]))])
		if !fit {
			return nil
		}
		value, _ := nested(shape, b, func(b []byte) any { return attributeValue(base, b, budget) })
		return value
	case C.H5T_VLEN:
		return attributeSequence(t, b, budget)
	case C.H5T_REFERENCE:
		return nil
	}
	return nil
}

func attributeInteger(t handle, b []byte) any {
	if len(b) > 8 {
		return nil
	}
	buf := make([]byte, 8)
	copy(buf, b)
	if C.H5Tget_class(t.id()) == C.H5T_BITFIELD { // the library does not convert it to integers
		return bitsOf(buf, len(b))
	}
	value, err := integerValue(t, buf)
	if err != nil {
		return nil
	}
	return value
}

// bitsOf returns the number in the first size bytes, in the byte order of this machine.
func bitsOf(buf []byte, size int) uint64 {
	n := binary.NativeEndian.Uint64(buf)
	if bigEndian := binary.NativeEndian.Uint16([]byte{0, 1}) == 1; bigEndian {
		n >>= 64 - 8*size
	}
	return n
}

// attributeFloat returns a float64, the shortest decimal number for values of 32 bits or fewer, or
// the name of a value that is no number.
func attributeFloat(t handle, b []byte) any {
	buf := make([]byte, max(8, len(b)))
	copy(buf, b)
	if C.H5Tconvert(t.id(), C.H5T_NATIVE_DOUBLE, 1, unsafe.Pointer(&buf[0]), nil, C.H5P_DEFAULT) < 0 {
		C.H5Eclear2(C.H5E_DEFAULT)
		return nil
	}
	f := *(*float64)(unsafe.Pointer(&buf[0]))
	return cformat.Float(f, len(b) == 4 && float64(float32(f)) == f)
}

// attributeString returns a string. For a string of variable length, b holds its address.
func attributeString(t handle, b []byte, budget *int64) any {
	e := stringType(t, len(b))
	if e.width > 0 {
		*budget -= int64(e.width)
		return e.fixedText(b)
	}
	p := *(**C.char)(unsafe.Pointer(&b[0]))
	if p == nil {
		return ""
	}
	if *budget -= int64(C.strlen(p)); *budget < 0 {
		return nil
	}
	return formats.Text(C.GoString(p))
}

// attributeEnum returns a bool for h5py's enumeration, otherwise the name of the value, or the
// integer if it has none.
func attributeEnum(t handle, b []byte) any {
	e, reason := enumeration(t)
	base := handle(C.H5Tget_super(t.id()))
	defer base.close()
	value := attributeInteger(base, b)
	if reason != "" || value == nil {
		return value
	}
	if e.enum == nil {
		return fmt.Sprint(value) != "0"
	}
	for i := range int(C.H5Tget_nmembers(t.id())) {
		if v, err := enumValue(t, base, i); err == nil && v == value {
			return memberName(t, i)
		}
	}
	return value
}

// attributeCompound returns a list of two numbers for a complex one, otherwise a map from names to
// values without the members that have no counterpart.
func attributeCompound(t handle, b []byte, budget *int64) any {
	var list []any
	object := map[string]any{}
	for i := range int(C.H5Tget_nmembers(t.id())) {
		part := handle(C.H5Tget_member_type(t.id(), C.uint(i)))
		at := min(int(C.H5Tget_member_offset(t.id(), C.uint(i))), len(b))
		value := attributeValue(part, b[at:min(at+int(C.H5Tget_size(part.id())), len(b))], budget)
		part.close()
		if value != nil {
			object[memberName(t, i)] = value
			list = append(list, value)
		}
	}
	if isComplex(t) {
		return list
	}
	return object
}

// attributeSequence returns the list at the address in b.
func attributeSequence(t handle, b []byte, budget *int64) any {
	base := handle(C.H5Tget_super(t.id()))
	defer base.close()
	v := *(*C.hvl_t)(unsafe.Pointer(&b[0]))
	size := int(C.H5Tget_size(base.id()))
	if v.p == nil || v.len == 0 {
		return []any{}
	}
	if int64(v.len) > *budget/int64(max(size, perValue)) {
		*budget = -1
		return nil
	}
	value, _ := nested([]int{int(v.len)}, unsafe.Slice((*byte)(v.p), int(v.len)*size), func(b []byte) any { return attributeValue(base, b, budget) })
	return value
}
