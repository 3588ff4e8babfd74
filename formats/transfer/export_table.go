package transfer

import (
	"maps"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"drx/dataset/meaning"
	"drx/dtype"
)

// isTable reports whether the file is a table of text.
func (o *exporter) isTable() bool {
	name := strings.TrimSuffix(strings.ToLower(o.dst), ".gz")
	return o.Format == "csv" || o.Format == "tsv" || o.Format == "gzip" && filepath.Ext(name) != ".npy"
}

// asTable leaves out the coordinates and labels that become names of rows and columns, and unpacks
// numbers, because a table has no attributes to say how they are packed.
func (o *exporter) asTable(vars []exportVar) ([]exportVar, error) {
	if !o.isTable() {
		return vars, nil
	}
	var dims []string
	needed := 0
	for _, v := range vars {
		if !v.optional {
			needed++
			dims = v.info.Dims
		}
	}
	if needed != 1 {
		return vars, nil // the format reports that it takes one variable
	}
	vars = slices.DeleteFunc(vars, func(v exportVar) bool {
		return v.optional && slices.ContainsFunc(dims, func(dim string) bool { return path.Base(dim) == path.Base(v.info.Name) })
	})
	for i := range vars {
		v := &vars[i]
		if o.AsStored || v.optional || v.conversion != nil || v.elements != nil {
			continue
		}
		s, err := newScaling(v.info)
		if err == nil && s == nil {
			s, err = v.withoutMissing()
		}
		if err != nil {
			return nil, err
		}
		if s != nil {
			v.info, v.unpack = s.apply(v.info), s
		}
	}
	return vars, nil
}

// withoutMissing turns elements that attributes mark as missing into NaN, as unpacking does for
// packed numbers. Integers become float64 by the scaling that it returns. Integers of 64 bits stay
// as they are stored, with a note, because float64 cannot represent them all.
func (v *exportVar) withoutMissing() (*scaling, error) {
	t := v.info.DType
	if v.info.Labels != nil || t == dtype.Bool || t.IsComplex() {
		return nil, nil
	}
	m, err := meaningOfVar(v.info, nil)
	if err != nil || !m.MarksMissing() || len(m.Missing) == 0 || !t.IsFloat() && t.Size() == 8 {
		return nil, err
	}
	if !t.IsFloat() {
		return &scaling{m: m, dim: -1, order: v.info.Order, sec: whole(v.info.Shape)}, nil
	}
	plain := v.info
	plain.Attrs = maps.Clone(plain.Attrs)
	for _, name := range []string{"_FillValue", "missing_value", "nodata"} {
		delete(plain.Attrs, name)
	}
	if plain.Fill, err = t.EncodeValue(math.NaN()); err != nil {
		return nil, err
	}
	target, err := meaningOfVar(plain, nil)
	if err != nil {
		return nil, err
	}
	c, err := meaning.Compare(m, target, meaning.Exact)
	if err == nil {
		v.info, v.unified = plain, c
	}
	return nil, err
}

// tableNames returns, for each dimension of a variable, the names of its indices in a table: labels
// or values of coordinates. Dimensions of extent one are left out if the variable is written
// without them.
func tableNames(v exportVar) (names []func(index int) string, err error) {
	if v.axes == nil || isCoordinateVar(v.info) {
		return nil, nil
	}
	some := false
	for d := range v.sel {
		if len(v.info.Shape) < len(v.sel) && v.sel[d].Len() == 1 {
			continue
		}
		texts := selectedLabels(v.cube, d, v.sel[d])
		if texts == nil {
			if texts, err = coordinateTexts(v, d); err != nil {
				return nil, err
			}
		}
		if texts == nil {
			names = append(names, nil)
			continue
		}
		some = true
		names = append(names, func(index int) string { return texts[index] })
	}
	if !some {
		return nil, nil
	}
	return names, nil
}

// coordinateTexts returns the values of the coordinate of a dimension as text, nil if there is no
// coordinate or a value is missing. All times get as many parts as the longest, since readers of
// tables expect one form.
func coordinateTexts(v exportVar, d int) ([]string, error) {
	c, err := v.axes.Coordinate(d)
	if err != nil || c == nil {
		return nil, err
	}
	texts, longest := make([]string, v.sel[d].Len()), 0
	for k := range texts {
		texts[k] = c.Text(v.sel[d].At(k))
		if texts[k] == "" {
			return nil, nil
		}
		longest = max(longest, len(texts[k]))
	}
	if c.IsTime() {
		const date, minutes, seconds = "2006-01-02", "2006-01-02T15:04", "2006-01-02T15:04:05"
		for k, text := range texts {
			if len(text) == len(date) && longest > len(date) {
				text += "T00:00"
			}
			if len(text) == len(minutes) && longest > len(minutes) {
				text += ":00"
			}
			if len(text) == len(seconds) && longest > len(seconds) {
				text += ".0"
			}
			texts[k] = text
		}
	}
	return texts, nil
}
