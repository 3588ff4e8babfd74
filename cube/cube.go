// Package cube adds labels to the indices of an array, and loads, slices and sums the array by
// label. Such an array is a data cube in the sense of OLAP. It grows in any dimension when a new
// item, store or day appears (Nimako's thesis, chapter 1 and section 10.1.5).
//
//	a, err := drx.Create("sales", cube.Spec(dtype.Float64, "date", "store", "item"))
//	c, err := cube.Of(a)
//	rows, err := c.AppendCSV(ctx, file, cube.CSV{Coords: []string{"date", "store", "item"}, Value: "sales"})
//	sel, err := c.Select("store=3|4,date=2013-01-01..2013-01-31")
//	sums, err := c.Reduce(ctx, sel, cube.Sum, cube.Over{Dims: []int{0}})
//
// # Labels
//
// Labels are text, even if they look like numbers or dates. The labels of a dimension are
// distinct and belong to consecutive indices, in the order in which they appeared. They are
// stored as attributes of the array, as docs/LABELS.md specifies. A dimension without labels is
// addressed by its indices, written as decimal numbers.
//
// # Empty cells
//
// An element that holds the fill value of the array is an empty cell. Sums, means, minima,
// maxima and counts leave empty cells out. If the fill value is zero, there are no empty cells:
// zeros are values. If the fill value is NaN, every NaN is an empty cell.
//
// # Invariants
//
//  1. Label i of a dimension belongs to index first+i, which is within the bounds once the
//     labels are stored.
//  2. The runs in which labels are stored get strictly shorter from the first to the last, so
//     that n labels have at most log2(n)+1 runs and each label is written at most log2(n)+1 times.
package cube

import (
	"errors"
	"fmt"
	"strconv"

	"drx"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// ErrLabel is wrapped by errors about a label that a dimension does not or cannot have.
var ErrLabel = errors.New("wrong label")

// ErrBlank is wrapped, together with ErrLabel, by errors about a label without text. CSV.Blank can
// replace the empty fields of a table.
var ErrBlank = errors.New("an empty label")

// A Cube is an array together with its labels. It is not safe for concurrent use. While it is in
// use, the array must neither shrink nor get new dimensions. A Cube does not see labels that
// another process commits; call Of again to see them.
type Cube struct {
	a     *drx.Array
	axes  []axis
	empty func(cell []byte) bool
	name  func(dim, index int) string // names indices without labels; may be nil
}

// Of returns the cube of an array, which may be open for reading or for writing. The error wraps
// drx.ErrCorrupt if the attributes with labels violate docs/LABELS.md.
func Of(a *drx.Array) (*Cube, error) {
	axes, err := loadAxes(a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name(), err)
	}
	return &Cube{a: a, axes: axes, empty: EmptyCell(a.DType(), a.FillValue())}, nil
}

// Array returns the array of the cube.
func (c *Cube) Array() *drx.Array { return c.a }

// Labels returns the labels of a dimension and the index of the first. The slice is empty if the
// dimension has no labels or does not exist. The caller must not modify it.
func (c *Cube) Labels(dim int) (first int, labels []string) {
	if c.checkDim(dim) != nil {
		return 0, nil
	}
	return c.axes[dim].first, c.axes[dim].names
}

// Label returns the label of an index. If it has none, Label returns its name, see WithNames, or
// the index as text.
func (c *Cube) Label(dim, index int) string {
	first, names := c.Labels(dim)
	if i := index - first; i >= 0 && i < len(names) {
		return names[i]
	}
	if c.name != nil && len(names) == 0 {
		if name := c.name(dim, index); name != "" {
			return name
		}
	}
	return strconv.Itoa(index)
}

// WithNames returns the cube with a function that names the indices of dimensions without labels,
// for example by the values of a coordinate. Only Label uses it. It returns "" for an index without
// a name.
func (c *Cube) WithNames(name func(dim, index int) string) *Cube {
	named := *c
	named.name = name
	return &named
}

// Index returns the index of a label. In a dimension without labels it parses the text as an
// index. The error names the dimension and wraps drx.ErrRank if there is no such dimension,
// ErrLabel if there is no such label, or drx.ErrBounds for an index outside the bounds.
func (c *Cube) Index(dim int, label string) (int, error) {
	if err := c.checkDim(dim); err != nil {
		return 0, err
	}
	x := &c.axes[dim]
	if i, ok := x.index[label]; ok {
		return i, nil
	}
	if len(x.names) > 0 {
		return 0, errkind.Errorf(ErrLabel, "dimension %s: no %q among its %d labels%s", c.dimName(dim), label, len(x.names), c.indexHint(dim, label))
	}
	i, err := strconv.Atoi(label)
	if err != nil {
		return 0, errkind.Errorf(ErrLabel, "dimension %s has no labels, and %q is not an index", c.dimName(dim), label)
	}
	if r := c.a.Bounds()[dim]; i < r.Lo || i >= r.Hi {
		return 0, errkind.Errorf(drx.ErrBounds, "dimension %s: index %d is not in %v", c.dimName(dim), i, r)
	}
	return i, nil
}

