//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

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

// structural are the attributes that attach scales and those that NetCDF-4 hides. Other code reads
// them, or none does.
var structural = []string{"DIMENSION_LIST", "REFERENCE_LIST", "_nc3_strict", "_NCProperties"}

// likeElements are attributes whose values have the type of the variable, as CF and NetCDF have it.
var likeElements = []string{"_FillValue", "missing_value", "valid_min", "valid_max", "valid_range", "flag_values", "flag_masks"}

// readAttributes returns the attributes of an object, nil if it has none. Those that make it a
// dimension scale, or attach scales to it, are noted in d instead, unless that is nil. Values that
// JSON cannot express, such as references into a file, are left out. budget is the memory that
// attributes may still take, in bytes.
func readAttributes(object handle, d *dataset, budget *int64) (map[string]any, error) {
	var list C.drxh5_names
	err := check("attributes", C.drxh5_attributes(object.id(), &list))
	all := names(&list)
	if err != nil {
		return nil, err
	}
	attrs := map[string]any{}
	for _, entry := range all {
		if slices.Contains(structural, entry[1:]) {
			continue
		}
		value, err := readAttribute(object, entry[1:], budget)
		if err == nil && *budget < 0 {
			err = fmt.Errorf("the attributes of the file together: %w", formats.ErrMemory)
		}
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", cformat.OneLine(entry[1:]), err)
		}
		if value != nil {
			attrs[formats.Text(entry[1:])] = value
		}
	}
	if d != nil {
		d.parseScale(attrs)
	}
	if len(attrs) == 0 {
		attrs = nil
	}
	return attrs, nil
}

// parseScale moves the attributes of dimensions, which HDF5's scales have, from attrs to d.
func (d *dataset) parseScale(attrs map[string]any) {
	d.scale = attrs["CLASS"] == "DIMENSION_SCALE"
	if d.scale {
		name, _ := attrs["NAME"].(string)
		d.bare = strings.HasPrefix(name, bareScale)
		delete(attrs, "CLASS")
		delete(attrs, "NAME")
	}
	if n, ok := attrs["_Netcdf4Dimid"].(int64); ok {
		d.number = int(n)
	}
	if ids, ok := attrs["_Netcdf4Coordinates"].([]any); ok && d.scale && len(d.shape) > 1 {
		for _, id := range ids {
			n, _ := id.(int64)
			d.ids = append(d.ids, int(n))
		}
	}
	if labels, ok := attrs["DIMENSION_LABELS"].([]any); ok {
		for _, label := range labels {
			text, _ := label.(string)
			d.labels = append(d.labels, text)
		}
	}
	for _, name := range []string{"DIMENSION_LABELS", "_Netcdf4Dimid", "_Netcdf4Coordinates"} {
		delete(attrs, name)
	}
}

// readAttribute returns the value of an attribute and subtracts its memory from budget. The value
// is nil if it has no JSON counterpart, or if budget is too small; budget is then below zero.
func readAttribute(object handle, name string, budget *int64) (value any, err error) {
	cname, free := cstring(name)
	defer free()
	attr := handle(C.H5Aopen(object.id(), cname, C.H5P_DEFAULT))
	if !attr.ok() {
		return nil, failure("open")
	}
	defer attr.close()
	space := handle(C.H5Aget_space(attr.id()))
	defer space.close()
	inFile := handle(C.H5Aget_type(attr.id()))
	defer inFile.close()
	if !space.ok() || !inFile.ok() {
		return nil, failure("its type")
	}
	t := handle(C.H5Tget_native_type(inFile.id(), C.H5T_DIR_DEFAULT)) // of this machine
	if slices.Contains(likeElements, name) {
		t = integersOf(t)
	}
	defer t.close()
	if !t.ok() {
		C.H5Eclear2(C.H5E_DEFAULT)
		return nil, nil
	}
	var dims [C.H5S_MAX_RANK]C.hsize_t
	rank := C.H5Sget_simple_extent_dims(space.id(), &dims[0], nil)
	if rank < 0 {
		return nil, failure("its shape")
	}
	if C.H5Sget_simple_extent_type(space.id()) == C.H5S_NULL {
		return nothing(t), nil
	}
	n, one := int64(C.H5Sget_simple_extent_npoints(space.id())), int64(C.H5Tget_size(t.id()))
	if n < 0 || one < 1 || n > maxAttribute/max(one, perValue) {
		return nil, errkind.Errorf(formats.ErrMemory, "%d values of %d bytes: more than %d bytes", n, one, maxAttribute)
	}
	buf := C.calloc(C.size_t(max(n, 1)), C.size_t(one))
	defer C.free(buf)
	if n > 0 && C.H5Aread(attr.id(), t.id(), buf) < 0 {
		return nil, failure("read")
	}
	defer C.H5Dvlen_reclaim(t.id(), space.id(), C.H5P_DEFAULT, buf)
	shape, _ := extents(dims[:rank])
	value, _ = nested(shape, unsafe.Slice((*byte)(buf), n*one), func(b []byte) any { return attributeValue(t, b, budget) })
	if C.H5Tget_class(t.id()) == C.H5T_FLOAT && !slices.Contains(likeElements, name) {
		value = cformat.Single(value)
	}
	return value, nil
}

// nothing returns the value of an attribute without elements.
func nothing(t handle) any {
	if C.H5Tget_class(t.id()) == C.H5T_STRING {
		return ""
	}
	return []any{}
}

// nested returns elements as lists of lists, and what is left of data. It is nil if one of the
// elements is nil.
func nested(shape []int, data []byte, one func([]byte) any) (any, []byte) {
	if len(shape) == 0 {
		return one(data), nil
	}
	list := []any{}
	if shape[0] == 0 {
		return list, nil
	}
	step := len(data) / shape[0]
	for i := range shape[0] {
		value, _ := nested(shape[1:], data[i*step:(i+1)*step], one)
		if value == nil {
			return nil, nil
		}
		list = append(list, value)
	}
	return list, nil
}
