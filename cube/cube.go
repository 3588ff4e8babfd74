// Package cube gives the indices of an array labels, and loads, slices and sums the array
// by them: a data cube, as OLAP calls it, that grows in any dimension when a new item, store
// or day appears (Nimako's thesis, chapter 1 and section 10.1.5).
//
//	a, err := drx.Create("sales", cube.Spec(dtype.Float64, "date", "store", "item"))
//	c, err := cube.Of(a)
//	rows, err := c.AppendCSV(ctx, file, cube.CSV{Coords: []string{"date", "store", "item"}, Value: "sales"})
//	sel, err := c.Select("store=3|4,date=2013-01-01..2013-01-31")
//	sums, err := c.Reduce(ctx, sel, cube.Sum, cube.Over{Dims: []int{0}})
//
// # Labels
//
// Labels are text; what looks like a number or a date is text too. Those of a dimension are
// different from each other and belong to consecutive indices, in the order in which they
// appeared. They are attributes of the array: docs/LABELS.md is the convention. A dimension
// without labels is addressed by its indices, written as decimal numbers.
//
// # Empty cells
//
// An element that holds the fill value of the array is an empty cell, which no sum, mean,
// minimum, maximum or count has in it, unless the fill value is zero: then a zero is a value
// like any other. If the fill value is NaN every NaN is an empty cell.
//
// # Invariants
//
//  1. Label i of a dimension belongs to index first+i, which is within the bounds once the
//     labels are stored.
//  2. The runs in which labels are stored are strictly shorter from the first to the last,
//     so that n labels have at most log2(n)+1 runs and each is written at most so often.
package cube

import (
	"errors"
	"fmt"
	"strconv"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// ErrLabel is returned for a label that a dimension does not have, or cannot have.
var ErrLabel = errors.New("wrong label")

// A Cube is an array together with its labels. It may be used by one goroutine at a time;
// while it is in use dimensions must be neither added to the array nor shrunk. Labels that
// others commit are seen by a new Cube.
type Cube struct {
	a     *drx.Array
	axes  []axis
	empty func(cell []byte) bool
}

// Of returns the cube of an array, open for reading or for writing. The error wraps
// drx.ErrCorrupt when the attributes that hold labels do not follow the convention.
func Of(a *drx.Array) (*Cube, error) {
	axes, err := loadAxes(a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name(), err)
	}
	return &Cube{a: a, axes: axes, empty: emptyCell(a.DType(), a.FillValue())}, nil
}

// Array returns the array of the cube.
func (c *Cube) Array() *drx.Array { return c.a }

// Labels returns the labels of a dimension and the index of the first. The slice is empty for
// a dimension without labels, or that does not exist; the caller must not change it.
func (c *Cube) Labels(dim int) (first int, labels []string) {
	if c.checkDim(dim) != nil {
		return 0, nil
	}
	return c.axes[dim].first, c.axes[dim].names
}

// Label returns the label of an index, or the index as text where it has none.
func (c *Cube) Label(dim, index int) string {
	first, names := c.Labels(dim)
	if i := index - first; i >= 0 && i < len(names) {
		return names[i]
	}
	return strconv.Itoa(index)
}

// Index returns the index of a label; in a dimension without labels, the index that the text
// is. The error names the dimension and wraps drx.ErrRank if there is no such, ErrLabel, or
// drx.ErrBounds for an index outside the bounds.
func (c *Cube) Index(dim int, label string) (int, error) {
	if err := c.checkDim(dim); err != nil {
		return 0, err
	}
	x := &c.axes[dim]
	if i, ok := x.index[label]; ok {
		return i, nil
	}
	if len(x.names) > 0 {
		return 0, fmt.Errorf("dimension %s: no %q among its %d labels: %w", c.dimName(dim), label, len(x.names), ErrLabel)
	}
	i, err := strconv.Atoi(label)
	if err != nil {
		return 0, fmt.Errorf("dimension %s has no labels, and %q is no index: %w", c.dimName(dim), label, ErrLabel)
	}
	if r := c.a.Bounds()[dim]; i < r.Lo || i >= r.Hi {
		return 0, fmt.Errorf("dimension %s: index %d is not in %v: %w", c.dimName(dim), i, r, drx.ErrBounds)
	}
	return i, nil
}

