//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"slices"
	"strings"

	"drx/formats"
	"drx/formats/cformat"
)

// A compound is a type with fields.
type compound struct {
	group  C.int
	size   int
	fields []field
}

// A field of a compound.
type field struct {
	name  string
	t     C.nc_type
	at    int
	shape []int
	err   error
}

// compoundOf returns a type as a compound, nil for other types.
func compoundOf(group C.int, t C.nc_type) *compound {
	var class C.int
	var size, n C.size_t
	if atomic[t] != 0 || C.nc_inq_user_type(group, t, nil, &size, nil, &n, &class) != C.NC_NOERR || class != C.NC_COMPOUND {
		return nil
	}
	c := &compound{group: group, size: int(size)}
	for i := range int(n) {
		c.fields = append(c.fields, c.field(t, C.int(i)))
	}
	return c
}

// field describes field i.
func (c *compound) field(t C.nc_type, i C.int) (f field) {
	var name nameBuffer
	var at C.size_t
	var rank C.int
	f.err = check("its type", C.nc_inq_compound_field(c.group, t, i, &name[0], &at, &f.t, &rank, nil))
	if f.err != nil || rank == 0 {
		f.name, f.at = formats.Text(name.String()), int(at)
		return f
	}
	shape := make([]C.int, rank)
	f.err = check("its type", C.nc_inq_compound_field(c.group, t, i, &name[0], &at, &f.t, &rank, cformat.First(shape)))
	f.name, f.at = formats.Text(name.String()), int(at)
	for _, n := range shape {
		f.shape = append(f.shape, int(n))
	}
	return f
}

// isComplex reports whether the fields are the parts of a complex number.
func (c *compound) isComplex() bool {
	if len(c.fields) != 2 || c.fields[0].t != c.fields[1].t || c.fields[0].shape != nil || c.fields[1].shape != nil {
		return false
	}
	t := atomic[c.fields[0].t]
	names := strings.ToLower(c.fields[0].name + " " + c.fields[1].name)
	return t.IsFloat() && c.fields[0].at == 0 && c.fields[1].at == t.Size() && c.size == 2*t.Size() &&
		slices.Contains([]string{"r i", "re im", "real imag", "real imaginary"}, names)
}

// members returns the fields, and those of fields that are compounds themselves.
func (c *compound) members() (all []member) {
	for _, f := range c.fields {
		m := member{name: "." + f.name, whole: c.size, at: f.at, inner: f.shape}
		if f.err != nil {
			m.reason = f.err.Error()
			all = append(all, m)
			continue
		}
		inner := compoundOf(c.group, f.t)
		if inner == nil || inner.isComplex() {
			if m.elem, m.reason = classify(c.group, f.t); m.reason == "" && m.elem.text != noText {
				m.reason = "it is text inside of a record: only numbers of records are read; ncks or a program that knows the file can extract it"
			}
			all = append(all, m)
			continue
		}
		for _, deeper := range inner.members() {
			deeper.name, deeper.whole, deeper.at = m.name+deeper.name, c.size, m.at+deeper.at
			if f.shape != nil && deeper.reason == "" {
				deeper.reason = "it is a field in an array of records inside of a record: only a program that knows the file can extract it"
			}
			all = append(all, deeper)
		}
	}
	return all
}
