package transfer

import (
	"path"
	"slices"

	"drx/dtype"
	"drx/formats"
)

// describing are the attributes that name variables which say what others mean or where they lie.
// These are not rounded with them.
var describing = []string{"grid_mapping", "bounds", "climatology", "coordinates", "formula_terms", "cell_measures"}

// rounds reports whether the option Digits or Bits is for a variable: for data, and for what the
// option Vars names.
func (o *planner) rounds(v formats.Info, all []formats.Info) bool {
	return !o.rounding.isNone() && v.Labels == nil && !o.becomesCoordinate(v) &&
		(slices.Contains(o.Vars, v.Name) || !namedVars(all, describing...)[path.Base(v.Name)])
}

// addRounding makes the elements of a variable, as they are before the conversion, be rounded after
// it. v is the variable as the array has it.
func (o *planner) addRounding(p *plan, to *plannedVar, v formats.Info) error {
	if !isFloating(v.DType) {
		if slices.Contains(o.Vars, v.Name) {
			_, _, _, err := o.rounding.of(v)
			return err
		}
		p.note(inVariable(v) + "is " + v.DType.String() + ", and not rounded")
		return nil
	}
	round, attr, n, err := o.rounding.of(v)
	if err != nil {
		return err
	}
	p.rounded = true
	to.spec.Attrs[attr] = n
	to.conv.addRounding(v.DType, round)
	return nil
}

// addRounding adds a step that rounds elements.
func (c *conversion) addRounding(t dtype.DType, round func([]byte) error) {
	c.add(t, func(elements []byte) ([]byte, error) { return elements, round(elements) })
}

// roundLike makes what is appended to an array be rounded, which the array must be in the same way.
func (o *planner) roundLike(c *conversion, a arrayHeader) error {
	v, err := a.info()
	if err != nil {
		return err
	}
	if has, ok := numberOf(v.Attrs[o.rounding.method.Attr()]); isFloating(a.dtype) && (!ok || has != int64(o.rounding.n)) {
		return o.rounding.wrong("%s is not rounded so, as its attribute %s would say: leave the option out", a.name, o.rounding.method.Attr())
	}
	if !isFloating(a.dtype) {
		return nil
	}
	round, _, _, err := o.rounding.of(v)
	if err == nil {
		c.addRounding(a.dtype, round)
	}
	return err
}

// info describes an array as a variable.
func (h arrayHeader) info() (formats.Info, error) {
	attrs, err := decodeAttrs(h.attrs)
	return formats.Info{Name: path.Base(h.name), DType: h.dtype, Shape: h.shape(), Attrs: attrs, Fill: h.fill}, err
}