// SetLabels labels the indices of a dimension from the lowest on, in place of what labels it
// had. There may be fewer labels than indices, not more. They are durable with the next
// Sync of the array. The error wraps drx.ErrRank, ErrLabel for one that is empty, is not UTF-8 or comes
// twice, drx.ErrBounds when there are too many, or is that of drx.Array.SetAttr.
func (c *Cube) SetLabels(dim int, labels []string) error {
	if err := c.checkDim(dim); err != nil {
		return err
	}
	r := c.a.Bounds()[dim]
	if len(labels) > r.Len() {
		return fmt.Errorf("dimension %s: %d labels for %d indices: %w", c.dimName(dim), len(labels), r.Len(), drx.ErrBounds)
	}
	x := axis{first: r.Lo, obsolete: c.axes[dim].keys(dim)}
	for _, label := range labels {
		if err := x.add(label); err != nil {
			return fmt.Errorf("dimension %s: %w", c.dimName(dim), err)
		}
	}
	if err := x.store(c.a, dim); err != nil {
		return err
	}
	c.axes[dim] = x
	return nil
}

// Dim returns the dimension with a name or a number, see drx.Array.Dim.
func (c *Cube) Dim(text string) (int, error) {
	return c.a.Dim(text)
}

// checkDim returns an error unless there is such a dimension.
func (c *Cube) checkDim(dim int) error {
	if dim < 0 || dim >= len(c.axes) {
		return fmt.Errorf("%s: dimension %d is not one of 0 to %d: %w", c.a.Name(), dim, len(c.axes)-1, drx.ErrRank)
	}
	return nil
}

// dimName returns the name of a dimension, its number if it has none.
func (c *Cube) dimName(dim int) string {
	if name := c.a.Dims()[dim]; name != "" {
		return strconv.Quote(name)
	}
	return strconv.Itoa(dim)
}

// Spec describes an empty array that is to grow from nothing in all of its dimensions: chunks
// are as DefaultChunk says, and elements never written are NaN, or zero if the type has none.
func Spec(t dtype.DType, dims ...string) drx.Spec {
	spec := drx.Spec{DType: t, Shape: make([]int, len(dims)), Dims: dims, ChunkShape: DefaultChunk(len(dims))}
	if t.IsFloat() {
		spec.FillValue = "NaN"
	}
	return spec
}

// chunkBits is the binary logarithm of the elements of a chunk of a cube. Cubes grow by a
// label here and there, and one dimension often stays short: at 4096 elements what lies
// outside the bounds is little, and a chunk is still eight pages of float64.
const chunkBits = 12

// DefaultChunk returns the chunk shape of an array that grows from nothing in so many
// dimensions: 4096 elements, with edges that are powers of two and as equal as can be, the
// later ones longer. That is 64 x 64 and 16 x 16 x 16; from 13 dimensions on some edges are 1.
func DefaultChunk(rank int) []int {
	chunk := make([]int, rank)
	for d := range chunk {
		chunk[d] = 1 << ((chunkBits*(d+1))/rank - (chunkBits*d)/rank)
	}
	return chunk
}

// bounds returns the bounds of the array as a selection.
func (c *Cube) bounds() Selection { return Box(c.a.Bounds()) }

// check returns an error unless a selection has the rank of the array and lies within its
// bounds.
func (c *Cube) check(sel Selection) error {
	if err := nd.CheckRank("selections", len(sel), len(c.axes)); err != nil {
		return err
	}
	for d, limit := range c.a.Bounds() {
		for _, r := range sel[d] {
			if r.Step < 0 || r.Hi < r.Lo || r.Lo < limit.Lo || r.Hi > limit.Hi {
				return fmt.Errorf("dimension %s: range %v is not in %v: %w", c.dimName(d), r, limit, drx.ErrBounds)
			}
		}
	}
	return nil
}
