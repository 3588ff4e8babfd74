//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
	"drx/formats/h5filter"
)

// bareScale is the prefix of the name of a dimension scale without coordinates, as NetCDF-4 writes
// it.
const bareScale = "This is a netCDF dimension but not a netCDF variable"

// read describes an open dataset of the file at path. If its elements cannot be read, its variables
// hold the reason; read returns an error only if the dataset cannot even be described. budget is
// the memory left for attributes, in bytes.
func (d *dataset) read(path string, h handle, budget *int64) error {
	shape, growable, err := dimensions(h)
	if err != nil {
		return err
	}
	d.shape = shape
	t := handle(C.H5Dget_type(h.id()))
	if !t.ok() {
		return failure("its type")
	}
	defer t.close()
	if C.H5Tcommitted(t.id()) > 0 {
		if d.namedType, _, err = identify(t); err != nil {
			return err
		}
	}
	plist := handle(C.H5Dget_create_plist(h.id()))
	if !plist.ok() {
		return failure("its creation properties")
	}
	defer plist.close()
	attrs, err := readAttributes(h, d, budget)
	if err != nil {
		return err
	}
	if err := d.readScales(h); err != nil {
		return err
	}
	filters, err := filtersOf(plist)
	refused := errors.Join(err, checkElsewhere(path, h, plist))
	chunk := chunkShape(plist, len(shape))
	for _, m := range members(t) {
		v := variable{dataset: d.path, member: m, err: refused}
		v.info = formats.Info{
			Name: strings.Join(append([]string{d.path}, m.path...), "."), DType: m.elem.dtype,
			Shape: append(slices.Clone(shape), m.elem.inner...),
			Attrs: attrs, Codec: cformat.CodecOf(filters),
		}
		if chunk != nil {
			v.info.Chunk = append(slices.Clone(chunk), m.elem.inner...)
		}
		if slices.Contains(growable, true) {
			v.info.Unlimited = append(slices.Clone(growable), make([]bool, len(m.elem.inner))...)
		}
		if m.elem.text {
			v.info.Labels = []string{}
		}
		d.finish(&v, t, plist)
		d.vars = append(d.vars, v)
	}
	return nil
}

// finish sets the fill value of a variable, or the reason why the variable cannot be read.
func (d *dataset) finish(v *variable, t, plist handle) {
	_, err := v.info.Bytes()
	switch {
	case v.err != nil:
	case v.member.reason != "":
		v.err = cformat.Refuse(formats.ErrType, v.member.reason)
		if v.member.elem.rounded && err == nil && d.shape != nil {
			v.info.Fill, err = fillValue(&v.member, v.info.Attrs, t, plist)
			v.info.Rounded = err == nil
		}
	case err != nil:
		v.err = err
	case d.shape == nil:
		v.err = errors.New("it is empty: its dataspace is null")
	case !v.member.elem.text:
		v.info.Fill, v.err = fillValue(&v.member, v.info.Attrs, t, plist)
	}
}

// readRounded returns a variable that is read although its values are rounded.
func (v *variable) readRounded() *variable {
	read := *v
	read.err, read.info.Refused, read.info.Rounded = nil, "", false
	return &read
}

// dimensions returns the extents of a dataset and whether each can grow. The shape of a null
// dataspace is nil, that of a scalar is empty.
func dimensions(h handle) (shape []int, growable []bool, err error) {
	space := handle(C.H5Dget_space(h.id()))
	if !space.ok() {
		return nil, nil, failure("its shape")
	}
	defer space.close()
	if C.H5Sget_simple_extent_type(space.id()) == C.H5S_NULL {
		return nil, nil, nil
	}
	var dims, most [C.H5S_MAX_RANK]C.hsize_t
	rank := C.H5Sget_simple_extent_dims(space.id(), &dims[0], &most[0])
	if rank < 0 {
		return nil, nil, failure("its shape")
	}
	shape, fit := extents(dims[:rank])
	if !fit {
		return nil, nil, fmt.Errorf("shape %v: larger than this machine can address", dims[:rank])
	}
	for d := range shape {
		growable = append(growable, most[d] > dims[d]) // H5S_UNLIMITED is the largest number
	}
	return shape, growable, nil
}

