//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"unsafe"

	"drx/dtype"
	"drx/formats/cformat"
)

// writeAttributes writes attributes in the order of their names. of is the type of the variable
// they belong to, 0 for a group.
func writeAttributes(object handle, attrs map[string]any, of dtype.DType) error {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		// libhdf5 crashes if attributes with its own names have other contents.
		if slices.Contains(structural, name) || name == "DIMENSION_LABELS" {
			continue
		}
		v, err := cformat.Flatten(attrs[name], C.H5S_MAX_RANK)
		if err != nil {
			return fmt.Errorf("attribute %q: %w", name, err)
		}
		if of != 0 && slices.Contains(likeElements, name) {
			err = writeElements(object, name, v, of)
		} else {
			err = writeValues(object, name, v)
		}
		if err != nil {
			return fmt.Errorf("attribute %q: %w", name, err)
		}
	}
	return nil
}

// writeElements writes values as elements of the given type or, if one does not fit, in their own
// type.
func writeElements(object handle, name string, v *cformat.Values, of dtype.DType) error {
	data, shape, fit := v.Elements(of)
	if !fit || len(data) == 0 {
		return writeValues(object, name, v)
	}
	t := attributeType(object, name, of)
	defer t.close()
	return writeAttribute(object, name, t, shape, unsafe.Pointer(&data[0]))
}

// attributeType returns the type of an attribute whose values are elements of the given type. If
// the variable is an enumeration, its fill value has the type of the enumeration, as NetCDF
// requires. The caller closes it.
func attributeType(object handle, name string, of dtype.DType) handle {
	if of == dtype.Bool {
		return boolType()
	}
	if name == "_FillValue" {
		t := handle(C.H5Dget_type(object.id()))
		if C.H5Tget_class(t.id()) == C.H5T_ENUM {
			return t
		}
		t.close()
	}
	return standard(of)
}

// writeValues writes values as 64-bit numbers, bools or strings. A single string has a fixed
// length, as NetCDF writes it.
func writeValues(object handle, name string, v *cformat.Values) error {
	if len(v.All) == 0 {
		return writeAttribute(object, name, handle(C.H5T_IEEE_F64LE), nil, nil)
	}
	switch v.Kind {
	case cformat.Texts:
		if len(v.Shape) == 0 {
			text := v.All[0].(string)
			t := textType(C.size_t(max(1, len(text))))
			defer t.close()
			data := append([]byte(text), 0)
			return writeAttribute(object, name, t, nil, unsafe.Pointer(&data[0]))
		}
		return writeTexts(object, name, v)
	case cformat.Bools:
		data := make([]byte, len(v.All))
		for i, b := range v.All {
			if b.(bool) {
				data[i] = 1
			}
		}
		t := boolType()
		defer t.close()
		return writeAttribute(object, name, t, v.Shape, unsafe.Pointer(&data[0]))
	case cformat.Ints:
		return writeNumbers(object, name, v, dtype.Int64)
	case cformat.Uints:
		return writeNumbers(object, name, v, dtype.Uint64)
	}
	return writeNumbers(object, name, v, dtype.Float64)
}

func writeNumbers(object handle, name string, v *cformat.Values, of dtype.DType) error {
	var data []byte
	for _, value := range v.All {
		element, err := of.EncodeValue(value)
		if err != nil {
			return err
		}
		data = append(data, element...)
	}
	t := standard(of)
	defer t.close()
	return writeAttribute(object, name, t, v.Shape, unsafe.Pointer(&data[0]))
}

// writeTexts writes a list of strings of variable length.
func writeTexts(object handle, name string, v *cformat.Values) error {
	labels := make([]string, len(v.All))
	for i, text := range v.All {
		labels[i] = text.(string)
	}
	texts, err := cformat.NewStrings(labels, "HDF5")
	if err != nil {
		return err
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	t := textType(C.H5T_VARIABLE)
	defer t.close()
	return writeAttribute(object, name, t, v.Shape, texts.Pinned(&pin))
}

// writeAttribute writes an attribute of the given type and shape. If data is nil, the attribute has
// no elements.
func writeAttribute(object handle, name string, t handle, shape []int, data unsafe.Pointer) error {
	if !t.ok() {
		return failure("its type")
	}
	space := handle(C.H5Screate(C.H5S_SCALAR))
	switch {
	case data == nil:
		space.close()
		space = handle(C.H5Screate(C.H5S_NULL))
	case len(shape) > 0:
		space.close()
		space = handle(C.H5Screate_simple(C.int(len(shape)), cformat.First(cformat.Sizes[C.hsize_t](shape)), nil))
	}
	defer space.close()
	creation := handle(C.H5Pcreate(C.H5P_ATTRIBUTE_CREATE))
	defer creation.close()
	C.H5Pset_char_encoding(creation.id(), C.H5T_CSET_UTF8)
	cname, free := cstring(name)
	defer free()
	attr := handle(C.H5Acreate2(object.id(), cname, t.id(), space.id(), creation.id(), C.H5P_DEFAULT))
	if !attr.ok() {
		return failure("create")
	}
	defer attr.close()
	if data == nil {
		return nil
	}
	return check("write", C.H5Awrite(attr.id(), t.id(), data))
}
