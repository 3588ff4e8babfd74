package regrid

import (
	"errors"
	"math"
	"path"
	"slices"
	"strconv"

	"drx"
	"drx/dataset"
	"drx/dataset/regrid/weights"
	"drx/dataset/stats"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// An axis is a dimension that changes, with one of ends, pick and matrix.
type axis struct {
	old    nd.Range        // its indices in the source
	n      int             // its new extent
	ends   []int           // the position, counted from old.Lo, at which each window ends
	window int             // the number of indices of each window, 0 if they differ
	pick   []int           // for each new index the index in the source
	matrix *weights.Matrix // positions count from old.Lo
}

// windows returns the indices in a range of windows, and the positions among them at which each
// window ends.
func (x *axis) windows(r nd.Range) (indices nd.Range, ends []int) {
	first := 0
	if r.Lo > 0 {
		first = x.ends[r.Lo-1]
	}
	for _, end := range x.ends[r.Lo:r.Hi] {
		ends = append(ends, end-first)
	}
	return nd.Span(x.old.Lo+first, x.old.Lo+x.ends[r.Hi-1]).By(1), ends
}

// hasGap reports whether a window has no index.
func (x *axis) hasGap() bool {
	for i := range x.ends[1:] {
		if x.ends[i+1] == x.ends[i] {
			return true
		}
	}
	return false
}

// values are the numbers of a coordinate, with what describes them.
type values struct {
	from   *dataset.Coordinate
	attrs  map[string]any // those of the numbers as float64, except bounds
	at     []float64
	cells  [][2]float64 // its bounds, as stored; nil without any
	bounds string       // their name in the group of the coordinate
}

// isLatitude and isLongitude decide by the units, as the CF conventions do.
func (x *values) isLatitude() bool {
	return slices.Contains([]string{"degrees_north", "degree_north", "degree_N", "degrees_N", "degreeN", "degreesN"}, x.from.Attr("units"))
}

func isEast(units string) bool {
	return slices.Contains([]string{"degrees_east", "degree_east", "degree_E", "degrees_E", "degreeE", "degreesE"}, units)
}

func (x *values) isLongitude() bool { return isEast(x.from.Attr("units")) }

// readValues reads the coordinate of a dimension, or returns nil if it has none. Longitudes that
// start again after 360 degrees are continued.
func readValues(d *dataset.Dataset, dim dataset.Dim) (*values, error) {
	if !dim.HasCoordinate {
		return nil, nil
	}
	c, err := d.Coordinate(dim.Name)
	if err != nil {
		return nil, err
	}
	v, err := d.Variable(dim.Name)
	if err != nil {
		return nil, err
	}
	x := &values{from: c, attrs: stats.PlainAttrs(v.Array())}
	for i := dim.Bounds.Lo; i < dim.Bounds.Hi; i++ {
		at := c.Float64(i)
		if math.IsNaN(at) {
			return nil, errkind.Errorf(dataset.ErrValue, "%s: index %d has no value", v.Array().Name(), i)
		}
		x.at = append(x.at, at)
	}
	delete(x.attrs, "bounds")
	delete(x.attrs, "climatology")
	err = x.readBounds(d, dim, v.Array())
	if x.isLongitude() {
		x.unwrap()
	}
	return x, err
}

// readBounds reads the bounds of a coordinate, if there are any. It ignores those of a packed
// coordinate, because its attributes would apply to them.
func (x *values) readBounds(d *dataset.Dataset, dim dataset.Dim, a *drx.Array) error {
	name := x.from.Attr("bounds")
	_, scaled := a.Attrs()["scale_factor"]
	_, shifted := a.Attrs()["add_offset"]
	if name == "" || scaled || shifted {
		return nil
	}
	v, err := d.Variable(path.Join(path.Dir(dim.Name), name))
	if errors.Is(err, dataset.ErrVariable) {
		return nil
	}
	if err != nil {
		return err
	}
	b := v.Array()
	if shape := b.Shape(); len(shape) != 2 || shape[1] != 2 || v.Dims()[0] != dim.Name || b.DType().IsComplex() {
		return nil
	}
	r, err := stats.NewReader(b)
	if err != nil {
		return err
	}
	numbers, err := r.Read(nd.Section{dim.Bounds, b.Bounds()[1]})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(numbers, math.IsNaN) {
		return nil
	}
	x.bounds = name
	for i := 0; i < len(numbers); i += 2 {
		x.cells = append(x.cells, [2]float64{numbers[i], numbers[i+1]})
	}
	return nil
}

// unwrap adds multiples of 360 degrees so that longitudes have no jump.
func (x *values) unwrap() {
	for i := range x.at {
		if i > 0 {
			x.at[i] -= 360 * math.Round((x.at[i]-x.at[i-1])/360)
		}
		if x.cells == nil {
			continue
		}
		for e, edge := range x.cells[i] {
			if math.Abs(edge-x.at[i]) > 180 {
				x.cells[i][e] = edge - 360*math.Round((edge-x.at[i])/360)
			}
		}
	}
}

// monotone returns an error unless the values ascend or descend strictly.
func (x *values) monotone(name string) error {
	for i := 1; i < len(x.at); i++ {
		up := x.at[1] > x.at[0]
		if x.at[i] == x.at[i-1] || x.at[i] > x.at[i-1] != up {
			return errkind.Errorf(dataset.ErrValue, "coordinate %s: %s follows %s: want values that ascend, or descend, all along; drx sort orders them",
				name, number(x.at[i]), number(x.at[i-1]))
		}
	}
	return nil
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// setAxis sets how a dimension changes, and plans its new coordinate at, if it has one; cells are
// the new bounds.
func (j *job) setAxis(dim dataset.Dim, a *axis, x *values, at []float64, cells [][2]float64, wraps bool) error {
	j.axes[dim.Name] = a
	j.report.Dims = append(j.report.Dims, Dim{dim.Name, dim.Bounds.Len(), a.n, wraps})
	if x == nil {
		return nil
	}
	own, group := path.Base(dim.Name), path.Dir(dim.Name)
	j.replaced[dim.Name] = true
	if old := x.from.Attr("bounds"); old != "" {
		j.replaced[path.Join(group, old)] = true
	}
	attrs := x.attrs
	if cells != nil {
		bounds := x.bounds
		if bounds == "" {
			bounds = own + "_bnds"
		}
		attrs["bounds"] = bounds
		full := path.Join(group, bounds)
		j.replaced[full] = true
		j.outputs[full] = literal(drx.Spec{Shape: []int{a.n, 2}, Dims: []string{own, "bnds"}}, slices.Concat(pairs(cells)...))
	}
	j.outputs[dim.Name] = literal(drx.Spec{Shape: []int{a.n}, Dims: []string{own}, Attrs: attrs}, at)
	return nil
}

func pairs(cells [][2]float64) [][]float64 {
	list := make([][]float64, len(cells))
	for i := range cells {
		list[i] = cells[i][:]
	}
	return list
}

// literal returns an output of float64 with the given elements.
func literal(spec drx.Spec, elements []float64) output {
	spec.DType, spec.FillValue = dtype.Float64, "NaN"
	return output{spec, func(a *drx.Array) error { return drx.Write(a, nil, elements) }}
}
