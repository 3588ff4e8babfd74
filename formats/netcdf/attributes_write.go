//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
)

// reserved are the names that the library reserves in NetCDF-4 files, among them those of dimension
// scales. HDF5 images have CLASS.
var reserved = []string{
	"CLASS", "DIMENSION_LIST", "NAME", "REFERENCE_LIST", "_Format", "_IsNetcdf4", "_NCProperties", "_Netcdf4Coordinates", "_Netcdf4Dimid",
	"_SuperblockVersion", "_nc3_strict",
}

// An attribute is an attribute to be written.
type attribute struct {
	name  string
	t     C.nc_type
	n     int
	data  []byte   // of numbers and characters, in the order of this machine
	texts []string // of C.NC_STRING
}

// defineAttributes returns attributes in the form in which they are written, in the order of their
// names. of is the type of the variable they belong to, 0 for a group or a variable of strings.
func (p *fileDef) defineAttributes(attrs map[string]any, of dtype.DType) (all []attribute, err error) {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		v, err := flatten(attrs[name])
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", name, err)
		}
		if attrs[name] == nil || !p.classic && slices.Contains(reserved, name) {
			continue
		}
		a, fits := attribute{}, false
		if of != 0 && len(v.All) > 0 && slices.Contains(likeElements, name) {
			a, fits = likeElement(name, v, of)
			if !fits && name == fillName {
				return nil, fmt.Errorf("attribute %q: %v: NetCDF wants one value of the type %v: remove the attribute or change it", name, attrs[name], of)
			}
		}
		if !fits {
			a = p.defineAttribute(name, v.All)
		}
		if strings.Contains(name, "\x00") || slices.ContainsFunc(a.texts, func(s string) bool { return strings.Contains(s, "\x00") }) {
			return nil, errkind.Errorf(formats.ErrType, "attribute %q: names, and strings in lists, have no zero bytes", name)
		}
		all = append(all, a)
		p.need(a.t)
	}
	return all, nil
}

// flatten returns the values of an attribute. Attributes of NetCDF are lists of one type; any other
// list becomes its JSON text. Unsigned integers that fit int64 become signed, so that
// defineAttribute can choose the smallest type.
func flatten(value any) (*cformat.Values, error) {
	v, err := cformat.Flatten(value, 1)
	if err != nil || v.Kind != cformat.Uints || slices.ContainsFunc(v.All, func(n any) bool { return n.(uint64) > math.MaxInt64 }) {
		return v, err
	}
	for i, n := range v.All {
		v.All[i] = int64(n.(uint64))
	}
	v.Kind = cformat.Ints
	return v, nil
}

// likeElement returns an attribute with the type of a variable. fits is false if a value does not
// fit.
func likeElement(name string, v *cformat.Values, of dtype.DType) (a attribute, fits bool) {
	t, known := numbers[of]
	if !known || name == fillName && len(v.All) != 1 {
		return a, false
	}
	a = attribute{name: name, t: t, n: len(v.All)}
	a.data, _, fits = v.Elements(of)
	a.data = of.Little(a.data)
	return a, fits
}

// defineAttribute returns an attribute with the type of its values: characters, bytes for bools,
// the smallest of int, int64 and uint64 for integers, and double. In a classic file, a list of
// strings becomes its JSON text.
func (p *fileDef) defineAttribute(name string, values []any) attribute {
	a := attribute{name: name, t: C.NC_DOUBLE, n: len(values)}
	of := dtype.Float64
	if len(values) > 0 {
		switch first := values[0].(type) {
		case string:
			return p.defineText(name, first, values)
		case bool:
			a.t, of = C.NC_BYTE, dtype.Bool
		case uint64:
			a.t, of = C.NC_UINT64, dtype.Uint64
		case int64:
			a.t, of = C.NC_INT, dtype.Int32
			if slices.ContainsFunc(values, func(v any) bool { return v.(int64) != int64(int32(v.(int64))) }) {
				a.t, of = C.NC_INT64, dtype.Int64
			}
		}
	}
	for _, value := range values {
		if n, ok := value.(int64); ok && of == dtype.Int32 {
			value = int32(n)
		}
		element, err := of.EncodeValue(value)
		if err != nil { // values of the types above always convert
			element = make([]byte, of.Size())
		}
		a.data = append(a.data, of.Little(element)...)
	}
	return a
}

// defineText returns an attribute of strings.
func (p *fileDef) defineText(name, one string, values []any) attribute {
	if len(values) > 1 && !p.classic {
		a := attribute{name: name, t: C.NC_STRING, n: len(values)}
		for _, value := range values {
			a.texts = append(a.texts, value.(string))
		}
		return a
	}
	if len(values) > 1 {
		text, _ := json.Marshal(values) // strings always have a JSON text
		one = string(text)
	}
	return attribute{name: name, t: C.NC_CHAR, n: len(one), data: []byte(one)}
}

// write writes an attribute of a variable or, with C.NC_GLOBAL, of a group.
func (a *attribute) write(group, id C.int) error {
	name, free := cstring(a.name)
	defer free()
	data := pointer(append(slices.Clone(a.data), 0)) // never nil
	if a.texts != nil {
		texts, err := cformat.NewStrings(a.texts, "NetCDF")
		if err != nil {
			return err
		}
		var pin runtime.Pinner
		defer pin.Unpin()
		data = texts.Pinned(&pin)
	}
	return check(fmt.Sprintf("attribute %q", a.name), C.nc_put_att(group, id, name, a.t, C.size_t(a.n), data))
}
