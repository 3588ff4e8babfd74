//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
)

// An element describes how DRX represents the elements of a dataset, or of a member of its
// compounds.
type element struct {
	dtype   dtype.DType
	inner   []int         // extents of array types, outermost first
	rounded bool          // no type holds all values: they are rounded to dtype
	text    bool          // strings: dtype is the type of their indices
	width   int           // bytes of a string of fixed length, 0 for variable length
	padding byte          // one of the constants below
	enum    *cformat.Enum // without a name; nil unless the integers are those of an enumeration
}

// How strings of fixed length end.
const (
	zeroEnds byte = iota // at the first zero
	zeroPads             // before the last zeros
	spacePads
)

// A member is a part of a compound that becomes a variable: the path of member names to it, and its
// elements.
type member struct {
	path   []string
	elem   element
	reason string // why it has no counterpart; empty if it has one
}

// members returns the parts of a type that become variables: one without a path, unless it is a
// compound.
func members(t handle) []member {
	if C.H5Tget_class(t.id()) != C.H5T_COMPOUND || isComplex(t) {
		e, reason := classify(t)
		return []member{{elem: e, reason: reason}}
	}
	var all []member
	for i := range int(C.H5Tget_nmembers(t.id())) {
		name := memberName(t, i)
		part := handle(C.H5Tget_member_type(t.id(), C.uint(i)))
		if !part.ok() {
			all = append(all, member{path: []string{name}, reason: failure("its type").Error()})
			continue
		}
		for _, m := range members(part) {
			m.path = append([]string{name}, m.path...)
			all = append(all, m)
		}
		part.close()
	}
	return all
}

func memberName(t handle, i int) string {
	p := C.H5Tget_member_name(t.id(), C.uint(i))
	if p == nil {
		return ""
	}
	defer C.H5free_memory(unsafe.Pointer(p))
	return formats.Text(C.GoString(p))
}

// classify returns the elements of a type, or the reason why DRX cannot represent them.
func classify(t handle) (e element, reason string) {
	size := int(C.H5Tget_size(t.id()))
	switch C.H5Tget_class(t.id()) {
	case C.H5T_INTEGER:
		e.dtype = integer(size, C.H5Tget_sign(t.id()) == C.H5T_SGN_NONE)
		if e.dtype == 0 {
			reason = fmt.Sprintf("integers of %d bits are larger than any type here: let the program that wrote the file write a copy with integers of 64 bits, or with float64", 8*size)
		}
	case C.H5T_BITFIELD:
		e.dtype = integer(size, true)
		if e.dtype == 0 {
			reason = fmt.Sprintf("bit fields of %d bits are larger than any type here: let the program that wrote the file write a copy with several of 64 bits", 8*size)
		}
	case C.H5T_FLOAT:
		e.dtype = float(t)
		if e.dtype == 0 {
			e.dtype, e.rounded = dtype.Float64, true
			reason = fmt.Sprintf("floating-point numbers of %d bits (long double) would be rounded: import them as float64, "+
				"or let h5py write a copy with astype('f8')", 8*size)
		}
	case C.H5T_COMPOUND:
		e.dtype = complexType(t)
		if e.dtype == 0 {
			reason = "an array of compounds has no counterpart: let h5py write a copy with one dataset per member"
		}
	case C.H5T_ENUM:
		return enumeration(t)
	case C.H5T_STRING:
		return stringType(t, size), ""
	case C.H5T_ARRAY:
		return arrayType(t)
	case C.H5T_VLEN:
		reason = "sequences of variable length are not rectangular: let h5py write a copy that is padded, or one dataset per sequence"
	case C.H5T_REFERENCE:
		reason = "references to other objects have no meaning outside of the file: let h5py write a copy with the names, or the elements, of these objects"
	case C.H5T_OPAQUE:
		reason = "opaque bytes have no counterpart: if they are numbers, let h5py write a copy with view('u1')"
	case C.H5T_TIME:
		reason = "the time type of HDF5 has no counterpart: let h5py write a copy as integers"
	default:
		reason = "its type is unknown to this version of HDF5: build drx-bridge with a newer one, or let h5py write a copy with numbers"
	}
	return e, reason
}

// integer returns the integer type of size bytes, or the next larger one; 0 if there is none.
func integer(size int, unsigned bool) dtype.DType {
	signed := []dtype.DType{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64}
	if unsigned {
		signed = []dtype.DType{dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64}
	}
	for _, t := range signed {
		if size <= t.Size() {
			return t
		}
	}
	return 0
}

// floats are the layouts of the floating-point types: exponent bits, exponent bias, mantissa bits.
// They are in ascending order, so that the first that holds all values of another layout is the
// smallest.
var floats = []struct {
	dtype                    dtype.DType
	exponent, bias, mantissa int
}{
	{dtype.Float16, 5, 15, 10},
	{dtype.BFloat16, 8, 127, 7},
	{dtype.Float32, 8, 127, 23},
	{dtype.Float64, 11, 1023, 52},
}

// float returns the smallest type that holds all values of t; 0 if there is none.
func float(t handle) dtype.DType {
	var sign, exponentAt, exponent, mantissaAt, mantissa C.size_t
	if C.H5Tget_fields(t.id(), &sign, &exponentAt, &exponent, &mantissaAt, &mantissa) < 0 {
		C.H5Eclear2(C.H5E_DEFAULT)
		return 0
	}
	bias := int(C.H5Tget_ebias(t.id()))
	for _, f := range floats {
		same := int(exponent) == f.exponent && bias == f.bias
		inside := int(exponent) < f.exponent && bias < f.bias && 1<<exponent-bias <= 1<<f.exponent-f.bias
		if int(mantissa) <= f.mantissa && (same || inside) {
			return f.dtype
		}
	}
	return 0
}