// indexHint returns a hint for the error about an unknown label that is an index of the dimension.
func (c *Cube) indexHint(dim int, label string) string {
	i, err := strconv.Atoi(label)
	if r := c.a.Bounds()[dim]; err != nil || i < r.Lo || i >= r.Hi {
		return ""
	}
	if own := c.Label(dim, i); own != label {
		return fmt.Sprintf("; index %d has the label %q", i, own)
	}
	return fmt.Sprintf("; index %d has no label", i)
}

// SetLabels replaces the labels of a dimension. The first one is for its lowest index. There may be
// fewer labels than indices, but not more. The next Sync of the array makes them durable. The error
// wraps drx.ErrRank if there is no such dimension, ErrLabel for a label that is empty, is not UTF-8
// or occurs twice, drx.ErrBounds for too many labels, or is that of drx.Array.SetAttr.
func (c *Cube) SetLabels(dim int, labels []string) error {
	if err := c.checkDim(dim); err != nil {
		return err
	}
	r := c.a.Bounds()[dim]
	if len(labels) > r.Len() {
		return errkind.Errorf(drx.ErrBounds, "dimension %s: %d labels for %d indices", c.dimName(dim), len(labels), r.Len())
	}
	x := axis{first: r.Lo, obsolete: c.axes[dim].attrNames(dim)}
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

// Dim returns the dimension with the given name or number. The error wraps drx.ErrRank if there is
// no such dimension, see drx.Array.Dim.
func (c *Cube) Dim(text string) (int, error) {
	return c.a.Dim(text)
}

// checkDim returns an error if there is no such dimension.
func (c *Cube) checkDim(dim int) error {
	if dim < 0 || dim >= len(c.axes) {
		return errkind.Errorf(drx.ErrRank, "%s: dimension %d is not one of 0 to %d", c.a.Name(), dim, len(c.axes)-1)
	}
	return nil
}

// dimName returns the quoted name of a dimension, or its number if it has none.
func (c *Cube) dimName(dim int) string {
	if name := c.a.Dims()[dim]; name != "" {
		return strconv.Quote(name)
	}
	return strconv.Itoa(dim)
}

// Spec describes an array with extent 0 in all dimensions, which is meant to grow. Its chunks have
// the shape of DefaultChunk. The fill value is NaN, or zero if the type has no NaN.
func Spec(t dtype.DType, dims ...string) drx.Spec {
	spec := drx.Spec{DType: t, Shape: make([]int, len(dims)), Dims: dims, ChunkShape: DefaultChunk(len(dims))}
	if t.IsFloat() {
		spec.FillValue = "NaN"
	}
	return spec
}

// chunkBits is the binary logarithm of the number of elements in a chunk of a cube. Cubes grow by
// single labels, and often one dimension stays short. With 4096 elements per chunk little space is
// allocated outside of the bounds, and a chunk of float64 still has eight pages.
const chunkBits = 12

// DefaultChunk returns the chunk shape of an array that grows from nothing in rank dimensions:
// 4096 elements, with extents that are powers of two and as equal as possible, the later ones
// longer. Examples are 64 x 64 and 16 x 16 x 16. From 13 dimensions on some extents are 1.
func DefaultChunk(rank int) []int {
	chunk := make([]int, rank)
	for d := range chunk {
		chunk[d] = 1 << ((chunkBits*(d+1))/rank - (chunkBits*d)/rank)
	}
	return chunk
}

// bounds returns the bounds of the array as a selection.
func (c *Cube) bounds() Selection { return Box(c.a.Bounds()) }

// Check returns an error unless a selection has the rank of bounds and is within them. name returns
// the name of a dimension for the error, which wraps drx.ErrRank or drx.ErrBounds.
func (s Selection) Check(bounds nd.Section, name func(dim int) string) error {
	if err := nd.CheckRank("selections", len(s), len(bounds)); err != nil {
		return err
	}
	for d, limit := range bounds {
		for _, r := range s[d] {
			if r.Step < 0 || r.Hi < r.Lo || r.Lo < limit.Lo || r.Hi > limit.Hi {
				return errkind.Errorf(drx.ErrBounds, "dimension %s: range %v is not in %v", name(d), r, limit)
			}
		}
	}
	return nil
}
