package regrid

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dataset/stats"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
	"drx/optionerr"
)

// A Window says which consecutive indices of a dimension become one: N of them, or those of the
// same period.
type Window struct {
	Dim   string       // its name in the dataset
	N     int          // 1 or more
	Every stats.Period // of times that do not descend; zero for N
}

// NewWindow returns a window of a number of indices, or of a period of stats.ParsePeriod, as 4 or
// 1D. The error wraps fs.ErrInvalid.
func NewWindow(dim, size string) (w Window, err error) {
	w.Dim = dim
	if w.N, err = strconv.Atoi(size); err != nil {
		w.Every, err = stats.ParsePeriod(size)
	}
	if err != nil || dim == "" {
		return w, errkind.Errorf(fs.ErrInvalid,
			"%q: want a dimension and a number of indices, as in lat=4, or a period: 1 to 1000000 and s, min, h, D, W, M (months) or Y, as in time=1D", dim+"="+size)
	}
	return w, nil
}

// ParseWindows reads windows, as in "time=1D,lat=4,lon=4". The error is that of NewWindow.
func ParseWindows(text string) (windows []Window, err error) {
	for _, item := range strings.Split(text, ",") {
		dim, size, _ := strings.Cut(item, "=")
		w, err := NewWindow(dim, size)
		if err != nil {
			return nil, err
		}
		windows = append(windows, w)
	}
	return windows, nil
}

// A Boundary says what happens to indices at the end that do not fill a window.
type Boundary uint8

// The boundaries. Exact refuses such indices, Trim omits them, Pad makes a smaller window of them.
const (
	Exact Boundary = iota
	Trim
	Pad
)

// Boundaries are the names of the boundaries.
var Boundaries = []string{Exact: "exact", Trim: "trim", Pad: "pad"}

// ParseBoundary returns the boundary with a name. The error is about the option "boundary".
func ParseBoundary(name string) (Boundary, error) {
	b := slices.Index(Boundaries, name)
	if b < 0 {
		return 0, optionerr.Wrong("boundary", name, "want %s", strings.Join(Boundaries, ", "))
	}
	return Boundary(b), nil
}

// A Coarsening says how the elements of a window are combined.
type Coarsening struct {
	Func     stats.Func // of the elements of a window; coordinates are means
	Boundary Boundary   // for the remaining indices at the end of a dimension
}

