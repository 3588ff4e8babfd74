package stats

import (
	"encoding/json"
	"math"
	"strconv"

	"drx/cube"
	"drx/dtype"
)

// A Result holds the values of statistics for each combination of indices of the dimensions that
// remain, dense and row-major.
type Result struct {
	Axes    []Axis   // the dimensions that remain, ascending
	Count   []int64  // for each value, the number of elements that it was computed from
	Columns []Column // in the order of Request.Funcs
}

// An Axis is a dimension of a Result.
type Axis struct {
	Dim   int          // its number in the array
	Cells cube.Indices // the indices; nil for groups
	Group *Grouping    // nil for none
}

// Len returns the extent of the axis.
func (x Axis) Len() int {
	if x.Group != nil {
		return len(x.Group.Names)
	}
	return x.Cells.Len()
}

// A Column holds the values of one statistic as int64, uint64 or float64, little-endian. A value
// computed from no element is NaN, or 0 for integers.
type Column struct {
	Func  Func        // the statistic
	DType dtype.DType // the type of the values
	Data  []byte      // the values, row-major
}

// Value returns the bytes of value i.
func (c *Column) Value(i int) []byte { return c.Data[8*i:][:8] }

// Shape returns the extents of the result.
func (r *Result) Shape() []int {
	shape := make([]int, len(r.Axes))
	for i, x := range r.Axes {
		shape[i] = x.Len()
	}
	return shape
}

// Has reports whether value i of a column was computed from elements. A number of elements always
// is.
func (r *Result) Has(c *Column, i int) bool { return r.Count[i] > 0 || c.Func.IsCount() }

// Text returns value i of a column as text, "" if it was computed from no element.
func (r *Result) Text(c *Column, i int) string {
	if !r.Has(c, i) {
		return ""
	}
	cell := c.Value(i)
	if c.DType != dtype.Float64 {
		return c.DType.Format(cell)
	}
	v := c.DType.Float64(cell)
	if size := math.Abs(v); size >= 1e21 || size > 0 && size < 1e-6 {
		return c.DType.Format(cell)
	}
	return strconv.FormatFloat(v, 'f', -1, 64) // without exponent, which suits amounts of money
}

// Float64s returns the values of a column rounded to float64, NaN for a value without elements.
func (r *Result) Float64s(c *Column) []float64 {
	values := make([]float64, len(r.Count))
	for i := range values {
		if values[i] = c.DType.Float64(c.Value(i)); !r.Has(c, i) {
			values[i] = math.NaN()
		}
	}
	return values
}

// JSON returns a value of a column as JSON, null for one without elements.
func (r *Result) JSON(c *Column, i int) json.RawMessage {
	if !r.Has(c, i) {
		return json.RawMessage("null")
	}
	return c.DType.ToJSON(c.Value(i))
}
