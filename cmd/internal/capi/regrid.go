package capi

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"drx/cmd/internal/result"
	"drx/dataset/regrid"
	"drx/dataset/stats"
)

// coarsenOptions are the options of drx_coarsen, as JSON.
type coarsenOptions struct {
	Windows  map[string]json.RawMessage `json:"windows"`
	Func     string                     `json:"func"`
	Boundary string                     `json:"boundary"`
	Memory   int                        `json:"memory"`
}

// Coarsen makes a dataset of statistics of windows of an array or a dataset, and returns a
// description as JSON.
func Coarsen(from, to, options string, progress Progress) (string, error) {
	o := coarsenOptions{Func: "mean", Boundary: "exact"}
	if err := parseOptions(options, &o); err != nil {
		return "", err
	}
	var how regrid.Coarsening
	var err error
	if how.Func, err = stats.ParseFunc(o.Func); err != nil {
		return "", invalidf("option func %q: want mean, sum, min, max, count, std, var, median, p90 or another statistic", o.Func)
	}
	if how.Boundary, err = regrid.ParseBoundary(o.Boundary); err != nil {
		return "", err
	}
	var windows []regrid.Window
	for _, dim := range slices.Sorted(maps.Keys(o.Windows)) {
		w, err := regrid.NewWindow(dim, textOf(o.Windows[dim]))
		if err != nil {
			return "", invalidf("option windows: %v", err)
		}
		windows = append(windows, w)
	}
	if windows == nil {
		return "", invalidf(`option windows is missing: want an object with the size of a window for each dimension, as {"lat": 4, "time": "1D"}`)
	}
	return remake(from, to, o.Memory, progress, func(ctx context.Context, r regrid.Options) (*regrid.Report, error) {
		return regrid.Coarsen(ctx, from, to, windows, how, r)
	})
}

// regridOptions are the options of drx_regrid, as JSON.
type regridOptions struct {
	To     json.RawMessage `json:"to"`
	Dims   []string        `json:"dims"`
	Method string          `json:"method"`
	Memory int             `json:"memory"`
}

// Regrid makes a dataset with the values of an array or a dataset at other coordinates, and returns
// a description as JSON.
func Regrid(from, to, options string, progress Progress) (string, error) {
	o := regridOptions{Method: "linear"}
	if err := parseOptions(options, &o); err != nil {
		return "", err
	}
	method, err := regrid.ParseMethod(o.Method)
	if err != nil {
		return "", err
	}
	grid, err := o.grid()
	if err != nil {
		return "", err
	}
	return remake(from, to, o.Memory, progress, func(ctx context.Context, r regrid.Options) (*regrid.Report, error) {
		return regrid.Regrid(ctx, from, to, grid, method, r)
	})
}

// grid returns the new coordinates.
func (o *regridOptions) grid() (grid regrid.Grid, err error) {
	var text string
	if json.Unmarshal(o.To, &text) == nil {
		if grid, err = regrid.ParseTarget(text, o.Dims); err != nil {
			return nil, notFound(text, err)
		}
		return grid, nil
	}
	var dims map[string][]json.RawMessage
	if json.Unmarshal(o.To, &dims) != nil || len(dims) == 0 || o.Dims != nil {
		return nil, invalidf(`option to: want the name of a dataset or an array, with or without dims, steps as "lat=-90:90:1", or ` +
			`an object with a list of numbers, dates and steps for each dimension`)
	}
	for _, dim := range slices.Sorted(maps.Keys(dims)) {
		var steps []string
		for _, value := range dims[dim] {
			steps = append(steps, textOf(value))
		}
		if grid, err = grid.Add(dim, steps...); err != nil {
			return nil, err
		}
	}
	return grid, nil
}

// textOf returns a JSON string, or other JSON as it is.
func textOf(value json.RawMessage) (text string) {
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(bytes.TrimSpace(value))
}

// remake makes a dataset and describes it as JSON.
func remake(from, to string, memory int, progress Progress, f func(context.Context, regrid.Options) (*regrid.Report, error)) (string, error) {
	var report *regrid.Report
	err := long(progress, func(ctx context.Context, count func(done, total int64)) (err error) {
		report, err = f(ctx, regrid.Options{Memory: memory, Progress: count})
		return err
	})
	if err != nil {
		return "", notFound(from, err)
	}
	return toJSON(result.NewRegridding(to, report))
}
