//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"slices"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	"drx/formats/h5filter"
	"drx/formats/raster"
)

// defaults are the fill values of variables without an explicit one. Bytes have no default, because
// all their values may be valid.
var defaults = map[dtype.DType][]byte{
	dtype.Int16: encode(int16(C.NC_FILL_SHORT)), dtype.Int32: encode(int32(C.NC_FILL_INT)), dtype.Int64: encode(int64(-9223372036854775806)),
	dtype.Uint16: encode(uint16(C.NC_FILL_USHORT)), dtype.Uint32: encode(uint32(math.MaxUint32)), dtype.Uint64: encode(uint64(math.MaxUint64 - 1)),
	dtype.Float32: encode(float32(C.NC_FILL_FLOAT)), dtype.Float64: encode(float64(C.NC_FILL_DOUBLE)),
}

// encode returns a value as an element.
func encode[T dtype.Element](value T) []byte {
	element, err := dtype.Of[T]().EncodeValue(value)
	if err != nil { // a value of type T is always an element
		panic(err)
	}
	return element
}

// A creator creates everything that a file contains before the first element is written.
type creator struct {
	id      C.int
	file    string // its absolute path
	memory  int64  // for the chunk cache of a variable, in bytes
	groups  map[string]C.int
	complex map[dtype.DType]C.nc_type // types created so far
	enums   map[string]C.nc_type      //
	vars    []C.int                   // their numbers in their groups
}

func createNetCDF4(path string, c formats.Content) ([]formats.Writer, error) {
	return create(path, c, C.NC_NETCDF4)
}

// createClassic writes a file of version 2, or of version 5 if the content needs it.
func createClassic(path string, c formats.Content) ([]formats.Writer, error) {
	return create(path, c, 0)
}

func createCDF1(path string, c formats.Content) ([]formats.Writer, error) {
	return create(path, c, C.NC_CLASSIC_MODEL)
}

func createCDF2(path string, c formats.Content) ([]formats.Writer, error) {
	return create(path, c, C.NC_64BIT_OFFSET)
}

func createCDF5(path string, c formats.Content) ([]formats.Writer, error) {
	return create(path, c, C.NC_64BIT_DATA)
}

// create implements formats.Format.CreatePath. mode is the library's flag for a kind of file:
// C.NC_CLASSIC_MODEL for version 1; 0 for the oldest classic version with 64-bit offsets that has
// all types of the content.
func create(path string, c formats.Content, mode C.int) (writers []formats.Writer, err error) {
	p, err := define(c, mode != C.NC_NETCDF4)
	if err == nil {
		mode, err = p.version(mode)
	}
	if err != nil {
		return nil, err
	}
	defer enter()()
	memory := cmp.Or(c.Memory, raster.DefaultMemory) / int64(max(1, len(c.Vars)))
	m := &creator{memory: memory, groups: map[string]C.int{}, complex: map[dtype.DType]C.nc_type{}, enums: map[string]C.nc_type{}}
	if m.file, err = absolutePath(path); err != nil {
		return nil, err
	}
	if m.id, err = createFile(m.file, p, mode); err != nil {
		return nil, err
	}
	if err = m.content(p); err == nil {
		err = check("definitions", C.nc_enddef(m.id))
	}
	if err != nil {
		C.nc_abort(m.id)
		// The library removes some of its files itself.
		if removed := os.Remove(path); !errors.Is(removed, os.ErrNotExist) {
			err = errors.Join(err, removed)
		}
		return nil, err
	}
	if len(p.vars) == 0 {
		return nil, check("close", C.nc_close(m.id))
	}
	return m.writers(p)
}

// createFile creates a file at an absolute path and leaves it in define mode.
func createFile(path string, p *fileDef, mode C.int) (id C.int, err error) {
	name, free := cstring(path)
	defer free()
	if err := check("create", C.nc_create(name, mode|C.NC_NOCLOBBER, &id)); err != nil {
		return 0, err
	}
	if p.classic { // each element is written once: no need to fill first
		err = check("create", C.nc_set_fill(id, C.NC_NOFILL, nil))
	}
	return id, err
}

// content defines groups, dimensions and variables with their attributes.
func (m *creator) content(p *fileDef) error {
	for _, g := range p.groups {
		if err := m.group(g); err != nil {
			return fmt.Errorf("group %q: %w", "/"+g.path, err)
		}
	}
	for _, d := range p.dims {
		name, free := cstring(d.base())
		length := C.size_t(d.extent)
		if d.grows {
			length = C.NC_UNLIMITED
		}
		err := check(fmt.Sprintf("dimension %s", d.path), C.nc_def_dim(m.groups[cformat.Parent(d.path)], name, length, &d.id))
		free()
		if err != nil {
			return err
		}
	}
	for i := range p.vars {
		if err := m.variable(&p.vars[i]); err != nil {
			return fmt.Errorf("%s: %w", p.vars[i].path, err)
		}
	}
	return nil
}

// group defines a group. The groups around it exist already.
func (m *creator) group(g groupDef) error {
	id := m.id
	if g.path != "" {
		name, free := cstring(path.Base(g.path))
		defer free()
		if err := check("create", C.nc_def_grp(m.groups[cformat.Parent(g.path)], name, &id)); err != nil {
			return err
		}
	}
	m.groups[g.path] = id
	for _, a := range g.attrs {
		if err := a.write(id, C.NC_GLOBAL); err != nil {
			return err
		}
	}
	return nil
}

