//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"encoding/binary"
	"fmt"
	"slices"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
)

// An element describes how DRX represents the elements of a variable, or of a member of its
// compounds.
type element struct {
	dtype dtype.DType
	text  textKind
	enum  *cformat.Enum // nil unless the integers are those of an enumeration
}

// A textKind says how a file stores strings.
type textKind int

const (
	noText     textKind = iota
	charArray           // characters along the last dimension, or a single one
	stringText          // pointers to strings
)

// A member is a part of a compound that becomes a variable: its name, its offset and its elements.
type member struct {
	name   string // "" for a whole element
	elem   element
	whole  int   // bytes of a whole element in memory; 0 if the member is all of it
	at     int   // bytes before the member
	inner  []int // extents of a member that is an array
	reason string
}

// atomic maps the numeric types of the file to those of DRX.
var atomic = map[C.nc_type]dtype.DType{
	C.NC_BYTE: dtype.Int8, C.NC_SHORT: dtype.Int16, C.NC_INT: dtype.Int32, C.NC_INT64: dtype.Int64,
	C.NC_UBYTE: dtype.Uint8, C.NC_USHORT: dtype.Uint16, C.NC_UINT: dtype.Uint32, C.NC_UINT64: dtype.Uint64,
	C.NC_FLOAT: dtype.Float32, C.NC_DOUBLE: dtype.Float64,
}

// members returns the parts of a type that become variables: one without a name, unless it is a
// compound.
func members(group C.int, t C.nc_type) []member {
	if t := compoundOf(group, t); t != nil && !t.isComplex() {
		return t.members()
	}
	e, reason := classify(group, t)
	return []member{{elem: e, reason: reason}}
}

// classify returns the elements of a type, or the reason why DRX cannot represent them.
func classify(group C.int, t C.nc_type) (e element, reason string) {
	if e.dtype = atomic[t]; e.dtype != 0 {
		return e, ""
	}
	switch t {
	case C.NC_CHAR:
		return element{dtype: dtype.Uint32, text: charArray}, ""
	case C.NC_STRING:
		return element{dtype: dtype.Uint32, text: stringText}, ""
	}
	var name nameBuffer
	var class C.int
	if err := check("its type", C.nc_inq_user_type(group, t, &name[0], nil, nil, nil, &class)); err != nil {
		return e, err.Error()
	}
	what := fmt.Sprintf("its type %s", cformat.OneLine(name.String()))
	switch class {
	case C.NC_ENUM:
		return enumeration(group, t)
	case C.NC_COMPOUND:
		if c := compoundOf(group, t); c != nil && c.isComplex() {
			return element{dtype: map[dtype.DType]dtype.DType{dtype.Float32: dtype.Complex64, dtype.Float64: dtype.Complex128}[atomic[c.fields[0].t]]}, ""
		}
	case C.NC_VLEN:
		return e, what + " has sequences of variable length, and an array has no elements of several sizes: pad them in the program that wrote the file"
	case C.NC_OPAQUE:
		return e, what + " is opaque: only the program that wrote the file knows what the bytes mean, so let that write a copy with numbers"
	}
	return e, what + " has no counterpart: let netCDF4 for Python write a copy with numbers or strings"
}

// enumeration returns the integers of an enumeration with their meanings.
func enumeration(group C.int, t C.nc_type) (element, string) {
	var title nameBuffer
	var base C.nc_type
	var n C.size_t
	if err := check("its enumeration", C.nc_inq_enum(group, t, &title[0], &base, nil, &n)); err != nil {
		return element{}, err.Error()
	}
	of := &cformat.Enum{Name: formats.Text(title.String()), Values: []any{}}
	e := element{dtype: atomic[base], enum: of}
	if e.dtype == 0 {
		return e, "its enumeration is not of integers: let the program that wrote the file write a copy with numbers"
	}
	for i := range int(n) {
		var name nameBuffer
		var value [8]byte
		if err := check("its enumeration", C.nc_inq_enum_member(group, t, C.int(i), &name[0], pointer(value[:]))); err != nil {
			return e, err.Error()
		}
		of.Values = append(of.Values, number(e.dtype, value[:e.dtype.Size()]))
		of.Meanings = append(of.Meanings, cformat.Word(name.String()))
	}
	return e, ""
}

// number returns an integer in the byte order of this machine as int64 or uint64.
func number(t dtype.DType, b []byte) any {
	b = t.Little(slices.Clone(b))
	var wide [8]byte
	copy(wide[:], b)
	n := binary.LittleEndian.Uint64(wide[:])
	shift := 64 - 8*len(b)
	switch t {
	case dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64:
		return int64(n<<shift) >> shift
	}
	return n
}
