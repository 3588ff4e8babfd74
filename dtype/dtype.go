// Package dtype describes the element types of an array: their names, sizes and
// Go counterparts, single values as text and JSON, and the byte order of the file.
//
// An element is stored little-endian, a complex one as its real and then its
// imaginary part, a bool as one byte 0 or 1. float16 is IEEE 754 binary16,
// bfloat16 the upper half of a binary32.
package dtype

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"drx/internal/errkind"
)

// A DType is an element type. The zero value is not valid.
type DType uint8

// The element types.
const (
	Bool DType = iota + 1
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	BFloat16
	Float32
	Float64
	Complex64
	Complex128
)

// ErrDType is returned for an unknown type, for a type that differs from that of the array, and for
// a value that does not fit a type.
var ErrDType = errors.New("wrong element type")

type kind uint8

const (
	boolKind kind = iota
	intKind
	uintKind
	floatKind
	complexKind
)

var types = [...]struct {
	name string
	size int
	kind kind
}{
	{"none", 0, boolKind},
	Bool:       {"bool", 1, boolKind},
	Int8:       {"int8", 1, intKind},
	Int16:      {"int16", 2, intKind},
	Int32:      {"int32", 4, intKind},
	Int64:      {"int64", 8, intKind},
	Uint8:      {"uint8", 1, uintKind},
	Uint16:     {"uint16", 2, uintKind},
	Uint32:     {"uint32", 4, uintKind},
	Uint64:     {"uint64", 8, uintKind},
	Float16:    {"float16", 2, floatKind},
	BFloat16:   {"bfloat16", 2, floatKind},
	Float32:    {"float32", 4, floatKind},
	Float64:    {"float64", 8, floatKind},
	Complex64:  {"complex64", 8, complexKind},
	Complex128: {"complex128", 16, complexKind},
}

// All returns every element type, in the order of the constants.
func All() []DType {
	all := make([]DType, 0, len(types)-1)
	for t := Bool; int(t) < len(types); t++ {
		all = append(all, t)
	}
	return all
}

// Parse returns the type with the given name, or an error wrapping ErrDType that lists
// all names.
func Parse(name string) (DType, error) {
	names := make([]string, 0, len(types)-1)
	for _, t := range All() {
		if t.String() == name {
			return t, nil
		}
		names = append(names, t.String())
	}
	return 0, errkind.Errorf(ErrDType, "dtype %q: known are %s", name, strings.Join(names, ", "))
}

// Valid reports whether t is one of the constants.
func (t DType) Valid() bool { return t > 0 && int(t) < len(types) }

// Size returns the bytes of one element, 0 unless t is valid.
func (t DType) Size() int {
	if !t.Valid() {
		return 0
	}
	return types[t].size
}

// String returns the name, which Parse accepts.
func (t DType) String() string {
	if !t.Valid() {
		return fmt.Sprintf("dtype(%d)", uint8(t))
	}
	return types[t].name
}

// IsComplex reports whether an element has a real and an imaginary part.
func (t DType) IsComplex() bool { return t.Valid() && types[t].kind == complexKind }

// IsFloat reports whether t is one of the real floating-point types.
func (t DType) IsFloat() bool { return t.Valid() && types[t].kind == floatKind }

// word returns the size of the units in which bytes are swapped between byte orders.
func (t DType) word() int {
	if t.IsComplex() {
		return t.Size() / 2
	}
	return t.Size()
}

// Element is the set of Go types to and from which elements can be copied.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		F16 | BF16 | float32 | float64 | complex64 | complex128
}

// Of returns the element type of a Go type.
func Of[T Element]() DType {
	var v T
	switch any(v).(type) {
	case bool:
		return Bool
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case F16:
		return Float16
	case BF16:
		return BFloat16
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	default:
		return Complex128
	}
}

// Bytes returns the memory of s as bytes, in the byte order of this machine.
func Bytes[T Element](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	var v T
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(v)))
}

// bigEndian reports whether this machine stores the high byte first.
var bigEndian = func() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 0
}()

// ToLittle converts elements between the byte order of this machine and little-endian, in
// place and in either direction. It does nothing if the two are the same.
func (t DType) ToLittle(b []byte) {
	if bigEndian {
		t.Swap(b)
	}
}

// Little returns elements in the byte order of this machine as little-endian elements: b
// itself if the two are the same, otherwise a copy.
func (t DType) Little(b []byte) []byte {
	if bigEndian {
		b = slices.Clone(b)
		t.Swap(b)
	}
	return b
}

// Swap reverses the byte order of the elements in b, in place.
func (t DType) Swap(b []byte) {
	w := t.word()
	if w < 2 {
		return
	}
	for ; len(b) >= w; b = b[w:] {
		for i, j := 0, w-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
	}
}