// Coarsen makes the dataset to, in which each window of indices has become one, in all variables
// that have such dimensions. Their values are those of stats.Compute: float64, or 64-bit integers
// where statistics keep them. New coordinates are the means of the old ones, their bounds the outer
// ones; that of a period is its beginning, and its bounds the beginning and the end. A period
// without times has no value.
//
// The error is about the option "boundary" if a window does not divide its dimension or all windows
// are of periods, which need no boundary; it wraps
// dataset.ErrDim for a dimension that does not exist, is given twice or has no times for a period,
// dataset.ErrValue for times that descend, drx.ErrBounds for a window
// of no index or of more than there are, cube.ErrLabel for a dimension with labels, fs.ErrExist if
// the name is taken, drx.ErrOverflow for a sum that does not fit, or is that of stats.Compute, of
// ctx, of reading or of creating a dataset.
func Coarsen(ctx context.Context, from, to string, windows []Window, how Coarsening, o Options) (report *Report, err error) {
	j, err := newJob(ctx, from, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	counts := func(w Window) bool { return w.Every == (stats.Period{}) }
	if how.Boundary != Exact && !slices.ContainsFunc(windows, counts) {
		return nil, optionerr.Wrong("boundary", Boundaries[how.Boundary], "is for windows of a number of indices; those of periods may have any number: leave the option out")
	}
	for _, w := range windows {
		if err := j.coarsenDim(w, how.Boundary); err != nil {
			return nil, err
		}
	}
	return j.run(to, func(v *dataset.Variable) error { return j.planCoarse(v, how.Func) })
}

// coarsenDim plans the windows of a dimension and its new coordinate.
func (j *job) coarsenDim(w Window, boundary Boundary) error {
	dim, err := j.d.Dim(w.Dim)
	if err != nil {
		return err
	}
	if j.axes[dim.Name] != nil {
		return errkind.Errorf(dataset.ErrDim, "dimension %s is given twice", dim.Name)
	}
	x, err := readValues(j.d, dim)
	if err != nil {
		return err
	}
	a := &axis{old: dim.Bounds, window: w.N}
	if w.Every != (stats.Period{}) {
		return j.coarsenTimes(dim, a, x, w.Every)
	}
	n := dim.Bounds.Len()
	if w.N < 1 || w.N > n {
		return errkind.Errorf(drx.ErrBounds, "dimension %s: a window of %d indices: want 1 to %d, which it has", dim.Name, w.N, n)
	}
	if left := n % w.N; left > 0 && boundary == Exact {
		return optionerr.Wrong("boundary", Boundaries[boundary],
			"dimension %s has %d indices, which %d does not divide: trim leaves out the last %d, pad makes a smaller window of them", dim.Name, n, w.N, left)
	} else if boundary == Trim {
		n -= left
	}
	a.old.Hi = a.old.Lo + n
	for lo := 0; lo < n; lo += w.N {
		a.ends = append(a.ends, min(lo+w.N, n))
	}
	a.n = len(a.ends)
	if x == nil {
		return j.setAxis(dim, a, nil, nil, nil, false)
	}
	at := make([]float64, a.n)
	var cells [][2]float64
	for i, hi := range a.ends {
		lo := i * w.N
		for _, v := range x.at[lo:hi] {
			at[i] += (v - x.at[lo]) / float64(hi-lo) // differences are exact even for large values
		}
		at[i] += x.at[lo]
		if x.cells != nil {
			cells = append(cells, union(x.cells[lo:hi]))
		}
	}
	return j.setAxis(dim, a, x, at, cells, false)
}

// coarsenTimes plans a window for each period of a coordinate of times.
func (j *job) coarsenTimes(dim dataset.Dim, a *axis, x *values, every stats.Period) error {
	if x == nil || !x.from.IsTime() {
		return errkind.Errorf(dataset.ErrDim, "%s: dimension %s has no coordinate of times, with units such as \"days since 2000-01-01\": give a number of indices", j.d.Folder(), dim.Name)
	}
	for i := 1; i < len(x.at); i++ {
		if x.at[i] < x.at[i-1] {
			return errkind.Errorf(dataset.ErrValue, "coordinate %s: %s follows %s: want times that do not descend; drx sort orders them", dim.Name, number(x.at[i]), number(x.at[i-1]))
		}
	}
	v, err := j.d.Variable(dim.Name)
	if err != nil {
		return err
	}
	begins, ends, err := stats.PeriodsOf(v.Array(), v.Axes(), cube.Box(v.Bounds()), 0, every)
	if err != nil {
		return err
	}
	units, _ := x.from.Units()
	at, cells := make([]float64, len(ends)), make([][2]float64, len(ends))
	for i := range ends {
		cells[i] = [2]float64{units.Value(begins[i]), units.Value(begins[i+1])}
		at[i] = cells[i][0]
	}
	a.n, a.ends = len(ends), ends
	return j.setAxis(dim, a, x, at, cells, false)
}

// union returns the outer edges of cells, in the order of those of the first cell.
func union(cells [][2]float64) [2]float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range cells {
		low, high = min(low, c[0], c[1]), max(high, c[0], c[1])
	}
	if cells[0][0] > cells[0][1] {
		return [2]float64{high, low}
	}
	return [2]float64{low, high}
}

