package regrid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"drx/dataset"
	"drx/dataset/regrid/weights"
	"drx/dataset/stats"
	"drx/internal/errkind"
	"drx/optionerr"
)

// A Method computes values at new coordinates from the old ones.
type Method uint8

// The methods. Nearest copies the element at the nearest coordinate; of two at the same distance,
// the one at the larger coordinate. Linear interpolates between the neighbours along each
// dimension; the result is missing if a neighbour with a weight is missing, or outside of the
// source. Mean is the mean over the parts of old cells that are in the new cell, weighted by size
// (for latitudes by area), without missing values.
const (
	Nearest Method = iota
	Linear
	Mean
)

// Methods are the names of the methods.
var Methods = []string{Nearest: "nearest", Linear: "linear", Mean: "mean"}

// ParseMethod returns the method with a name. The error is about the option "method".
func ParseMethod(name string) (Method, error) {
	m := slices.Index(Methods, name)
	if m < 0 {
		return 0, optionerr.Wrong("method", name, "want %s", strings.Join(Methods, ", "))
	}
	return Method(m), nil
}

// A Grid has new coordinates of some dimensions.
type Grid []target

// A target has the new coordinate of a dimension: values, or steps of them.
type target struct {
	dim   string
	steps []string // as of Add, whose values follow when the old coordinate is known
	values
}

// mostSteps limits the number of values of one FIRST:LAST:STEP.
const mostSteps = 1 << 24

// ParseGrid reads new coordinates by dimension, as in "lat=-90:90:1,depth=0,10,50"; see Add. The
// error is about the option "to".
func ParseGrid(text string) (grid Grid, err error) {
	dim, steps := "", []string(nil)
	for _, item := range strings.Split(text, ",") {
		if next, rest, found := strings.Cut(item, "="); found {
			if steps != nil {
				if grid, err = grid.Add(dim, steps...); err != nil {
					return nil, err
				}
			}
			dim, steps, item = next, nil, rest
		}
		if dim == "" {
			return nil, optionerr.Wrong("to", text, "want steps or values by dimension, as in lat=-90:90:1,depth=0,10,50")
		}
		steps = append(steps, item)
	}
	return grid.Add(dim, steps...)
}

// Add returns the grid with a new coordinate of one more dimension: values in the units of the old
// coordinate, and first:last:step, both ends included, as in "-90:90:1". Of a coordinate of times
// they are also dates and periods of stats.ParsePeriod, as in "2020-01-01:2020-02-01:6h"; a date is
// its first moment. The error is about the option "to" if the dimension is given twice; Regrid
// returns the one about the steps.
func (g Grid) Add(dim string, steps ...string) (Grid, error) {
	if slices.ContainsFunc(g, func(t target) bool { return t.dim == dim }) {
		return nil, optionerr.Wrong("to", dim, "the dimension is given twice")
	}
	return append(slices.Clip(g), target{dim: dim, steps: steps}), nil
}

// expand sets the values of the steps, which follow from those of the source.
func (t *target) expand(x *values) (err error) {
	for _, step := range t.steps {
		switch numbers, wrong := appendSteps(t.at, step); {
		case wrong == nil:
			t.at = numbers
		case x.from.IsTime():
			err = t.appendTimes(step, x)
		default:
			err = wrong
		}
		if err != nil {
			return optionerr.Wrong("to", step, "dimension %s: %v", t.dim, err)
		}
	}
	return nil
}

// appendTimes appends a date, or the times of first:last:period, in the units of x. Times of day
// have colons too, so the first date ends at that colon which leaves two dates.
func (t *target) appendTimes(text string, x *values) error {
	units, _ := x.from.Units()
	calendar := units.Calendar
	if at, err := calendar.Parse(text); err == nil {
		t.at = append(t.at, units.Value(at.First))
		return nil
	}
	want := errors.New("want a date, a number as stored, or FIRST:LAST:STEP of numbers, or of dates and a period, as in 2020-01-01:2020-02-01:6h")
	colon := strings.LastIndexByte(text, ':')
	if colon < 0 {
		return want
	}
	dates, step := text[:colon], text[colon+1:]
	for i := range dates {
		if dates[i] != ':' {
			continue
		}
		first, err := calendar.Parse(dates[:i])
		last, lastErr := calendar.Parse(dates[i+1:])
		if err != nil || lastErr != nil {
			continue
		}
		period, err := stats.ParsePeriod(step)
		if err != nil {
			return fmt.Errorf("step %q: want 1 to 1000000 and s, min, h, D, W, M (months) or Y, as in 6h", step)
		}
		times, err := period.Steps(calendar, first.First, last.First)
		for _, time := range times {
			t.at = append(t.at, units.Value(time))
		}
		return err
	}
	return want
}

