//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	"drx/internal/errkind"
)

// A fileDef defines a file to be written.
type fileDef struct {
	classic bool
	wide    bool // the content needs a classic file of version 5
	vars    []varDef
	dims    []*dimDef // outer groups first
	groups  []groupDef
	outer   map[string]string // dimensions that are defined further out than they are named
	byPath  map[string]int    // variables
}

// A varDef defines a variable to be created.
type varDef struct {
	info  formats.Info
	path  string
	t     C.nc_type     // 0: complex
	enum  *cformat.Enum // nil unless its integers are those of an enumeration
	named string        // path of the type of the enumeration
	dims  []*dimDef
	chunk []int             // nil: contiguous
	codec formats.CodecSpec // that of its chunks
	width int               // bytes of a string in a classic file; 0 for other variables
	attrs []attribute
}

// A dimDef defines a dimension.
type dimDef struct {
	path   string // its group and its name
	extent int
	grows  bool // it will grow, and has elements
	id     C.int
}

// A groupDef defines a group; the root comes first.
type groupDef struct {
	path  string
	attrs []attribute
}

// numbers maps types to those in the file.
var numbers = map[dtype.DType]C.nc_type{
	dtype.Bool: C.NC_BYTE, dtype.Int8: C.NC_BYTE, dtype.Int16: C.NC_SHORT, dtype.Int32: C.NC_INT, dtype.Int64: C.NC_INT64,
	dtype.Uint8: C.NC_UBYTE, dtype.Uint16: C.NC_USHORT, dtype.Uint32: C.NC_UINT, dtype.Uint64: C.NC_UINT64,
	dtype.Float32: C.NC_FLOAT, dtype.Float64: C.NC_DOUBLE,
}

