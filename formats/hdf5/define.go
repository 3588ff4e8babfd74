//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"drx/formats"
	"drx/formats/cformat"
	"drx/formats/raster"
)

// A fileDef defines a file to be written.
type fileDef struct {
	vars   []varDef
	scales []dimScale
	byPath map[string]int // variables
}

// A varDef defines a variable to be created.
type varDef struct {
	info   formats.Info
	path   string
	chunk  []int             // nil: contiguous
	memory int64             // for its chunk cache, in bytes
	most   []C.hsize_t       // largest extents
	codec  formats.CodecSpec // that of its chunks
	scales []string          // paths of the scales of its dimensions, "" for none
	enum   *cformat.Enum     // nil unless its integers are those of an enumeration
	named  string            // path of the type of the enumeration
}

// A dimScale defines a dimension scale: a variable that is a coordinate, or one without values.
type dimScale struct {
	path   string
	extent int
	bare   *varDef // nil for a variable
}

// define checks the content of a file.
func define(c formats.Content) (*fileDef, error) {
	if err := cformat.CheckDeflate(&c); err != nil {
		return nil, err
	}
	p := &fileDef{byPath: map[string]int{}}
	for _, info := range c.Vars {
		v := varDef{info: info, path: nameOr(info.Name)}
		if err := checkPath(v.path); err != nil {
			return nil, err
		}
		if err := checkInfo(&info); err != nil {
			return nil, fmt.Errorf("%s: %w", v.path, err)
		}
		if _, twice := p.byPath[v.path]; twice {
			return nil, fmt.Errorf("%s: two variables have this name", v.path)
		}
		v.codec = cformat.CodecFor(&c, &info)
		v.layout()
		v.memory = cmp.Or(c.Memory, raster.DefaultMemory) / int64(len(c.Vars))
		p.byPath[v.path] = len(p.vars)
		p.vars = append(p.vars, v)
	}
	for i := range p.vars {
		for group := cformat.Parent(p.vars[i].path); group != ""; group = cformat.Parent(group) {
			if _, exists := p.byPath[group]; exists {
				return nil, fmt.Errorf("%s: %s is a variable, and cannot be a group too", p.vars[i].path, group)
			}
		}
		if err := p.dimensions(i); err != nil {
			return nil, fmt.Errorf("%s: %w", p.vars[i].path, err)
		}
	}
	p.enumerations(slices.Collect(maps.Keys(c.Groups)))
	return p, nil
}

// enumerations finds the variables whose attributes describe enumerations, except those that would
// come back as bools. Their types are committed, because NetCDF does not read others. groups are
// those with attributes.
func (p *fileDef) enumerations(groups []string) {
	var used []string
	for _, name := range groups {
		used = append(used, strings.Trim(name, "/"))
	}
	for _, v := range p.vars {
		used = append(used, v.path)
	}
	for _, s := range p.scales {
		used = append(used, s.path)
	}
	types := cformat.NewEnumTypes(used)
	for i := range p.vars {
		v := &p.vars[i]
		if e, others := cformat.ParseEnum(&v.info); e != nil && !isBool(e, v.info.DType) {
			v.enum, v.info.Attrs, v.named = e, others, types.Path(v.path, e)
		}
	}
}

// dimensions finds the scales of variable i.
func (p *fileDef) dimensions(i int) error {
	v := &p.vars[i]
	for d, name := range v.info.Dims {
		extent, growable := v.info.Shape[d], d < len(v.info.Unlimited) && v.info.Unlimited[d]
		at := p.coordinate(v.path, name)
		known := slices.IndexFunc(p.scales, func(s dimScale) bool { return s.path == at })
		switch _, exists := p.byPath[at]; {
		case name == "":
			at = ""
		case exists && !p.isCoordinate(at, name):
			at = "" // the variable of this name is something else; the dimension gets a label
		case known >= 0 && p.scales[known].extent != extent:
			return fmt.Errorf("dimension %s has %d elements, but %d in another variable", name, extent, p.scales[known].extent)
		case known >= 0:
			p.scales[known].grow(growable)
		case exists && p.vars[p.byPath[at]].info.Shape[0] != extent:
			return fmt.Errorf("dimension %s has %d elements, but its coordinate has %d", name, extent, p.vars[p.byPath[at]].info.Shape[0])
		case exists:
			p.scales = append(p.scales, dimScale{path: at, extent: extent})
		default:
			if err := checkPath(at); err != nil {
				return err
			}
			bare := &varDef{info: formats.Info{DType: bareType, Shape: []int{extent}}, path: at}
			bare.layout()
			p.scales = append(p.scales, dimScale{at, extent, bare})
			p.scales[len(p.scales)-1].grow(growable)
		}
		v.scales = append(v.scales, at)
	}
	return nil
}

// grow makes a scale without values growable.
func (s *dimScale) grow(growable bool) {
	if s.bare != nil && growable {
		s.bare.info.Unlimited = []bool{true}
		s.bare.layout()
	}
}

// isCoordinate reports whether the variable at path at is the coordinate of a dimension.
func (p *fileDef) isCoordinate(at, dim string) bool {
	i, found := p.byPath[at]
	return found && len(p.vars[i].info.Shape) == 1 && slices.Equal(p.vars[i].info.Dims, []string{dim})
}

// coordinate returns the path of the coordinate of a dimension of the variable at a path: the one
// in its group, or in the nearest group around it, or anywhere. Without any it is the path for a
// scale without values.
func (p *fileDef) coordinate(variable, dim string) string {
	for group := cformat.Parent(variable); ; group = cformat.Parent(group) {
		if at := path.Join(group, dim); p.isCoordinate(at, dim) {
			return at
		}
		if group == "" {
			break
		}
	}
	for _, v := range p.vars {
		if path.Base(v.path) == dim && p.isCoordinate(v.path, dim) {
			return v.path
		}
	}
	return dim
}