// appendSteps appends a value, or the values of first:last:step.
func appendSteps(values []float64, text string) ([]float64, error) {
	want := errors.New("want a number, or FIRST:LAST:STEP")
	var numbers []float64
	for _, part := range strings.Split(text, ":") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, want
		}
		numbers = append(numbers, v)
	}
	switch len(numbers) {
	case 1:
		return append(values, numbers[0]), nil
	case 3:
	default:
		return nil, want
	}
	first, last, step := numbers[0], numbers[1], numbers[2]
	if step == 0 || (last-first)/step < 0 {
		return nil, fmt.Errorf("steps of %v do not lead from %v to %v", step, first, last)
	}
	n := (last-first)/step + 1e-9 // decimal steps are not exact
	if !(n >= 0 && n < mostSteps) {
		return nil, fmt.Errorf("want 1 to %d steps from %v to %v", mostSteps, first, last)
	}
	for i := range int(n) + 1 {
		values = append(values, first+float64(i)*step)
	}
	return values, nil
}

// ParseTarget returns the grid that a text describes: that of ParseGrid if it has an equals sign,
// otherwise that of GridOf, the name of a dataset or an array. The error is about the option "dims"
// if they are given for the former, or that of either.
func ParseTarget(text string, dims []string) (Grid, error) {
	if !strings.Contains(text, "=") {
		return GridOf(text, dims)
	}
	if dims != nil {
		return nil, optionerr.Wrong("dims", strings.Join(dims, ","), "for a dataset or array only: leave out what does not count")
	}
	return ParseGrid(text)
}

// GridOf returns the coordinates of a dataset, or of an array. dims, if not nil, are those that
// count. The error is that of dataset.Open or of reading, or wraps dataset.ErrDim for dimensions
// without a coordinate.
func GridOf(name string, dims []string) (grid Grid, err error) {
	d, only, err := open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Discard()) }()
	var own []string
	if only != "" {
		v, err := d.Variable(only)
		if err != nil {
			return nil, err
		}
		own = v.Dims()
	}
	for _, dim := range d.Dims() {
		if dims != nil && !slices.Contains(dims, dim.Name) || only != "" && !slices.Contains(own, dim.Name) || !dim.HasCoordinate {
			continue
		}
		x, err := readValues(d, dim)
		if err != nil {
			return nil, err
		}
		grid = append(grid, target{dim: dim.Name, values: *x})
	}
	for _, dim := range dims {
		if !slices.ContainsFunc(grid, func(t target) bool { return t.dim == dim }) {
			return nil, errkind.Errorf(dataset.ErrDim, "%s: no coordinate of a dimension %s", name, dim)
		}
	}
	if grid == nil {
		return nil, errkind.Errorf(dataset.ErrDim, "%s: no dimension has a coordinate", name)
	}
	return grid, nil
}

