package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"drx"
	"drx/internal/errkind"
	"drx/nd"
)

// Extend grows a dimension by the given number of indices above its highest index, in its
// coordinate and in every variable with this dimension. It returns the new indices. Their elements
// read as the fill value. In a floating-point coordinate whose fill value is 0 they are NaN,
// because 0 is a valid coordinate; see ContinueCoordinate for even steps. Readers see the growth
// when Sync returns.
//
// The error wraps ErrDim if there is no such dimension or a variable extends beyond the new bounds,
// drx.ErrBounds if by is less than 1, drx.ErrOverflow, or drx.ErrReadOnly; otherwise it is that of
// drx.Open for a variable. After an error the dataset is unchanged.
func (d *Dataset) Extend(dim string, by int) (nd.Range, error) { return d.extend(dim, by, false) }

// ExtendLow is like Extend but grows the dimension below its lowest index. Every element keeps its
// index.
func (d *Dataset) ExtendLow(dim string, by int) (nd.Range, error) { return d.extend(dim, by, true) }

func (d *Dataset) extend(name string, by int, low bool) (nd.Range, error) {
	added, err := d.tryExtend(name, by, low)
	if err != nil {
		return nd.Range{}, fmt.Errorf("%s: extend dimension %s by %d: %w", d.folder, name, by, err)
	}
	return added, nil
}

func (d *Dataset) tryExtend(name string, by int, low bool) (nd.Range, error) {
	if err := d.check(true); err != nil {
		return nd.Range{}, err
	}
	vars, err := d.variablesOf(name)
	if err != nil {
		return nd.Range{}, err
	}
	from := d.scan.dims[name].Bounds // after the variables were opened: nobody else changes them now
	to, err := grow(from, by, low)
	if err != nil {
		return nd.Range{}, err
	}
	for _, v := range vars {
		if r := d.scan.boundsIn(v.name, name); overlap(r, to) != r && r.Len() > 0 {
			return nd.Range{}, errkind.Errorf(ErrDim, "variable %s has %v, which is beyond the new bounds %v; shrink it, or extend by more", v.name, r, to)
		}
	}
	added := nd.Span(from.Hi, to.Hi)
	if low {
		added = nd.Span(to.Lo, from.Lo)
	}
	for i, v := range vars {
		err := v.growTo(name, to)
		if err == nil && v.name == name && v.IsCoordinate() {
			err = blank(v.a, added)
		}
		if err != nil {
			return nd.Range{}, errors.Join(err, d.undoGrowth(vars[:i+1], name))
		}
	}
	if _, known := d.grown[name]; !known {
		d.grown[name] = growth{From: ends(from)}
	}
	d.grown[name] = growth{From: d.grown[name].From, To: ends(to)}
	for _, v := range vars {
		d.scan.vars[v.name] = describe(v.a)
	}
	d.scan.resolve()
	return added, nil
}

// blank sets new elements of a coordinate to NaN if they would read as the number 0.
func blank(a *drx.Array, added nd.Range) error {
	t := a.DType()
	if !t.IsFloat() || t.Float64(a.FillValue()) != 0 {
		return nil
	}
	none, err := t.EncodeValue(math.NaN())
	if err != nil {
		return err
	}
	return a.FillBytes(nd.Section{added}, none)
}

// variablesOf opens all variables that have a dimension.
func (d *Dataset) variablesOf(name string) ([]*Variable, error) {
	dim, err := d.scan.dim(d.folder, name)
	if err != nil {
		return nil, err
	}
	for other, v := range d.scan.vars {
		if v.err != nil {
			return nil, fmt.Errorf("variable %s cannot be opened, and may have the dimension: %w", other, v.err)
		}
	}
	var vars []*Variable
	for _, variable := range slices.Clone(dim.Variables) { // opening them makes a new dim
		v, err := d.Variable(variable)
		if err != nil {
			return nil, err
		}
		vars = append(vars, v)
	}
	return vars, nil
}

// grow returns the bounds of a dimension after an extension.
func grow(r nd.Range, by int, low bool) (nd.Range, error) {
	if by < 1 {
		return r, errkind.Errorf(drx.ErrBounds, "want at least 1")
	}
	step := by
	end := &r.Hi
	if low {
		step, end = -by, &r.Lo
	}
	moved, ok := nd.Add(*end, step)
	if !ok {
		return r, drx.ErrOverflow
	}
	*end = moved
	return r, nil
}

// growTo grows a dimension of a variable to the given bounds. Even an array of extent 0 has bounds,
// and its first indices adjoin them.
func (v *Variable) growTo(dim string, to nd.Range) error {
	d := slices.Index(v.d.scan.vars[v.name].dims, dim)
	now := v.a.Bounds()[d]
	if by := now.Lo - to.Lo; by > 0 {
		if _, err := v.a.ExtendLow(d, by); err != nil {
			return err
		}
	}
	if by := to.Hi - now.Hi; by > 0 {
		if _, err := v.a.Extend(d, by); err != nil {
			return err
		}
	}
	return nil
}

// undoGrowth undoes the uncommitted growth of variables after an error.
func (d *Dataset) undoGrowth(vars []*Variable, dim string) (err error) {
	for _, v := range vars {
		d := slices.Index(v.d.scan.vars[v.name].dims, dim)
		err = errors.Join(err, shrinkTo(v.a, d, v.d.scan.boundsIn(v.name, dim)))
	}
	return err
}

// shrinkTo shrinks a dimension to bounds that are within the present ones.
func shrinkTo(a *drx.Array, dim int, to nd.Range) error {
	now := a.Bounds()[dim]
	if by := to.Lo - now.Lo; by > 0 {
		if err := a.ShrinkLow(dim, by); err != nil {
			return err
		}
	}
	if by := now.Hi - to.Hi; by > 0 {
		return a.Shrink(dim, by)
	}
	return nil
}
