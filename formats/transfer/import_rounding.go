package transfer

import (
	"path"
	"slices"

	"drx/dtype"
	"drx/formats"
)

// describing are the attributes that name variables with coordinates and the like. Data are
// rounded, the variables that describe them are not.
var describing = []string{"grid_mapping", "bounds", "climatology", "coordinates", "formula_terms", "cell_measures"}

// rounds reports whether the option Digits or Bits applies to a variable: to data, and to all that
// the option Vars names.
func (o *planner) rounds(v formats.Info, all []formats.Info) bool {
	return !o.rounding.IsNone() && v.Labels == nil && !o.becomesCoordinate(v) &&
		(slices.Contains(o.Vars, v.Name) || !namedVars(all, describing...)[path.Base(v.Name)])
}

// addRounding adds rounding to the conversion of a variable, as its last step. v describes the
// variable as the array has it.
func (o *planner) addRounding(p *plan, to *varPlan, v formats.Info) error {
	if !isFloating(v.DType) {
		if slices.Contains(o.Vars, v.Name) {
			_, _, err := roundingOf(o.rounding, v)
			return err
		}
		p.note(inVariable(v) + "is " + v.DType.String() + ", and not rounded")
		return nil
	}
	round, n, err := roundingOf(o.rounding, v)
	if err != nil {
		return err
	}
	p.rounded = true
	to.spec.Attrs[o.rounding.Attr()] = n
	to.conv.addRounding(v.DType, round)
	return nil
}

// addRounding adds a step that rounds elements.
func (c *conversion) addRounding(t dtype.DType, round func([]byte) error) {
	c.add(t, func(elements []byte) ([]byte, error) { return elements, round(elements) })
}

// roundAppended adds rounding, if it is asked for and applies to the variable, to the conversion of
// elements that go to an array that exists. If it is not asked for, and the array is rounded but
// the elements are not, it returns a note. all are the variables of the file.
func (o *planner) roundAppended(c *conversion, a arrayHeader, v formats.Info, all []formats.Info) (note string, err error) {
	if o.rounding.IsNone() {
		attrs, err := rawAttrs(v.Attrs)
		return roundedOnly(a.attrs, attrs), err
	}
	if o.rounds(v, all) {
		err = o.roundLike(c, a)
	}
	return "", err
}

// roundLike adds rounding to the conversion of elements that are appended to an array. It returns
// an error unless the array is rounded in the same way.
func (o *planner) roundLike(c *conversion, a arrayHeader) error {
	if !isFloating(a.dtype) {
		return nil
	}
	round, err := roundingLike(o.rounding, a)
	if err == nil {
		c.addRounding(a.dtype, round)
	}
	return err
}