// planCoarse plans the statistic over windows for a variable. For coordinates it is the mean.
func (j *job) planCoarse(v *dataset.Variable, f stats.Func) error {
	a := v.Array()
	if a.DType().IsComplex() {
		return j.leaveOut(v, "complex numbers have no statistics")
	}
	if a.Attrs()["import.strings"] != nil && !f.IsCount() {
		return j.leaveOut(v, "its values are strings, which can only be counted")
	}
	if j.isAuxiliary(v) {
		if f = (stats.Func{Op: stats.Mean}); isEast(textOf(a, "units")) {
			return j.leaveOut(v, "longitudes of two dimensions have no mean where they begin again")
		}
	}
	spec, err := j.specOf(v)
	if err != nil {
		return err
	}
	all := v.Bounds()
	for d, dim := range v.Dims() {
		if x := j.axes[dim]; x != nil {
			all[d] = nd.Span(0, x.n).By(1)
		}
	}
	req, err := j.requestOf(v, all, f)
	if err != nil {
		return err
	}
	t, attrs, err := stats.Describe(a, v.Axes(), &req, f)
	if err != nil {
		return err
	}
	spec.DType, spec.FillValue = t, nil
	fill, marked := fillOf(t, a)
	if marked = (marked || j.hasGaps(v)) && !f.IsCount(); marked {
		spec.FillValue = t.Format(fill)
	}
	j.carryAttrs(v, attrs)
	j.scaleTransform(v, attrs)
	spec.Attrs = attrs
	j.report.Variables = append(j.report.Variables, v.Name())
	j.outputs[v.Name()] = output{spec, func(to *drx.Array) error {
		return j.fillCoarse(v, to, f, fill, marked)
	}}
	return nil
}

// fillOf returns the fill value, for windows without a value, and whether there may be any.
func fillOf(t dtype.DType, a *drx.Array) (fill []byte, marked bool) {
	text := "NaN"
	switch t {
	case dtype.Int64:
		text = "-9223372036854775808"
	case dtype.Uint64:
		text = "18446744073709551615"
	}
	fill, _ = t.Encode(text) // valid for these types
	missing, err := stats.MayBeMissing(a)
	return fill, missing || err != nil || t == dtype.Float64
}

// hasGaps reports whether windows of a variable have no index.
func (j *job) hasGaps(v *dataset.Variable) bool {
	return slices.ContainsFunc(v.Dims(), func(dim string) bool { return j.axes[dim] != nil && j.axes[dim].hasGap() })
}

// requestOf returns the request for the windows in a block of the result.
func (j *job) requestOf(v *dataset.Variable, block nd.Section, f stats.Func) (stats.Request, error) {
	req := stats.Request{Select: cube.Box(block), Over: []int{}, Funcs: []stats.Func{f}, Memory: workerBytes, Goroutines: 1}
	c, err := cube.Of(v.Array()) // each goroutine needs one of its own
	if err != nil {
		return req, err
	}
	for d, dim := range v.Dims() {
		x := j.axes[dim]
		if x == nil {
			continue
		}
		indices, ends := x.windows(block[d])
		req.Select[d] = cube.Indices{indices}
		req.Groups = append(req.Groups, stats.Consecutive(c, req.Select, d, ends))
	}
	return req, nil
}

// fillCoarse computes the elements of a variable, block by block.
func (j *job) fillCoarse(v *dataset.Variable, to *drx.Array, f stats.Func, fill []byte, marked bool) error {
	return j.eachBlock(to, func(block nd.Section) error {
		req, err := j.requestOf(v, block, f)
		if err != nil {
			return err
		}
		r, err := stats.Compute(j.ctx, v.Array(), req)
		if err != nil {
			return err
		}
		column := &r.Columns[0]
		for i := range r.Count {
			switch {
			case !r.Has(column, i) && marked:
				copy(column.Value(i), fill)
			case column.DType != dtype.Float64 && marked && string(column.Value(i)) == string(fill):
				return fmt.Errorf("%s: a result is %s, which marks results without a value: %w", to.Name(), column.DType.Format(fill), drx.ErrOverflow)
			}
		}
		return to.WriteBytes(block, column.Data, nil)
	})
}
