//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"unsafe"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
)

// A storedVar is a variable as stored in the file.
type storedVar struct {
	group C.int
	id    C.int
	name  string
	t     C.nc_type
	dims  []dimension
	ids   []C.int // of the dimensions
	attrs map[string]any
	chunk []int
	codec formats.CodecSpec
	err   error // why it could not be described
}

// variables records the variables of a group.
func (w *walker) variables(group C.int, name string) error {
	var n C.int
	if err := check("variables", C.nc_inq_varids(group, &n, nil)); err != nil {
		return err
	}
	ids := make([]C.int, n)
	if err := check("variables", C.nc_inq_varids(group, &n, cformat.First(ids))); err != nil {
		return err
	}
	all := make([]*storedVar, 0, n)
	for _, id := range ids {
		var buf nameBuffer
		if err := check("variable", C.nc_inq_varname(group, id, &buf[0])); err != nil {
			return err
		}
		s := &storedVar{group: group, id: id, name: path.Join(name, buf.String())}
		s.err = w.describe(s)
		w.noteCounting(s)
		all = append(all, s)
	}
	for _, s := range all {
		if s.err != nil {
			w.Add(&variable{info: formats.Info{Name: formats.Text(s.name)}, path: s.name, err: s.err})
			continue
		}
		for _, m := range members(group, s.t) {
			w.Add(w.variable(s, m))
		}
	}
	return nil
}

// noteCounting records the dimensions of a variable that count something other than the characters
// of a string: all dimensions of numbers, and all but the last of characters. An array of
// characters whose last dimension is recorded has a string of one character for each index.
// Examples are the modes of profiles in Argo's files; xarray reads them in the same way.
func (w *walker) noteCounting(s *storedVar) {
	for i, d := range s.ids {
		if s.t != C.NC_CHAR || i < len(s.ids)-1 {
			w.counting[d] = true
		}
	}
}

// hasStrings reports whether the last dimension of a character array runs along the characters of a
// string.
func (w *walker) hasStrings(s *storedVar) bool {
	n := len(s.ids)
	return n > 0 && !s.dims[n-1].unlimited && !w.counting[s.ids[n-1]]
}

// describe queries the library about a variable.
func (w *walker) describe(s *storedVar) (err error) {
	var rank C.int
	if err := check("its shape", C.nc_inq_var(s.group, s.id, nil, &s.t, &rank, nil, nil)); err != nil {
		return err
	}
	s.ids = make([]C.int, rank)
	if err := check("its shape", C.nc_inq_vardimid(s.group, s.id, cformat.First(s.ids))); err != nil {
		return err
	}
	for _, d := range s.ids {
		dim, known := w.dims[d]
		if !known {
			return fmt.Errorf("its dimension number %d is none of the file", d)
		}
		if dim.err != nil {
			return fmt.Errorf("dimension %s: %w", dim.name, dim.err)
		}
		s.dims = append(s.dims, dim)
	}
	if s.attrs, err = w.readAttributes(s.group, s.id); err != nil {
		return err
	}
	if w.hdf5 {
		if s.chunk, err = s.chunks(); err == nil && s.chunk != nil {
			s.codec, err = s.compression()
		}
	}
	return err
}

// chunks returns the extents of the chunks of a variable of a NetCDF-4 file, nil if it has none.
func (s *storedVar) chunks() ([]int, error) {
	var storage C.int
	sizes := make([]C.size_t, max(1, len(s.dims)))
	if err := check("its chunks", C.nc_inq_var_chunking(s.group, s.id, &storage, &sizes[0])); err != nil {
		return nil, err
	}
	if storage != C.NC_CHUNKED || len(s.dims) == 0 {
		return nil, nil
	}
	var chunk []int
	for _, n := range sizes {
		e, err := extent(n)
		if err != nil || e == 0 {
			return nil, fmt.Errorf("chunks of %d elements", uint64(n))
		}
		chunk = append(chunk, e)
	}
	return chunk, nil
}

// filters returns the numbers of the filters of the chunks.
func (s *storedVar) filters() ([]C.uint, error) {
	var n C.size_t
	if err := check("its filters", C.nc_inq_var_filter_ids(s.group, s.id, &n, nil)); err != nil || n == 0 {
		return nil, err
	}
	ids := make([]C.uint, n)
	return ids, check("its filters", C.nc_inq_var_filter_ids(s.group, s.id, &n, &ids[0]))
}

// maxFilterValues limits the number of parameters of a filter that are read.
const maxFilterValues = 64

// compression returns the codec of the chunks. The library does not list shuffle as a filter, so it
// is asked for separately.
func (s *storedVar) compression() (c formats.CodecSpec, err error) {
	ids, err := s.filters()
	if err != nil || len(ids) == 0 {
		return c, err
	}
	var shuffle, deflate, level C.int
	if err := check("its filters", C.nc_inq_var_deflate(s.group, s.id, &shuffle, &deflate, &level)); err != nil {
		return c, err
	}
	var filters []cformat.Filter
	if shuffle != 0 {
		filters = append(filters, cformat.Filter{ID: cformat.FilterShuffle})
	}
	for _, id := range ids {
		f := cformat.Filter{ID: int(id)}
		var n C.size_t
		if C.nc_inq_var_filter_info(s.group, s.id, id, &n, nil) == C.NC_NOERR && n > 0 && n <= maxFilterValues {
			values := make([]C.uint, n)
			if C.nc_inq_var_filter_info(s.group, s.id, id, &n, &values[0]) == C.NC_NOERR {
				for _, v := range values {
					f.Values = append(f.Values, uint32(v))
				}
			}
		}
		filters = append(filters, f)
	}
	return cformat.CodecOf(filters), nil
}

