package main

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"drx"
	"drx/cube"
	"drx/nd"
)

// selectWhere returns the selection of the conditions of --where.
func selectWhere(c *cube.Cube, where []string) (cube.Selection, error) {
	sel, err := c.Select(where...)
	if err != nil {
		return nil, asLabelUsageError(err)
	}
	return sel, nil
}

// applyWhere applies the conditions of --where to a resolved section. It is an error to choose other indices
// of a dimension than the section does.
func applyWhere(c *cube.Cube, sec nd.Section, where []string) (cube.Selection, error) {
	sel, err := selectWhere(c, where)
	if err != nil {
		return nil, err
	}
	bounds := cube.Box(c.Array().Bounds())
	for d, x := range cube.Box(sec) {
		switch {
		case slices.Equal(sel[d], bounds[d]): // no condition, or one for everything
			sel[d] = x
		case !slices.Equal(x, bounds[d]) && !slices.Equal(x, sel[d]):
			return nil, usagef("--where has the indices %s of dimension %s, --section or --at has %s: give one of them",
				formatIndices(sel[d]), dimNames(c.Array())[d], formatIndices(x))
		}
	}
	return sel, nil
}

// asLabelUsageError is asUsageError for errors of package cube.
func asLabelUsageError(err error) error {
	if errors.Is(err, cube.ErrLabel) {
		return usagef("%w; 'drx labels' lists the labels", err)
	}
	if errors.Is(err, cube.ErrWhere) {
		return usageError{err}
	}
	return asUsageError(err)
}

// selectionBytes returns the bytes of a selection, which must be one of the array's.
func selectionBytes(a *drx.Array, sel cube.Selection) int64 {
	n, _ := nd.Product(sel.Shape()...)
	return int64(n) * int64(a.DType().Size())
}

// eachPart reads a selection in parts of bounded size and calls f with each part and its bytes. Unlike
// eachSlab it also takes selections that are not sections.
func eachPart(ctx context.Context, c *cube.Cube, sel cube.Selection, order nd.Order, f func(part cube.Selection, b []byte) error) error {
	var buf []byte
	read := func(part cube.Selection, n int) error {
		buf = slices.Grow(buf[:0], n)[:n]
		if err := c.Read(part, buf, order); err != nil {
			return err
		}
		return f(part, buf)
	}
	a := c.Array()
	if sec, ok := sel.Section(); ok {
		return eachSlab(ctx, a, sec, order, func(slab nd.Section, n int) error { return read(cube.Box(slab), n) })
	}
	return sel.Parts(order, a.DType().Size(), slabTarget, func(part cube.Selection) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := read(part, int(selectionBytes(a, part)))
		// After an interruption the error of f is only a consequence.
		return cmp.Or(ctx.Err(), err)
	})
}
