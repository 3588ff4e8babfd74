package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"drx"
	"drx/dataset"
	"drx/internal/errkind"
	"drx/nd"
)

// Weights are the weights of elements, given by an array or per index of one dimension.
type Weights struct {
	// Array holds the weights. Each of its dimensions has the name and the bounds of a dimension of
	// the elements. Along the other dimensions the weights are constant.
	Array *drx.Array

	dim   int // the dimension with weights, if Array is nil
	first int // its first index with a weight
	of    []float64
}

// AreaWeights returns weights in proportion to the cell areas of a grid of latitudes and
// longitudes. The weight of a cell is the difference between the sines of its edges, which lie
// halfway to the neighbouring latitudes. The latitudes are the coordinate with units such as
// degrees_north or the standard_name latitude. The error wraps drx.ErrRank if there is no such
// coordinate, and drx.ErrBounds if a value is not between -90 and 90.
func AreaWeights(a *drx.Array, axes *dataset.Axes) (*Weights, error) {
	for d := range a.Rank() {
		c, err := axes.Coordinate(d)
		if err != nil {
			return nil, err
		}
		if c != nil && isLatitude(c) {
			return areasOf(a, c, d)
		}
	}
	return nil, errkind.Errorf(drx.ErrRank, "%s: no dimension has latitudes as its coordinate, with units degrees_north or standard_name latitude", a.Name())
}

func isLatitude(c *dataset.Coordinate) bool {
	units := []string{"degrees_north", "degree_north", "degree_N", "degrees_N", "degreeN", "degreesN"}
	return c.Attr("standard_name") == "latitude" || slices.Contains(units, c.Attr("units"))
}

func areasOf(a *drx.Array, c *dataset.Coordinate, dim int) (*Weights, error) {
	r := c.Bounds()
	w := &Weights{dim: dim, first: r.Lo, of: make([]float64, r.Len())}
	at := func(i int) float64 { return c.Float64(r.Lo + i) }
	for i := range w.of {
		if lat := at(i); !(lat >= -90 && lat <= 90) {
			return nil, errkind.Errorf(drx.ErrBounds, "%s: dimension %s: index %d has %v, which is no latitude", a.Name(), dimName(a, dim), r.Lo+i, lat)
		}
	}
	edge := func(i, next int) float64 { // of cell i towards next, which may not exist
		if next < 0 || next >= len(w.of) {
			if next = 2*i - next; next < 0 || next >= len(w.of) {
				return 0 // there is one latitude
			}
			return 1.5*at(i) - 0.5*at(next)
		}
		return (at(i) + at(next)) / 2
	}
	for i := range w.of {
		low, high := max(-90, min(90, edge(i, i-1))), max(-90, min(90, edge(i, i+1)))
		w.of[i] = math.Abs(math.Sin(high*math.Pi/180) - math.Sin(low*math.Pi/180))
	}
	if len(w.of) == 1 {
		w.of[0] = 1
	}
	return w, nil
}

// A Mask selects the elements that count: those for which the value of an array, compared by Op
// with Value, gives true. Elements do not count where that array has no value.
type Mask struct {
	Array *drx.Array // its dimensions are as those of Weights.Array
	Op    string     // >, >=, <, <=, == or !=
	Value float64    // in the units of the array
}

// comparisons are the values of Mask.Op.
var comparisons = map[string]func(v, limit float64) bool{
	">": func(v, limit float64) bool { return v > limit }, ">=": func(v, limit float64) bool { return v >= limit },
	"<": func(v, limit float64) bool { return v < limit }, "<=": func(v, limit float64) bool { return v <= limit },
	"==": func(v, limit float64) bool { return v == limit }, "!=": func(v, limit float64) bool { return v != limit },
}

// A companion reads the weights or the mask along with the array, which may have more dimensions.
type companion struct {
	dims   []int            // for each dimension of the companion, its number in the array
	source *source[float64] // nil for weights of a dimension
	first  int
	of     []float64
	values []float64 // for the present box
	flags  []uint8   // not 0 for missing values
}

