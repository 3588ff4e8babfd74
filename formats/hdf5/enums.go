//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"path"
	"slices"
	"strings"

	"drx/formats"
	"drx/formats/cformat"
)

// A committedEnum is the type of an enumeration that is an object of a file.
type committedEnum struct {
	path  string
	ident identity
	elem  element
}

// noteType records a committed type if it is an enumeration.
func (w *walker) noteType(at string, id identity, t handle) {
	if C.H5Tget_class(t.id()) != C.H5T_ENUM {
		return
	}
	if e, reason := enumeration(t); reason == "" && e.enum != nil {
		w.types = append(w.types, committedEnum{at, id, e})
	}
}

// describeEnums adds the attributes that describe an enumeration to the variables that are one.
func (d *dataset) describeEnums(types []committedEnum) {
	for i := range d.vars {
		v := &d.vars[i]
		if e := v.member.elem.enum; e != nil {
			e.Name = formats.Text(d.typeName(v, types))
			v.info.Attrs = cformat.WithEnum(v.info.Attrs, e)
		}
	}
}

// typeName returns the name of a variable's enumeration type: that of its committed type, or of an
// equal one in the nearest enclosing group, or in any group, because libnetcdf commits types and
// gives the datasets copies of them. If there is none, the name is derived from the variable's.
func (d *dataset) typeName(v *variable, types []committedEnum) string {
	name, nearest := strings.ReplaceAll(path.Base(v.info.Name), ".", "_")+"_t", -1
	for _, t := range types {
		if t.ident == d.namedType && len(v.member.path) == 0 {
			return path.Base(t.path)
		}
		near, group := 0, cformat.Parent(t.path)
		if group == "" || strings.HasPrefix(d.path, group+"/") {
			near = 1 + len(group)
		}
		if near > nearest && t.elem.equal(&v.member.elem) {
			name, nearest = path.Base(t.path), near
		}
	}
	return name
}

// equal reports whether two enumerations have the same integer type and the same values with the
// same meanings.
func (e *element) equal(f *element) bool {
	return e.dtype == f.dtype && slices.Equal(e.enum.Values, f.enum.Values) && slices.Equal(e.enum.Meanings, f.enum.Meanings)
}
