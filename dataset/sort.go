package dataset

import (
	"context"
	"slices"
	"strconv"

	"drx"
	"drx/cube"
	"drx/internal/errkind"
	"drx/nd"
)

// Sorted returns the indices of a coordinate in ascending order of their values. The sort is
// stable. The error wraps ErrValue if an index has no value.
func (c *Coordinate) Sorted() (cube.Indices, error) {
	order := make([]int, len(c.values))
	for i, v := range c.values {
		if order[i] = i; v.missing() {
			return nil, errkind.Errorf(ErrValue, "%s: index %d has no value, so it has no place among the others", c.name, c.first+i)
		}
	}
	slices.SortStableFunc(order, func(i, k int) int { return c.values[i].compare(c.values[k]) })
	var sorted cube.Indices
	for _, i := range order {
		sorted = sorted.Append(cube.Indices{nd.At(c.first + i).By(1)})
	}
	return sorted, nil
}

// sortBytes is the number of bytes read at once while a dataset is sorted.
const sortBytes = 16 << 20

// CopySorted is Copy, but sorts the indices of a dimension by its coordinate, see
// Coordinate.Sorted. It moves values that were appended late to their places.
func CopySorted(ctx context.Context, from, to, dim string, progress func(variable string, done, total int64)) error {
	return copyChanged(ctx, from, to, progress, func(d, copied *Dataset) error {
		c, err := d.Coordinate(dim)
		if err != nil {
			return err
		}
		known, err := d.Dim(dim)
		if err != nil {
			return err
		}
		order, err := c.Sorted()
		if err != nil || len(order) < 2 { // one range is in order
			return err
		}
		for _, name := range d.Variables() {
			if err := ctx.Err(); err != nil {
				return err
			}
			v, err := d.Variable(name)
			if err != nil {
				return err
			}
			k := slices.Index(v.Dims(), known.Name)
			if k < 0 {
				continue
			}
			to, err := copied.Variable(name)
			if err == nil {
				err = sortVariable(ctx, v, to.Array(), k, order, c.first)
			}
			if err == nil {
				err = copied.Sync()
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// sortVariable copies the elements of a variable to another array and reorders them along dimension
// k. order are the source indices in their new order; first is the first target index.
func sortVariable(ctx context.Context, v *Variable, to *drx.Array, k int, order cube.Indices, first int) error {
	c, err := cube.Of(v.Array())
	if err != nil {
		return err
	}
	if err := sortLabels(c, to, k, order, first); err != nil {
		return err
	}
	sel := cube.Box(v.Bounds())
	if n := sel[k].Len(); n != order.Len() {
		return errkind.Errorf(ErrDim, "%s: dimension %d has %d indices, and its coordinate %d", v.Array().Name(), k, n, order.Len())
	}
	if order[0].Lo == first { // these already have their indices
		sel[k] = sel[k].Slice(order[0].Len(), sel[k].Len()-order[0].Len())
	}
	var buf []byte
	size := v.Array().DType().Size()
	return sel.Parts(nil, size, sortBytes, func(part cube.Selection) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		sec, _ := part.Section() // of a section
		from := slices.Clone(part)
		from[k] = order.Slice(sec[k].Lo-first, sec[k].Len())
		n, _ := nd.Product(part.Shape()...) // it is in memory
		buf = slices.Grow(buf[:0], n*size)[:n*size]
		if err := c.Read(from, buf, nil); err != nil {
			return err
		}
		return to.WriteBytes(sec, buf, nil)
	})
}

// sortLabels reorders the labels of a dimension, if it has any, in the same way.
func sortLabels(c *cube.Cube, to *drx.Array, k int, order cube.Indices, first int) error {
	begin, labels := c.Labels(k)
	if len(labels) == 0 {
		return nil
	}
	if begin != first || len(labels) != order.Len() {
		return errkind.Errorf(cube.ErrLabel, "%s: dimension %s has %d labels for %d indices: label all or none",
			c.Array().Name(), strconv.Quote(c.Array().Dims()[k]), len(labels), order.Len())
	}
	sorted := make([]string, order.Len())
	for i := range sorted {
		sorted[i] = labels[order.At(i)-first]
	}
	made, err := cube.Of(to)
	if err != nil {
		return err
	}
	return made.SetLabels(k, sorted)
}