// newCompanion returns the companion that reads a beside the array of plan p. The error wraps
// drx.ErrRank for a dimension that the plan's array does not have, drx.ErrBounds for different
// bounds, and drx.ErrDType for complex elements.
func newCompanion(p *plan, a *drx.Array) (*companion, error) {
	if a.DType().IsComplex() {
		return nil, errkind.Errorf(drx.ErrDType, "%s: elements of type %v: want real numbers", a.Name(), a.DType())
	}
	of, err := meaningOf(a)
	if err != nil {
		return nil, err
	}
	c := &companion{source: newSource[float64](a, of)}
	for d, name := range a.Dims() {
		k := slices.Index(p.a.Dims(), name)
		if name == "" || k < 0 {
			return nil, errkind.Errorf(drx.ErrRank, "%s: dimension %s is none of those of %s, which are %q", a.Name(), dimName(a, d), p.a.Name(), p.a.Dims())
		}
		if own, other := a.Bounds()[d], p.a.Bounds()[k]; own != other {
			return nil, errkind.Errorf(drx.ErrBounds, "%s: dimension %s has the bounds %v, and %v in %s: make them equal", a.Name(), dimName(a, d), own, other, p.a.Name())
		}
		c.dims = append(c.dims, k)
	}
	return c, nil
}

// weights returns the weights of a plan, nil without any.
func (p *plan) weights() (*companion, error) {
	w := p.req.Weights
	switch {
	case w == nil:
		return nil, nil
	case w.Array != nil:
		return newCompanion(p, w.Array)
	}
	return &companion{dims: []int{w.dim}, first: w.first, of: w.of}, nil
}

// mask returns the array of the mask of a plan, nil without one.
func (p *plan) mask() (*companion, error) {
	if p.req.Where == nil {
		return nil, nil
	}
	return newCompanion(p, p.req.Where.Array)
}

// load fills values and flags with one entry for each of the n elements of section sec of the
// array. Values repeat along the dimensions that the companion does not have.
func (c *companion) load(sec nd.Section, n int) error {
	own, shape, strides := make(nd.Section, len(c.dims)), sec.Shape(), make([]int, len(sec))
	for d, k := range c.dims {
		own[d] = sec[k]
	}
	for d, stride := range nd.Order(nil).Strides(own.Shape()) {
		strides[c.dims[d]] = stride
	}
	values, flags, err := c.read(own)
	if err != nil {
		return err
	}
	c.values, c.flags = slices.Grow(c.values[:0], n)[:n], slices.Grow(c.flags[:0], n)[:n]
	index, lo := make([]int, len(sec)), make([]int, len(sec))
	for i := range n {
		from := 0
		for d, k := range index {
			from += k * strides[d]
		}
		c.values[i], c.flags[i] = values[from], 0
		if flags != nil {
			c.flags[i] = flags[from]
		}
		nd.Next(index, lo, shape)
	}
	return nil
}

// checkSigns returns an error if a loaded weight, of an array with a name, is negative. sec is the
// section of load.
func (c *companion) checkSigns(name string, sec nd.Section) error {
	i := slices.IndexFunc(c.values, func(v float64) bool { return v < 0 })
	if i < 0 {
		return nil
	}
	shape, of := sec.Shape(), make([]int, len(sec))
	for d, rest := len(shape)-1, i; d >= 0; d-- {
		of[d], rest = sec[d].Lo+rest%shape[d]*sec[d].Stride(), rest/shape[d]
	}
	index := make([]int, len(c.dims))
	for d, k := range c.dims {
		index[d] = of[k]
	}
	at := strings.Trim(strings.ReplaceAll(fmt.Sprint(index), " ", ","), "[]")
	return errkind.Errorf(drx.ErrBounds, "%s: index %s has the weight %v: weights are 0 or more", name, at, c.values[i])
}

// read returns the values of a box of the companion itself.
func (c *companion) read(sec nd.Section) (values []float64, flags []uint8, err error) {
	if c.source == nil {
		r := sec[0]
		for i := range r.Len() {
			values = append(values, c.of[r.Lo+i*r.Stride()-c.first])
		}
		return values, nil, nil
	}
	n, err := sec.Len()
	if err != nil {
		return nil, nil, err
	}
	err = c.source.load(sec, n)
	return c.source.values, c.source.flags, err
}
