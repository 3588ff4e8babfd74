package capi

import (
	"context"
	"errors"
	"maps"
	"slices"

	"drx/cmd/internal/result"
	"drx/cube"
	"drx/dataset"
	"drx/nd"
)

// rearrangeOptions are the options of drx_cut and drx_sort, as JSON.
type rearrangeOptions struct {
	Plan   bool `json:"plan"`
	Resume bool `json:"resume"`
	Memory int  `json:"memory"`
}

// cutOptions are the options of drx_cut.
type cutOptions struct {
	rearrangeOptions
	Sel    []string         `json:"sel"`
	Method string           `json:"method"`
	At     map[string][]int `json:"at"`
}

// Cut copies an array or a dataset without some indices of a dimension, and returns a description
// as JSON.
func Cut(from, to, options string, progress Progress) (string, error) {
	o := cutOptions{Method: dataset.Exact.String()}
	if err := parseOptions(options, &o); err != nil {
		return "", err
	}
	dims, err := o.dims()
	if err != nil {
		return "", err
	}
	return o.run(from, to, progress, dims, o.choose)
}

// dims returns the dimensions that the options name.
func (o *cutOptions) dims() ([]string, error) {
	names := slices.Sorted(maps.Keys(o.At))
	for _, text := range o.Sel {
		conditions, err := cube.ParseConditions(text)
		if err != nil {
			return nil, err
		}
		for _, c := range conditions {
			if !slices.Contains(names, c.Dim) {
				names = append(names, c.Dim)
			}
		}
	}
	return names, nil
}

// choose selects the indices to keep: those that the options do not select.
func (o *cutOptions) choose(r *dataset.Rearranger) error {
	method, err := dataset.ParseMethod(o.Method)
	if err != nil {
		return invalidf("options: %v", err)
	}
	selected, err := r.Axes().Select(method, o.Sel...)
	if err != nil {
		return err
	}
	for name, at := range o.At {
		d, err := r.Array().Dim(name)
		if err != nil {
			return err
		}
		if len(at) != 2 && len(at) != 3 {
			return invalidf("option at: %s has %d numbers: want the first index, the last one plus 1, and a step, if it is not 1", name, len(at))
		}
		all := r.Axes().Bounds()
		if selected[d].Len() != all[d].Len() {
			return invalidf("options sel and at both select indices of %s: give one of them", name)
		}
		x := nd.Span(at[0], at[1])
		if len(at) == 3 {
			x = x.By(at[2])
		}
		all[d] = x
		lo, hi := r.Axes().Bounds().Bounds()
		if all, err = all.Resolve(lo, hi); err != nil {
			return err
		}
		selected[d] = cube.Indices{all[d]}
	}
	return r.Cut(selected)
}

// Sort copies an array or a dataset in the order of the coordinate of a dimension, or of its
// labels, and returns a description as JSON.
func Sort(from, to, by, options string, progress Progress) (string, error) {
	var o rearrangeOptions
	if err := parseOptions(options, &o); err != nil {
		return "", err
	}
	return o.run(from, to, progress, []string{by}, func(r *dataset.Rearranger) error {
		k, err := r.Array().Dim(by)
		if err != nil {
			return err
		}
		return r.Sort(k)
	})
}

// run opens the source, calls choose to select the indices, and copies.
func (o *rearrangeOptions) run(from, to string, progress Progress, dims []string, choose func(*dataset.Rearranger) error) (string, error) {
	if o.Memory < 0 {
		return "", invalidf("option memory %d: at least 0", o.Memory)
	}
	r, err := dataset.NewRearranger(from, dims...)
	if err != nil {
		return "", notFound(from, err)
	}
	if err := choose(r); err != nil {
		return "", errors.Join(err, r.Close())
	}
	if o.Plan {
		if err := r.Close(); err != nil {
			return "", err
		}
		return toJSON(result.NewRearrangement(to, result.Planned, r))
	}
	err = long(progress, func(ctx context.Context, report func(done, total int64)) error {
		return r.Copy(ctx, to, dataset.RearrangeOptions{Memory: o.Memory, Resume: o.Resume, Keep: true, Progress: report})
	})
	if err != nil {
		return "", err
	}
	return toJSON(result.NewRearrangement(to, result.Copied, r))
}
