package regrid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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

// A Window is the number of consecutive indices of a dimension that are combined into one.
type Window struct {
	Dim string // its name in the dataset
	N   int    // 1 or more
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

// Coarsen creates the dataset to, in which each window of indices is combined into one, in all
// variables with such dimensions. Their values are those of stats.Compute: float64, or 64-bit
// integers if the statistic keeps integers. New coordinates are the means of the old ones, and
// their bounds the outer ones.
//
// The error is about the option "boundary" if a window does not divide its dimension, wraps
// dataset.ErrDim for a dimension that does not exist or is given twice, drx.ErrBounds for a window
// of no index or of more than there are, cube.ErrLabel for a dimension with labels, fs.ErrExist if
// the name is taken, drx.ErrOverflow for a sum that does not fit, or is that of stats.Compute, of
// ctx, of reading or of creating a dataset.
func Coarsen(ctx context.Context, from, to string, windows []Window, how Coarsening, o Options) (report *Report, err error) {
	j, err := newJob(ctx, from, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.close()) }()
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
	n := dim.Bounds.Len()
	if w.N < 1 || w.N > n {
		return errkind.Errorf(drx.ErrBounds, "dimension %s: a window of %d indices: want 1 to %d, which it has", dim.Name, w.N, n)
	}
	left := n % w.N
	if left > 0 && boundary == Exact {
		return optionerr.Wrong("boundary", Boundaries[boundary],
			"dimension %s has %d indices, which %d does not divide: trim leaves out the last %d, pad makes a smaller window of them", dim.Name, n, w.N, left)
	}
	a := &axis{old: dim.Bounds, n: nd.CeilDiv(n, w.N), window: w.N}
	if boundary == Trim {
		a.old.Hi, a.n = a.old.Hi-left, n/w.N
	}
	x, err := readValues(j.d, dim)
	if x == nil || err != nil {
		return errors.Join(err, j.setAxis(dim, a, nil, nil, nil, false))
	}
	at := make([]float64, a.n)
	var cells [][2]float64
	for i := range at {
		lo, hi := i*w.N, min((i+1)*w.N, n)
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
	if j.isAuxiliary(v) {
		if f = (stats.Func{Op: stats.Mean}); isEast(textOf(a, "units")) {
			return j.leaveOut(v, "longitudes of two dimensions have no mean where they begin again")
		}
	}
	spec, err := j.specOf(v)
	if err != nil {
		return err
	}
	sel := cube.Box(v.Bounds())
	for d, dim := range v.Dims() {
		if x := j.axes[dim]; x != nil {
			sel[d] = cube.Indices{x.old.By(1)}
		}
	}
	req, err := j.requestOf(v, sel, f)
	if err != nil {
		return err
	}
	t, attrs, err := stats.Describe(a, v.Axes(), &req, f)
	if err != nil {
		return err
	}
	spec.DType, spec.FillValue = t, nil
	fill, marked := fillOf(t, a)
	if marked = marked && !f.IsCount(); marked {
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

// requestOf returns the request for the windows within a selection.
func (j *job) requestOf(v *dataset.Variable, sel cube.Selection, f stats.Func) (stats.Request, error) {
	req := stats.Request{Select: sel, Over: []int{}, Funcs: []stats.Func{f}, Memory: workerBytes, Goroutines: 1}
	c, err := cube.Of(v.Array()) // goroutines must not share one
	if err != nil {
		return req, err
	}
	for d, dim := range v.Dims() {
		x := j.axes[dim]
		if x == nil {
			continue
		}
		g, err := stats.EveryN(c, sel, d, x.window)
		if err != nil {
			return req, err
		}
		req.Groups = append(req.Groups, g)
	}
	return req, nil
}

// fillCoarse computes the elements of a variable, block by block.
func (j *job) fillCoarse(v *dataset.Variable, to *drx.Array, f stats.Func, fill []byte, marked bool) error {
	return j.eachBlock(to, func(block nd.Section) error {
		sel := cube.Box(block)
		for d, dim := range v.Dims() {
			if x := j.axes[dim]; x != nil {
				lo := x.old.Lo + block[d].Lo*x.window
				sel[d] = cube.Indices{nd.Span(lo, min(lo+block[d].Len()*x.window, x.old.Hi)).By(1)}
			}
		}
		req, err := j.requestOf(v, sel, f)
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