// define checks the content of a file.
func define(c formats.Content, classic bool) (*fileDef, error) {
	if err := cformat.CheckDeflate(&c); err != nil {
		return nil, err
	}
	p := &fileDef{classic: classic, outer: outerDims(c.Vars), byPath: map[string]int{}}
	for _, info := range c.Vars {
		v := varDef{info: info, path: cmp.Or(strings.Trim(info.Name, "/"), unnamed)}
		if err := p.variable(&v); err != nil {
			return nil, fmt.Errorf("%s: %w", v.path, err)
		}
		p.byPath[v.path] = len(p.vars)
		p.vars = append(p.vars, v)
	}
	if err := p.defineGroups(c); err != nil {
		return nil, err
	}
	if err := p.growth(); err != nil {
		return nil, err
	}
	p.enumerations()
	for i := range p.vars {
		if v := &p.vars[i]; !classic {
			v.codec = cformat.CodecFor(&c, &v.info)
			v.layout()
		}
	}
	slices.SortStableFunc(p.dims, func(a, b *dimDef) int { return cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")) })
	return p, nil
}

// enumerations chooses the paths of the enumeration types.
func (p *fileDef) enumerations() {
	var used []string
	for _, v := range p.vars {
		used = append(used, v.path)
		if v.info.DType.IsComplex() {
			used = append(used, v.info.DType.String())
		}
	}
	for _, d := range p.dims {
		used = append(used, d.path)
	}
	for _, g := range p.groups {
		used = append(used, g.path)
	}
	types := cformat.NewEnumTypes(used)
	for i := range p.vars {
		if v := &p.vars[i]; v.enum != nil {
			v.named = types.Path(v.path, v.enum)
		}
	}
}

// unnamed is the name given to a variable without a name.
const unnamed = "data"

// checkPath returns an error for an invalid path. The library checks the characters of names.
func (p *fileDef) checkPath(name string) error {
	for _, part := range strings.Split(name, "/") {
		if part == "" || part == "." || part == ".." || strings.Contains(part, "\x00") || len(part) > C.NC_MAX_NAME {
			return fmt.Errorf("%q: no name for NetCDF: parts between slashes have 1 to %d bytes, are no dots, and have no zero bytes", name, C.NC_MAX_NAME)
		}
	}
	if p.classic && strings.Contains(name, "/") {
		return errkind.Errorf(formats.ErrType, "%q: classic NetCDF files have no groups: write it as netcdf (.nc), or give it a name without slashes", name)
	}
	return nil
}

// need raises the version of a classic file to 5 if type t needs it.
func (p *fileDef) need(t C.nc_type) { p.wide = p.wide || t > C.NC_DOUBLE && t < C.NC_STRING }

// variable plans a variable and its dimensions.
func (p *fileDef) variable(v *varDef) error {
	if err := p.checkPath(v.path); err != nil {
		return err
	}
	if _, twice := p.byPath[v.path]; twice {
		return fmt.Errorf("two variables have this name")
	}
	err := cformat.CheckInfo(&v.info, "NetCDF")
	if err == nil {
		err = p.typeOf(v)
	}
	if err == nil {
		err = p.dimensions(v)
	}
	if err != nil {
		return err
	}
	of := v.info.DType
	attrs := maps.Clone(p.parseEnum(v))
	if attrs == nil {
		attrs = map[string]any{}
	}
	if of == dtype.Bool && v.info.Labels == nil {
		attrs["dtype"] = "bool" // as xarray does it
	}
	if v.info.Labels != nil {
		of = 0
		if delete(attrs, encodingName); p.classic {
			attrs[encodingName] = "utf-8" // without it xarray reads bytes
		}
	}
	if v.needsFill() {
		attrs[fillName] = json.RawMessage(of.ToJSON(v.info.Fill))
	}
	v.attrs, err = p.defineAttributes(attrs, of)
	return err
}

// parseEnum detects whether a variable is an enumeration, and returns the attributes that do not
// describe it. ncdump fails if the fill value is not one of the values. Among equal types libnetcdf
// finds the first, whatever its name.
func (p *fileDef) parseEnum(v *varDef) map[string]any {
	e, others := cformat.ParseEnum(&v.info)
	if e == nil || p.classic || v.info.Fill != nil && !e.Has(v.info.Fill) {
		return v.info.Attrs
	}
	if slices.ContainsFunc(p.vars, func(o varDef) bool { return o.enum != nil && o.enum.Name != e.Name && o.enum.Equal(e) }) {
		return v.info.Attrs
	}
	v.enum = e
	return others
}

// typeOf sets the type of a variable in the file.
func (p *fileDef) typeOf(v *varDef) error {
	t, known := numbers[v.info.DType]
	if err := cformat.CheckStrings(v.info.Labels, "NetCDF"); err != nil {
		return err
	}
	switch {
	case v.info.Labels != nil && p.classic:
		v.t, v.width = C.NC_CHAR, 1
		for _, label := range v.info.Labels {
			v.width = max(v.width, len(label))
		}
		return nil
	case v.info.Labels != nil:
		v.t = C.NC_STRING
		return nil
	case known:
		v.t = t
		p.need(t)
		return nil
	case v.info.DType.IsComplex() && !p.classic:
		return nil
	case v.info.DType.IsComplex():
		return errkind.Errorf(formats.ErrType, "%v: classic NetCDF files have no complex numbers: write it as netcdf (.nc)", v.info.DType)
	}
	return errkind.Errorf(formats.ErrType, "%v: NetCDF has floats of 32 and 64 bits only: copy the array to float32, or export it as float32",
		v.info.DType)
}

// needsFill reports whether the fill value must be written as _FillValue, because neither an
// attribute nor the default of the type states it.
func (v *varDef) needsFill() bool {
	t := v.info.DType
	if v.info.Fill == nil || v.info.Labels != nil || t.IsComplex() || v.info.Attrs[fillName] != nil {
		return false
	}
	// User-defined types have no default.
	isDefault := v.enum == nil && bytes.Equal(v.info.Fill, defaults[t])
	return !isDefault && !bytes.Equal(v.info.Fill, cformat.FillAttribute(t, v.info.Attrs["missing_value"]))
}

// defineGroups defines the groups of variables and dimensions, and those with attributes.
func (p *fileDef) defineGroups(c formats.Content) error {
	attrs := map[string]map[string]any{"": c.Attrs}
	for name, a := range c.Groups {
		name = strings.Trim(name, "/")
		if err := p.checkPath(name); err != nil {
			return fmt.Errorf("group %w", err)
		}
		if p.classic {
			return errkind.Errorf(formats.ErrType, "group %q: classic NetCDF files have no groups: write it as netcdf (.nc)", name)
		}
		attrs[name] = a
	}
	var inGroups []string
	for _, v := range p.vars {
		inGroups = append(inGroups, cformat.Parent(v.path))
	}
	for _, d := range p.dims {
		inGroups = append(inGroups, cformat.Parent(d.path))
	}
	for _, name := range append(inGroups, slices.Collect(maps.Keys(attrs))...) {
		for ; name != ""; name = cformat.Parent(name) {
			if _, exists := p.byPath[name]; exists {
				return fmt.Errorf("%s: is a variable, and cannot be a group too", name)
			}
			if _, there := attrs[name]; !there {
				attrs[name] = nil
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		all, err := p.defineAttributes(attrs[name], 0)
		if err != nil {
			return err
		}
		p.groups = append(p.groups, groupDef{name, all})
	}
	return nil
}