// checkFilters returns an error if the library lacks a filter of the chunks.
func (s *storedVar) checkFilters() error {
	ids, err := s.filters()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if C.nc_inq_filter_avail(s.group, id) != C.NC_NOERR {
			return cformat.MissingFilter(int(id), "", "NetCDF", "nccopy -F none")
		}
	}
	return nil
}

// variable returns a member of a stored variable as package formats describes it.
func (w *walker) variable(s *storedVar, m member) *variable {
	dims, chunk := s.dims, s.chunk
	if m.elem.text == charArray && w.hasStrings(s) {
		m.inner = []int{dims[len(dims)-1].extent}
		dims = dims[:len(dims)-1]
		chunk = chunk[:min(len(chunk), len(dims))]
	}
	v := &variable{path: s.name, member: m}
	v.info = formats.Info{Name: formats.Text(s.name + m.name), DType: m.elem.dtype, Attrs: cformat.WithEnum(s.attrs, m.elem.enum), Shape: []int{}, Codec: s.codec}
	if len(chunk) > 0 {
		v.info.Chunk = slices.Clone(chunk)
	}
	for _, d := range dims {
		v.info.Shape = append(v.info.Shape, d.extent)
		v.info.Dims = append(v.info.Dims, d.name)
		v.info.Unlimited = append(v.info.Unlimited, d.unlimited)
	}
	if m.elem.text == noText {
		for _, n := range m.inner {
			v.info.Shape = append(v.info.Shape, n)
			v.info.Dims = append(v.info.Dims, "")
			v.info.Unlimited = append(v.info.Unlimited, false)
			if chunk != nil {
				v.info.Chunk = append(v.info.Chunk, n)
			}
		}
	} else {
		v.info.Labels = []string{}
	}
	if !slices.Contains(v.info.Unlimited, true) {
		v.info.Unlimited = nil
	}
	if !slices.ContainsFunc(v.info.Dims, func(name string) bool { return name != "" }) {
		v.info.Dims = nil
	}
	v.parseBool()
	if v.info.Labels != nil { // they are decoded
		delete(v.info.Attrs, encodingName)
		if len(v.info.Attrs) == 0 {
			v.info.Attrs = nil
		}
	}
	v.err = w.whyNot(s, v)
	if v.err == nil && v.info.Labels == nil {
		v.info.Fill = s.fill(v)
	}
	return v
}

// parseBool turns bytes into bools if they have the attribute by which xarray marks bools.
func (v *variable) parseBool() {
	if v.info.DType == dtype.Int8 && v.info.Attrs["dtype"] == "bool" {
		v.info.DType, v.member.elem.dtype = dtype.Bool, dtype.Bool
		attrs := map[string]any{}
		for name, value := range v.info.Attrs {
			if name != "dtype" {
				attrs[name] = value
			}
		}
		if v.info.Attrs = attrs; len(attrs) == 0 {
			v.info.Attrs = nil
		}
	}
}

// whyNot returns why a variable cannot be read, nil if it can.
func (w *walker) whyNot(s *storedVar, v *variable) error {
	if v.member.reason != "" {
		return cformat.Refuse(formats.ErrType, v.member.reason)
	}
	if _, err := v.info.Bytes(); err != nil {
		return err
	}
	switch {
	case w.header != nil:
		var shape []int
		for _, d := range s.dims {
			shape = append(shape, d.extent)
		}
		size := 1
		if v.member.elem.text == noText {
			size = v.info.DType.Size()
		}
		return w.header.check(int(s.id), shape, size, len(s.dims) > 0 && s.dims[0].unlimited)
	case w.hdf5:
		return s.checkFilters()
	}
	return errors.New("it is in a file of a kind that this program does not know")
}

// fill returns the element that marks missing values: that of the attribute _FillValue, of
// missing_value, or the default of the format. It is nil if there is none: bytes have no default,
// as all their values may be valid.
func (s *storedVar) fill(v *variable) []byte {
	for _, name := range []string{"_FillValue", "missing_value"} {
		if fill := cformat.FillAttribute(v.info.DType, v.info.Attrs[name]); fill != nil {
			return fill
		}
	}
	var off C.int
	fill := make([]byte, v.info.DType.Size())
	if len(fill) == 1 || atomic[s.t] == 0 || C.nc_inq_var_fill(s.group, s.id, &off, unsafe.Pointer(&fill[0])) != C.NC_NOERR || off != 0 {
		return nil
	}
	return v.info.DType.Little(fill)
}

// pointer returns the address of bytes for C.
func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(cformat.First(b)) }