// variable defines a variable.
func (m *creator) variable(v *varDef) (err error) {
	group := m.groups[cformat.Parent(v.path)]
	var dims []C.int
	for _, d := range v.dims {
		dims = append(dims, d.id)
	}
	t := v.t
	switch {
	case v.enum != nil:
		t, err = m.enumType(group, v)
	case t == 0:
		t, err = m.complexType(v.info.DType)
	}
	if err != nil {
		return err
	}
	name, free := cstring(path.Base(v.path))
	defer free()
	var id C.int
	if err := check("create", C.nc_def_var(group, name, t, C.int(len(dims)), cformat.First(dims), &id)); err != nil {
		return err
	}
	m.vars = append(m.vars, id)
	if v.chunk != nil {
		if err := m.chunks(group, id, v); err != nil {
			return err
		}
	}
	for _, a := range v.attrs {
		if a.name == fillName && !a.asFill(t) {
			continue
		}
		if err := a.write(group, id); err != nil {
			return err
		}
	}
	return nil
}

// asFill converts an attribute to the type of its variable, as the library requires of fill values.
// It returns false for a text of several characters if the elements are single characters, which
// cannot have such a fill value.
func (a *attribute) asFill(t C.nc_type) bool {
	switch {
	case a.t != C.NC_CHAR || t != C.NC_STRING && t != C.NC_CHAR:
		a.t = t
	case t == C.NC_STRING:
		*a = attribute{name: a.name, t: t, n: 1, texts: []string{string(a.data)}}
	default:
		return a.n == 1
	}
	return true
}

// chunks sets the chunk shape of a variable, its chunk cache and its compression.
func (m *creator) chunks(group, id C.int, v *varDef) error {
	if err := check(fmt.Sprintf("chunk %v", v.chunk), C.nc_def_var_chunking(group, id, C.NC_CHUNKED, cformat.First(cformat.Sizes[C.size_t](v.chunk)))); err != nil {
		return err
	}
	if err := v.compress(group, id); err != nil {
		return err
	}
	chunks, bytes := v.cached(m.memory)
	return cacheChunks(group, id, chunks, bytes)
}

// compress sets the filters of a chunked variable. Deflate follows a shuffle, as in netCDF4-python;
// the other codecs run alone, so that chunks are plain frames of these codecs.
func (v *varDef) compress(group, id C.int) error {
	size, shuffle, deflate := v.info.DType.Size(), C.int(0), C.int(0)
	if v.codec.Name == "gzip" {
		deflate = 1
	}
	if (deflate != 0 || v.codec.Shuffle == "shuffle") && size > 1 {
		shuffle = 1
	}
	if shuffle != 0 || deflate != 0 {
		if err := check("deflate", C.nc_def_var_deflate(group, id, shuffle, deflate, C.int(v.codec.Level)*deflate)); err != nil {
			return err
		}
	}
	filter, values, has := h5filter.Of(v.codec, size, int(cformat.Multiply(int64(size), v.chunk...)))
	if !has {
		return nil
	}
	numbers := make([]C.uint, len(values))
	for i, n := range values {
		numbers[i] = C.uint(n)
	}
	return check("codec "+v.codec.String(), C.nc_def_var_filter(group, id, C.uint(filter), C.size_t(len(numbers)), cformat.First(numbers)))
}

// complexType returns the compound type for complex numbers of type of. It creates the type once.
func (m *creator) complexType(of dtype.DType) (t C.nc_type, err error) {
	if t, made := m.complex[of]; made {
		return t, nil
	}
	part, size := C.nc_type(C.NC_FLOAT), of.Size()
	if of == dtype.Complex128 {
		part = C.NC_DOUBLE
	}
	name, free := cstring(of.String())
	defer free()
	if err := check("its type", C.nc_def_compound(m.id, C.size_t(size), name, &t)); err != nil {
		return 0, err
	}
	for i, letter := range []string{"r", "i"} {
		field, free := cstring(letter)
		err := check("its type", C.nc_insert_compound(m.id, t, field, C.size_t(i*size/2), part))
		free()
		if err != nil {
			return 0, err
		}
	}
	m.complex[of] = t
	return t, nil
}

// enumType returns the type of a variable's enumeration. It creates the type once, in the group of
// the variable.
func (m *creator) enumType(group C.int, v *varDef) (t C.nc_type, err error) {
	if t, made := m.enums[v.named]; made {
		return t, nil
	}
	name, free := cstring(path.Base(v.named))
	defer free()
	if err := check("its type", C.nc_def_enum(group, v.t, name, &t)); err != nil {
		return 0, err
	}
	for i, meaning := range v.enum.Meanings {
		member, free := cstring(meaning)
		err := check(fmt.Sprintf("value %v of its type", v.enum.Values[i]), C.nc_insert_enum(group, t, member, pointer(v.info.DType.Little(slices.Clone(v.enum.Element(i))))))
		free()
		if err != nil {
			return 0, err
		}
	}
	m.enums[v.named] = t
	return t, nil
}

// writers returns a writer for each variable.
func (m *creator) writers(p *fileDef) ([]formats.Writer, error) {
	outputs := make([]cformat.Output, len(p.vars))
	for i, v := range p.vars {
		w := &writer{
			info: v.info, group: m.groups[cformat.Parent(v.path)], id: m.vars[i], width: v.width, codec: v.codec,
			file: m.file, path: v.path, memory: m.memory,
		}
		if v.width == 0 {
			var err error
			if w.texts, err = cformat.NewStrings(v.info.Labels, "NetCDF"); err != nil {
				return nil, err
			}
		}
		outputs[i] = cformat.Output{Info: v.info, Path: v.path, To: w}
	}
	return cformat.Writers(enter, &target{m.id}, outputs), nil
}
