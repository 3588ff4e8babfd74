// Package rows loads tables with a row for each point into datasets: some columns have the
// coordinates of the point, and each of the others the value of a variable.
//
//	t := rows.Table{Dims: []string{"time", "station"}, Vars: []string{"temp", "rain"}, CSV: cube.CSV{
//		Coords: []string{"time", "station"}, Values: []string{"temp", "rain"}}}
//	err = t.Create(d, sample, drx.Spec{DType: dtype.Float64})
//	result, err := t.Append(ctx, d, cube.NewCSV(file, t.CSV.Table))
//	err = d.Sync()
//
// The values of a column of times become a coordinate of the dataset, those of other columns
// labels, which docs/LABELS.md specifies, of all variables with the dimension. A dimension whose
// coordinate exists has its values, times or numbers, in tables, too. What is new in a table
// extends the dimension, in the order of appearance.
package rows

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dtype"
	"drx/formats/texttable"
	"drx/internal/errkind"
)

// A Table says which columns of a table belong to which dimensions and variables.
type Table struct {
	Dims []string // of all variables; CSV.Coords are their columns
	Vars []string // CSV.Values are their columns
	CSV  cube.CSV // without Wide
}

// A Result says what Append has added.
type Result struct {
	Rows     int
	Unsorted []string // dimensions whose coordinate has got times that are not in order
}

// Create creates the variables that the dataset lacks, and coordinates of times for dimensions
// whose values in the sample are times. spec is that of the variables, without dimensions and
// extents. Units in a heading become the attribute units. Nothing is durable before the
// dataset's Sync. The error is that of dataset.CreatePending, or wraps texttable.ErrDoubt for dates
// that may mean two things.
func (t Table) Create(d *dataset.Dataset, sample cube.Sample, spec drx.Spec) error {
	have := d.Variables()
	missing := slices.ContainsFunc(t.Vars, func(name string) bool { return !slices.Contains(have, name) })
	if !missing {
		return nil
	}
	spec.Dims = t.Dims
	spec.Shape, spec.Lo = make([]int, len(t.Dims)), make([]int, len(t.Dims))
	for k, name := range t.Dims {
		if dim, err := d.Dim(name); err == nil {
			spec.Shape[k], spec.Lo[k] = dim.Bounds.Len(), dim.Bounds.Lo
			continue
		}
		times, err := timesOf(sample.Coords[k], t.CSV.Table)
		if err == nil && times != nil {
			times.Dims = []string{name}
			_, err = d.CreatePending(name, *times)
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", t.CSV.Coords[k], err)
		}
	}
	for i, name := range t.Vars {
		if slices.Contains(have, name) {
			continue
		}
		own := spec
		if _, units := texttable.CutUnits(sample.Headings[i]); units != "" {
			own.Attrs = map[string]any{"units": units}
		}
		own.Dims = slices.Clone(t.Dims)
		v, err := d.CreatePending(name, own)
		if err == nil {
			err = copyLabels(d, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Append adds the rows of a table to the variables, which must all have the dimensions of the
// table, and no others. Nothing is durable before the dataset's Sync; after an error Discard undoes
// what was added. The error is that of cube.Loader.AddRows, or wraps dataset.ErrVariable,
// dataset.ErrDim, or drx.ErrDType for a coordinate that cannot grow by the values of a table.
func (t Table) Append(ctx context.Context, d *dataset.Dataset, in cube.Source) (res Result, err error) {
	var arrays []*drx.Array
	var order []string
	for _, name := range t.Vars {
		v, err := d.Variable(name)
		if err != nil {
			return res, err
		}
		dims := v.Dims()
		if order == nil {
			order = dims
		}
		sorted := func(list []string) []string { return slices.Sorted(slices.Values(list)) }
		if !slices.Equal(sorted(dims), sorted(t.Dims)) || !slices.Equal(dims, order) {
			return res, errkind.Errorf(dataset.ErrDim, "variable %s has the dimensions %q, the table has columns for %q", name, dims, t.Dims)
		}
		arrays = append(arrays, v.Array())
	}
	o := t.CSV
	o.Coords = make([]string, len(order))
	axes, rows := make([]cube.Axis, len(order)), make([]axis, len(order))
	for k, dim := range order {
		o.Coords[k] = t.CSV.Coords[slices.Index(t.Dims, dim)]
		if rows[k], err = newAxis(d, dim, t.CSV.Table); err != nil {
			return res, err
		}
		axes[k] = rows[k]
	}
	l, err := cube.NewLoader(axes, o.Combine, arrays...)
	if err != nil {
		return res, err
	}
	if res.Rows, err = l.AddRows(ctx, in, o); err != nil {
		return res, err
	}
	if err := l.Flush(); err != nil {
		return res, err
	}
	for k, x := range rows {
		if err := x.store(); err != nil {
			return res, err
		}
		if c, ok := x.(*coordinateAxis); ok && c.unsorted {
			res.Unsorted = append(res.Unsorted, order[k])
		}
	}
	return res, nil
}

// timesOf returns the spec of a coordinate of times for a column with these values; nil if one of
// them is no time.
func timesOf(column []string, o texttable.Options) (*drx.Spec, error) {
	times, err := o.ParseTimes(column)
	if errors.Is(err, texttable.ErrTime) || len(column) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	units, _, err := texttable.UnitsOf(times)
	if err != nil {
		return nil, err
	}
	return &drx.Spec{DType: dtype.Int64, Shape: []int{0}, Attrs: map[string]any{"units": units, "calendar": "standard", "standard_name": "time"}}, nil
}
