package transfer

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/nd"
	"drx/optionerr"
)

// A Selector chooses the elements to export.
type Selector interface {
	// Array chooses from an array that belongs to no dataset or is exported alone, or from the
	// named array if ByIndices. axes are its bounds, labels and coordinates.
	Array(a *drx.Array, axes *dataset.Axes) (cube.Selection, error)
	// Variable chooses from a variable of a dataset. It must choose the same indices of a dimension
	// in all variables.
	Variable(v *dataset.Variable) (cube.Selection, error)
	// Check returns an error if these variables of a dataset do not allow the choice, such as a
	// condition on a dimension that none has. It is called before Variable.
	Check(vars []*dataset.Variable) error
	// ByIndices reports whether the choice is by indices of one array. Its coordinates in a dataset
	// then get the same indices.
	ByIndices() bool
}

// Conditions are a Selector by values of coordinates and by labels, and for an array also by
// indices.
type Conditions struct {
	// Method says how a single value of a coordinate is matched.
	Method dataset.Method
	// Sel are conditions, as in "time=2013-01..2013-02,lat=50.2". Those on the dimensions of a
	// variable apply to it.
	Sel []string
	// Section is a section of indices of an array; nil is all. It does not apply to a dataset.
	Section nd.Section
}

// Array implements Selector.
func (c Conditions) Array(_ *drx.Array, axes *dataset.Axes) (cube.Selection, error) {
	sec, err := c.Section.Resolve(axes.Bounds().Bounds())
	if err != nil {
		return nil, asWrongOption(err)
	}
	if c.Sel == nil {
		return cube.Box(sec), nil
	}
	sel, err := axes.Select(c.Method, c.Sel...)
	if err != nil {
		return nil, ExplainSelection(err)
	}
	bounds := cube.Box(axes.Bounds())
	for d, x := range cube.Box(sec) {
		switch {
		case slices.Equal(sel[d], bounds[d]): // no condition, or one that selects all
			sel[d] = x
		case !slices.Equal(x, bounds[d]) && !slices.Equal(x, sel[d]):
			return nil, wrongOption("%v and %v have other indices of dimension %d: give one of them", option("sel"), option("section"), d)
		}
	}
	return sel, nil
}

// ByIndices implements Selector.
func (c Conditions) ByIndices() bool { return c.Section != nil }

// Variable implements Selector.
func (c Conditions) Variable(v *dataset.Variable) (cube.Selection, error) {
	axes := v.Axes()
	var conditions []string
	for _, text := range c.Sel {
		for _, one := range splitConditions(text) {
			if dim, err := conditionDim(one); err != nil {
				return nil, err
			} else if HasDim(v, dim) {
				conditions = append(conditions, one)
			}
		}
	}
	if conditions == nil {
		return cube.Box(axes.Bounds()), nil
	}
	sel, err := axes.Select(c.Method, conditions...)
	if err != nil {
		return nil, ExplainSelection(err)
	}
	return sel, nil
}

// Check implements Selector.
func (c Conditions) Check(vars []*dataset.Variable) error {
	if c.Section != nil {
		return wrongOption("export: %v is for one array; select from a dataset by the names of its dimensions", option("section"))
	}
	for _, text := range c.Sel {
		for _, one := range splitConditions(text) {
			dim, err := conditionDim(one)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(vars, func(v *dataset.Variable) bool { return HasDim(v, dim) }) {
				return optionerr.Wrong("sel", text, "no variable that is chosen has a dimension %q", dim)
			}
		}
	}
	return nil
}

// ExplainSelection extends an error of a selection by a hint, and makes it an optionerr.ErrOption.
func ExplainSelection(err error) error {
	switch {
	case errors.Is(err, cube.ErrLabel):
		return wrongOption("%w; 'drx labels' lists the labels", err)
	case errors.Is(err, dataset.ErrDim):
		return wrongOption("%w; select it by indices, with %v", err, option("section"))
	case errors.Is(err, cube.ErrWhere), errors.Is(err, dataset.ErrValue):
		return optionerr.As(err)
	}
	return asWrongOption(err)
}

// HasDim reports whether a variable has a dimension, by its name in the dataset or without the path
// of its group.
func HasDim(v *dataset.Variable, dim string) bool {
	return dim != "" && (slices.Contains(v.Dims(), dim) || slices.Contains(v.Array().Dims(), dim))
}

// splitConditions splits the text of a condition at the commas that are not in quotes.
func splitConditions(text string) []string {
	quoted := false
	return strings.FieldsFunc(text, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ',' && !quoted
	})
}

// conditionDim returns the dimension of one condition.
func conditionDim(text string) (string, error) {
	parsed, err := cube.ParseConditions(text)
	if err != nil || len(parsed) != 1 {
		return "", optionerr.As(cmp.Or(err, errorf("%v: want one condition", option("sel", text))))
	}
	return parsed[0].Dim, nil
}
