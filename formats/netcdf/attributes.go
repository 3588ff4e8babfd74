//go:build netcdf && cgo

package netcdf

// #include <string.h>
// #include "bridge.h"
import "C"

import (
	"fmt"
	"slices"
	"unsafe"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
)

// maxAttribute limits the memory of one attribute that is read, in bytes; perValue is the least
// memory counted for a value.
const (
	maxAttribute = 16 << 20
	perValue     = 24
)

// likeElements are attributes whose values have the type of the variable, as CF and NetCDF have it.
var likeElements = []string{fillName, "missing_value", "valid_min", "valid_max", "valid_range", "flag_values", "flag_masks"}

const fillName = "_FillValue"

// readAttributes returns the attributes of a variable or, with C.NC_GLOBAL, of a group; nil if it
// has none. Attributes of types that JSON cannot express, such as records, are left out.
func (w *walker) readAttributes(group, id C.int) (map[string]any, error) {
	var n C.int
	if err := check("attributes", C.nc_inq_varnatts(group, id, &n)); err != nil {
		return nil, err
	}
	attrs := map[string]any{}
	for i := range n {
		var name nameBuffer
		if err := check("attributes", C.nc_inq_attname(group, id, i, &name[0])); err != nil {
			return nil, err
		}
		value, size, err := readAttribute(group, id, &name, w.budget)
		if w.budget -= size; err == nil && w.budget < 0 {
			err = fmt.Errorf("the attributes of the file together: %w", formats.ErrMemory)
		}
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", cformat.OneLine(name.String()), err)
		}
		if value != nil {
			attrs[formats.Text(name.String())] = value
		}
	}
	if len(attrs) == 0 {
		attrs = nil
	}
	return attrs, nil
}

// readAttribute returns the value of an attribute and the memory it takes, in bytes. The value is
// nil if it has no JSON counterpart, or if it has strings that take more than budget.
func readAttribute(group, id C.int, name *nameBuffer, budget int64) (value any, size int64, err error) {
	var t C.nc_type
	var n, one C.size_t
	if err := check("its type", C.nc_inq_att(group, id, &name[0], &t, &n)); err != nil {
		return nil, 0, err
	}
	if err := check("its type", C.nc_inq_type(group, t, nil, &one)); err != nil {
		return nil, 0, err
	}
	each := max(uint64(one), perValue)
	if t == C.NC_CHAR {
		each = 1
	}
	if uint64(n) > maxAttribute/each {
		return nil, 0, errkind.Errorf(formats.ErrMemory, "%d values: they need more than %d bytes", uint64(n), maxAttribute)
	}
	size = int64(uint64(n) * each)
	if n == 0 {
		return nothing(t), size, nil
	}
	buf := C.calloc(n, one) // memory of C: strings are pointers in it
	defer C.free(buf)
	if err := check("read", C.nc_get_att(group, id, &name[0], buf)); err != nil {
		return nil, 0, err
	}
	defer C.nc_reclaim_data(group, t, buf, n)
	data := unsafe.Slice((*byte)(buf), uint64(n)*uint64(one))
	switch {
	case t == C.NC_CHAR:
		return charText(data), size, nil
	case t == C.NC_STRING:
		texts := unsafe.Slice((**C.char)(buf), n)
		for _, p := range texts { // in a small file many can share the same bytes
			if p != nil {
				size += int64(C.strlen(p))
			}
		}
		if size > budget {
			return nil, size, nil
		}
		return single(len(texts), func(i int) any { return text(texts[i]) }), size, nil
	case atomic[t] != 0:
		value := single(int(n), func(i int) any { return attributeNumber(atomic[t], data[i*int(one):(i+1)*int(one)]) })
		if !slices.Contains(likeElements, name.String()) {
			value = cformat.Single(value)
		}
		return value, size, nil
	}
	return attributeEnum(group, t, data, int(one), slices.Contains(likeElements, name.String())), size, nil
}

// nothing returns the value of an attribute without elements.
func nothing(t C.nc_type) any {
	if t == C.NC_CHAR || t == C.NC_STRING {
		return ""
	}
	return []any{}
}

// single returns the value if there is only one, otherwise the list of all.
func single(n int, value func(i int) any) any {
	if n == 1 {
		return value(0)
	}
	list := make([]any, n)
	for i := range list {
		list[i] = value(i)
	}
	return list
}

// text returns a C string of the library as a Go string.
func text(p *C.char) string {
	if p == nil {
		return ""
	}
	return formats.Text(C.GoString(p))
}

// attributeNumber returns a number as int64, uint64 or float64, the shortest decimal number for 32
// bits, or the name of a value that is no number.
func attributeNumber(t dtype.DType, b []byte) any {
	if !t.IsFloat() {
		return number(t, b)
	}
	return cformat.Float(t.Float64(t.Little(b)), t == dtype.Float32)
}

// attributeEnum returns the names of values of an enumeration, or the integers that have none, or
// all of them if they are wanted as elements; nil for other types.
func attributeEnum(group C.int, t C.nc_type, data []byte, size int, asElements bool) any {
	var class C.int
	if C.nc_inq_user_type(group, t, nil, nil, nil, nil, &class) != C.NC_NOERR || class != C.NC_ENUM {
		return nil
	}
	e, reason := enumeration(group, t)
	if reason != "" {
		return nil
	}
	return single(len(data)/size, func(i int) any {
		value := number(e.dtype, data[i*size:(i+1)*size])
		for k, v := range e.enum.Values {
			if v == value && !asElements {
				return e.enum.Meanings[k]
			}
		}
		return value
	})
}