// complexNames are the pairs of member names, in lower case, that make a compound a complex number.
var complexNames = [][2]string{{"r", "i"}, {"re", "im"}, {"real", "imag"}, {"real", "imaginary"}}

func isComplex(t handle) bool { return complexType(t) != 0 }

// complexType returns the type of a compound of a real and an imaginary part; 0 for other
// compounds.
func complexType(t handle) dtype.DType {
	if C.H5Tget_nmembers(t.id()) != 2 {
		return 0
	}
	names := [2]string{strings.ToLower(memberName(t, 0)), strings.ToLower(memberName(t, 1))}
	if !slices.Contains(complexNames, names) {
		return 0
	}
	var parts [2]dtype.DType
	for i := range parts {
		part := handle(C.H5Tget_member_type(t.id(), C.uint(i)))
		if C.H5Tget_class(part.id()) == C.H5T_FLOAT {
			parts[i] = float(part)
		}
		part.close()
	}
	switch {
	case parts[0] != parts[1]:
		return 0
	case parts[0] == dtype.Float64:
		return dtype.Complex128
	case parts[0] != 0:
		return dtype.Complex64
	}
	return 0
}

// enumeration returns the integers of an enumeration, or bools for the enumeration that h5py writes
// for bools.
func enumeration(t handle) (e element, reason string) {
	base := handle(C.H5Tget_super(t.id()))
	defer base.close()
	if C.H5Tget_class(base.id()) != C.H5T_INTEGER {
		return e, "an enumeration of other values than integers has no counterpart: let the program that wrote the file write a copy with the values"
	}
	if e, reason = classify(base); reason != "" {
		return e, reason
	}
	n := &cformat.Enum{Values: []any{}}
	for i := range int(C.H5Tget_nmembers(t.id())) {
		value, err := enumValue(t, base, i)
		if err != nil {
			return e, err.Error()
		}
		n.Values = append(n.Values, value)
		n.Meanings = append(n.Meanings, cformat.Word(memberName(t, i)))
	}
	if isBool(n, e.dtype) {
		return element{dtype: dtype.Bool}, ""
	}
	e.enum = n
	return e, ""
}

// isBool reports whether an enumeration of integers of type t is the one that h5py writes for
// bools.
func isBool(e *cformat.Enum, t dtype.DType) bool {
	pairs := fmt.Sprint(e.Meanings, e.Values)
	return t.Size() == 1 && (pairs == "[FALSE TRUE] [0 1]" || pairs == "[TRUE FALSE] [1 0]")
}

// integersOf returns the type of integers that an enumeration has; t itself if it is no
// enumeration, or that of bools. It closes t if it returns another one.
func integersOf(t handle) handle {
	if !t.ok() || C.H5Tget_class(t.id()) != C.H5T_ENUM {
		return t
	}
	if e, _ := enumeration(t); e.enum == nil {
		return t
	}
	defer t.close()
	return handle(C.H5Tget_super(t.id()))
}

// enumValue returns the value of member i of an enumeration as an int64 or uint64.
func enumValue(t, base handle, i int) (any, error) {
	size := int(C.H5Tget_size(t.id()))
	buf := make([]byte, max(size, 8))
	if C.H5Tget_member_value(t.id(), C.uint(i), unsafe.Pointer(&buf[0])) < 0 {
		return nil, failure("enumeration")
	}
	return integerValue(base, buf)
}

// integerValue returns an integer of a type as an int64 or, if the type is unsigned, a uint64. buf
// has at least 8 bytes, and is overwritten.
func integerValue(t handle, buf []byte) (any, error) {
	if C.H5Tget_sign(t.id()) == C.H5T_SGN_NONE {
		err := check("integer", C.H5Tconvert(t.id(), C.H5T_NATIVE_UINT64, 1, unsafe.Pointer(&buf[0]), nil, C.H5P_DEFAULT))
		return *(*uint64)(unsafe.Pointer(&buf[0])), err
	}
	err := check("integer", C.H5Tconvert(t.id(), C.H5T_NATIVE_INT64, 1, unsafe.Pointer(&buf[0]), nil, C.H5P_DEFAULT))
	return *(*int64)(unsafe.Pointer(&buf[0])), err
}

// stringType returns the elements of a string type of the given size in bytes.
func stringType(t handle, size int) element {
	e := element{dtype: dtype.Uint32, text: true, width: size}
	if C.H5Tis_variable_str(t.id()) > 0 {
		e.width = 0
	}
	switch C.H5Tget_strpad(t.id()) {
	case C.H5T_STR_NULLPAD:
		e.padding = zeroPads
	case C.H5T_STR_SPACEPAD:
		e.padding = spacePads
	}
	return e
}

// arrayType returns the elements of an array type, with its extents before those of its elements.
func arrayType(t handle) (e element, reason string) {
	base := handle(C.H5Tget_super(t.id()))
	defer base.close()
	if e, reason = classify(base); reason != "" {
		return element{}, reason
	}
	if e.text {
		return e, "arrays of strings have no counterpart: let h5py write a copy with a dataset of strings"
	}
	var dims [C.H5S_MAX_RANK]C.hsize_t
	n := C.H5Tget_array_ndims(t.id())
	if n < 0 || n > C.H5S_MAX_RANK || C.H5Tget_array_dims2(t.id(), &dims[0]) < 0 {
		return e, failure("array type").Error()
	}
	shape, fit := extents(dims[:n])
	if !fit {
		return e, "the extents of its array type are too large"
	}
	e.inner = append(shape, e.inner...)
	return e, ""
}
