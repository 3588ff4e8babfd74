package transfer

import (
	"path"
	"slices"

	"drx/formats"
)

// converted returns the description of a variable after the options Unscale and As, and the
// conversion of its elements.
func (o *planner) converted(v formats.Info, coordinate bool) (formats.Info, conversion, error) {
	var c conversion
	if o.Unscale {
		s, err := newScaling(v)
		if err != nil {
			return v, c, err
		}
		if s != nil {
			if s.m.Valid != nil {
				c.note = inVariable(v) + "values outside of valid_min, valid_max or valid_range are kept, not made missing"
			}
			v = s.apply(v)
			c.addScaling(s)
		}
	}
	if !o.converts(v, coordinate) || v.DType == o.to {
		return v, c, nil
	}
	from := v.DType
	converter, err := changeType(&v, o.to, o.Clip)
	if err != nil {
		return v, c, errorf("%v: %w", asType(o.to), err)
	}
	c.add(o.to, typeStep(from, o.to, converter))
	return v, c, nil
}

// converts reports whether the option As applies to a variable. Coordinates keep their type unless
// the option Vars names them, and strings have no type.
func (o *planner) converts(v formats.Info, coordinate bool) bool {
	return o.to != 0 && v.Labels == nil && (!coordinate || slices.Contains(o.Vars, v.Name))
}

// becomesCoordinate reports whether a variable of a file becomes a coordinate of DST.
func (o *planner) becomesCoordinate(v formats.Info) bool {
	grows := o.Append != "" && len(v.Shape) == 0 && path.Base(v.Name) == o.Append
	return isCoordinateVar(v) || grows || o.Coordinate != "" && v.Name == o.Coordinate
}