// Regrid creates the dataset to, in which the dimensions of the grid have its coordinates, in all
// variables with such dimensions. Dimensions that have these coordinates already are not changed;
// dimensions of a GridOf that the source does not have are ignored. Longitudes in degrees east are
// compared modulo 360. Nearest keeps the stored elements and their attributes. Linear and Mean give
// unpacked values, float32 from arrays of float32 and float64 from others, and NaN for missing
// ones.
//
// The error is about the option "to" for steps that are none, wraps dataset.ErrDim for a dimension
// that does not exist, has no coordinate, or whose units differ; dataset.ErrValue for a coordinate
// that does not ascend or descend; drx.ErrDType for an array whose values cannot be mixed;
// cube.ErrLabel for a dimension with labels; fs.ErrExist if the name is taken; or is of ctx, of
// reading or of creating a dataset.
func Regrid(ctx context.Context, from, to string, grid Grid, m Method, o Options) (report *Report, err error) {
	j, err := newJob(ctx, from, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	for _, t := range grid {
		if err := j.regridDim(t, m); err != nil {
			return nil, err
		}
	}
	if len(j.axes) == 0 {
		return nil, errkind.Errorf(dataset.ErrDim, "%s has none of the dimensions of the grid, or lies on it already", from)
	}
	if m == Nearest {
		return j.run(to, j.planPicked)
	}
	return j.run(to, func(v *dataset.Variable) error { return j.planMixed(v, m) })
}

// regridDim plans the new coordinate of a dimension.
func (j *job) regridDim(t target, m Method) error {
	dim, err := j.d.Dim(t.dim)
	if err != nil {
		if t.from != nil { // of GridOf
			return nil
		}
		return err
	}
	x, err := readValues(j.d, dim)
	if err != nil {
		return err
	}
	if x == nil || len(x.at) == 0 {
		return errkind.Errorf(dataset.ErrDim, "%s: dimension %s has no coordinate, between whose values others could lie", j.d.Folder(), dim.Name)
	}
	if err := x.monotone(dim.Name); err != nil {
		return err
	}
	steps := t.from == nil
	if err := errors.Join(t.expand(x), t.convertTo(x)); err != nil {
		return err
	}
	if slices.Equal(t.at, x.at) {
		return nil
	}
	if x.isLongitude() && steps && len(t.at) > 1 && math.Abs(t.at[len(t.at)-1]-t.at[0]) == 360 {
		t.at = t.at[:len(t.at)-1]
		j.report.Notes = append(j.report.Notes, fmt.Sprintf("%s ends before %v, which is %v", dim.Name, t.at[0]+360, t.at[0]))
	}
	source := weights.Axis{Values: x.at, Sphere: x.isLatitude()}
	if x.isLongitude() {
		source.Period = 360
	}
	a, cells := &axis{old: dim.Bounds, n: len(t.at)}, t.cells
	switch m {
	case Nearest:
		a.pick = weights.Nearest(source, t.at)
		for i := range a.pick {
			a.pick[i] += dim.Bounds.Lo
		}
	case Linear:
		a.matrix = weights.Linear(source, t.at)
	case Mean:
		if source.Cells, err = x.ordered(dim.Name, source.Sphere); err != nil {
			return err
		}
		if cells, err = t.ordered(dim.Name, source.Sphere); err != nil {
			return err
		}
		a.matrix = weights.Mean(source, cells)
	}
	if a.matrix != nil && a.matrix.IsEmpty() {
		j.report.Notes = append(j.report.Notes, fmt.Sprintf("no new value of %s is in the source, from %s to %s, so all results are missing", dim.Name, number(x.at[0]), number(x.at[len(x.at)-1])))
	}
	return j.setAxis(dim, a, &t.values, t.at, cells, source.Period > 0)
}

// convertTo converts the values to the units of the source, unless they come from ParseGrid, which
// uses these.
func (t *target) convertTo(x *values) error {
	if t.from == nil {
		t.from, t.attrs = x.from, x.attrs
		return nil
	}
	mine, theirs := t.from.Attr("units"), x.from.Attr("units")
	switch {
	case mine == theirs && t.from.Attr("calendar") == x.from.Attr("calendar"), t.isLatitude() && x.isLatitude(), t.isLongitude() && x.isLongitude():
		return nil
	case t.from.IsTime() && x.from.IsTime():
		units, _ := x.from.Units()
		if own, _ := t.from.Units(); own.Calendar != units.Calendar {
			break
		}
		first := t.from.Bounds().Lo
		for i := range t.at {
			time, _ := t.from.Time(first + i)
			t.at[i] = units.Value(time)
		}
		t.attrs, t.cells = x.attrs, nil
		return nil
	}
	return errkind.Errorf(dataset.ErrDim, "dimension %s: the units of the grid are %q, and %q in the source: make them equal", t.dim, mine, theirs)
}

// ordered returns the cells of the values with the lower edge first: their bounds, or else the
// midpoints between neighbours. The error wraps dataset.ErrValue if there are none, or if they
// overlap.
func (x *values) ordered(dim string, sphere bool) ([][2]float64, error) {
	if err := x.monotone(dim); err != nil {
		return nil, err
	}
	cells := slices.Clone(x.cells)
	if cells == nil {
		cells = weights.Cells(x.at, sphere)
	}
	if cells == nil {
		return nil, errkind.Errorf(dataset.ErrValue, "coordinate %s: one value without bounds has no cell: give it bounds, or use another method", dim)
	}
	for i, c := range cells {
		cells[i] = [2]float64{min(c[0], c[1]), max(c[0], c[1])}
		if i == 0 {
			continue
		}
		low, high := cells[i-1], cells[i]
		if x.at[1] < x.at[0] {
			low, high = high, low
		}
		if overlap := low[1] - high[0]; overlap > 1e-6*(high[1]-high[0]) {
			return nil, errkind.Errorf(dataset.ErrValue, "coordinate %s: the bounds of index %d overlap those before: want cells side by side", dim, i)
		}
	}
	return cells, nil
}