// chunkShape returns the extents of a chunk, nil for other layouts.
func chunkShape(plist handle, rank int) []int {
	if C.H5Pget_layout(plist.id()) != C.H5D_CHUNKED {
		return nil
	}
	var dims [C.H5S_MAX_RANK]C.hsize_t
	if n := C.H5Pget_chunk(plist.id(), C.H5S_MAX_RANK, &dims[0]); int(n) != rank {
		C.H5Eclear2(C.H5E_DEFAULT)
		return nil
	}
	chunk, fit := extents(dims[:rank])
	if !fit {
		return nil
	}
	return chunk
}

// chunkOf describes the chunks that the filters of a dataset decode. A dataset without chunks, such
// as a virtual one, may have most bytes.
func chunkOf(dataset, t handle, rank int, most int64) h5filter.Chunk {
	plist := handle(C.H5Dget_create_plist(dataset.id()))
	defer plist.close()
	chunk := chunkShape(plist, rank)
	if chunk == nil {
		return h5filter.NewChunk(0, most, nil)
	}
	var ids []int
	filters, err := filtersOf(plist)
	for _, f := range filters {
		ids = append(ids, f.ID)
	}
	if err != nil { // those behind it are not known
		ids = nil
	}
	return h5filter.NewChunk(cformat.Multiply(int64(C.H5Tget_size(t.id())), chunk...), most, ids)
}

// maxFilterValues is the number of parameters read from a filter; further ones are ignored.
const maxFilterValues = 8

// filtersOf returns the filters that chunks pass, and an error if the library does not have one.
func filtersOf(plist handle) (filters []cformat.Filter, err error) {
	for i := range int(C.H5Pget_nfilters(plist.id())) {
		var name [256]C.char
		var flags, config C.uint
		var values [maxFilterValues]C.uint
		n := C.size_t(len(values))
		id := C.H5Pget_filter2(plist.id(), C.uint(i), &flags, &n, &values[0], C.size_t(len(name)-1), &name[0], &config)
		if id < 0 {
			return nil, failure("filters")
		}
		f := cformat.Filter{ID: int(id)}
		for _, v := range values[:min(int(n), len(values))] {
			f.Values = append(f.Values, uint32(v))
		}
		filters = append(filters, f)
		if C.H5Zfilter_avail(id) > 0 {
			continue
		}
		C.H5Eclear2(C.H5E_DEFAULT)
		return filters, cformat.MissingFilter(int(id), C.GoString(&name[0]), "HDF5", "h5repack -f NONE")
	}
	return filters, nil
}

// fillValue returns the element that marks missing values: that of the attribute _FillValue, of
// missing_value, or the one that the dataset was created with. It is nil if there is none.
func fillValue(m *member, attrs map[string]any, t, plist handle) ([]byte, error) {
	for _, name := range []string{"_FillValue", "missing_value"} {
		if fill := cformat.FillAttribute(m.elem.dtype, attrs[name]); fill != nil {
			return fill, nil
		}
	}
	var defined C.H5D_fill_value_t
	if err := check("fill value", C.H5Pfill_value_defined(plist.id(), &defined)); err != nil {
		return nil, err
	}
	if defined != C.H5D_FILL_VALUE_USER_DEFINED || len(m.elem.inner) > 0 {
		return nil, nil
	}
	mem := inMemory(t, m)
	if !mem.ok() {
		return nil, failure("its type")
	}
	defer mem.close()
	fill := make([]byte, C.H5Tget_size(mem.id()))
	err := check("fill value", C.H5Pget_fill_value(plist.id(), mem.id(), unsafe.Pointer(cformat.First(fill))))
	return fill, err
}
