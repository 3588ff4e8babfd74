package capi

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dataset/stats"
)

// statsOptions are the options of drx_stats, as JSON.
type statsOptions struct {
	Functions  []string `json:"functions"`
	Over       []string `json:"over"`
	Select     string   `json:"select"`
	By         string   `json:"by"`
	Every      string   `json:"every"`
	Rolling    int      `json:"rolling"`
	GroupDim   string   `json:"group_dim"`
	Area       bool     `json:"area"`
	DDOF       int      `json:"ddof"`
	Memory     int      `json:"memory"`
	Goroutines int      `json:"goroutines"`
	Binary     bool     `json:"binary"`
	Out        string   `json:"out"`

	Groups  map[string]string `json:"groups"`  // of each label
	Windows map[string]int    `json:"windows"` // the number of indices in a window of each dimension
}

// statsResult is what drx_stats returns, as JSON.
type statsResult struct {
	Dims       []string    `json:"dims"`
	Shape      []int       `json:"shape"`
	Groups     []string    `json:"groups,omitempty"`
	Counts     []int64     `json:"counts,omitempty"`
	CountsData []byte      `json:"counts_data,omitempty"`
	Statistics []statistic `json:"statistics"`
}

// A statistic has the values of one function: as JSON, or as bytes.
type statistic struct {
	Name   string            `json:"name"`
	DType  string            `json:"dtype"`
	Values []json.RawMessage `json:"values,omitempty"`
	Data   []byte            `json:"data,omitempty"` // base64
}

// Stats computes statistics of an array and returns them as JSON.
func Stats(h Handle, options string, progress Progress) (result string, err error) {
	a, err := arrays.get(h)
	if err != nil {
		return "", err
	}
	var o statsOptions
	if err := parseOptions(options, &o); err != nil {
		return "", err
	}
	axes, err := dataset.AxesOf(a.Array)
	if err != nil {
		return "", err
	}
	req, err := o.request(a, axes)
	if err != nil {
		return "", err
	}
	var made stats.SaveReport
	var r *stats.Result
	err = long(progress, func(ctx context.Context, report func(done, total int64)) (err error) {
		done, total := int64(0), int64(1)
		for _, x := range req.Select {
			total *= int64(x.Len())
		}
		req.Progress = func(elements int) {
			done += int64(elements)
			report(done, max(done, total))
		}
		if r, err = stats.Compute(ctx, a.Array, req); err == nil && o.Out != "" {
			made, err = stats.Save(ctx, o.Out, a.Array, axes, &req, r)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	if o.Out != "" {
		return toJSON(savedStats{made.Dataset, made.Variables})
	}
	return toJSON(newStatsResult(a.Array, r, o.Binary, o.Windows != nil))
}

// savedStats is what drx_stats returns about new arrays, as JSON.
type savedStats struct {
	Dataset    string   `json:"dataset,omitempty"`
	Statistics []string `json:"statistics"`
}

// request returns the request that the options describe.
func (o *statsOptions) request(a *array, axes *dataset.Axes) (stats.Request, error) {
	req := stats.Request{DDOF: o.DDOF, Memory: o.Memory, Goroutines: o.Goroutines}
	if o.DDOF < 0 || o.Memory < 0 || o.Goroutines < 0 {
		return req, invalidf("options ddof %d, memory %d, goroutines %d: at least 0", o.DDOF, o.Memory, o.Goroutines)
	}
	for _, name := range o.Functions {
		f, err := stats.ParseFunc(name)
		if err != nil {
			return req, invalidf("%v", err)
		}
		req.Funcs = append(req.Funcs, f)
	}
	if o.Over != nil {
		req.Over = []int{}
	}
	for _, text := range o.Over {
		d, err := a.Dim(text)
		if err != nil {
			return req, err
		}
		req.Over = append(req.Over, d)
	}
	var err error
	req.Select = cube.Box(axes.Bounds())
	if o.Select != "" {
		if req.Select, err = axes.Select(dataset.Usual, o.Select); err != nil {
			return req, err
		}
	}
	if o.Area {
		if req.Weights, err = stats.AreaWeights(a.Array, axes); err != nil {
			return req, err
		}
	}
	req.Groups, err = o.grouping(a.Array, axes, req.Select)
	return req, err
}

// grouping returns the groups that the options ask for, nil for none.
func (o *statsOptions) grouping(a *drx.Array, axes *dataset.Axes, sel cube.Selection) ([]*stats.Grouping, error) {
	one := o.By != "" || o.Every != "" || o.Rolling != 0 || o.Groups != nil
	switch {
	case one && o.Windows != nil:
		return nil, invalidf("option windows excludes by, groups, every and rolling")
	case o.Windows != nil:
		return o.windows(a, axes, sel)
	case !one:
		return nil, nil
	}
	if o.GroupDim == "" {
		return nil, invalidf("option group_dim is missing: name the dimension of by, groups, every or rolling")
	}
	dim, err := a.Dim(o.GroupDim)
	if err != nil {
		return nil, err
	}
	c, err := axes.Cube()
	if err != nil {
		return nil, err
	}
	var g *stats.Grouping
	n, notNumber := strconv.Atoi(o.Every)
	switch {
	case o.Groups != nil:
		g, err = stats.ByTable(c, sel, dim, cmp.Or(o.By, "group"), o.Groups)
	case o.By != "":
		g, err = stats.By(a, axes, sel, dim, strings.Split(o.By, "/")...)
	case o.Every != "" && notNumber == nil:
		g, err = stats.EveryN(c, sel, dim, n)
	case o.Every != "":
		var p stats.Period
		if p, err = stats.ParsePeriod(o.Every); err == nil {
			g, err = stats.EveryPeriod(a, axes, sel, dim, p)
		}
	default:
		g, err = stats.Rolling(c, sel, dim, o.Rolling)
	}
	return []*stats.Grouping{g}, err
}

// windows returns the windows of indices of each dimension that has any.
func (o *statsOptions) windows(a *drx.Array, axes *dataset.Axes, sel cube.Selection) (groups []*stats.Grouping, err error) {
	c, err := axes.Cube()
	if err != nil {
		return nil, err
	}
	for name, n := range o.Windows {
		dim, err := a.Dim(name)
		if err != nil {
			return nil, err
		}
		g, err := stats.EveryN(c, sel, dim, n)
		if err != nil {
			return nil, err
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// newStatsResult describes a result. The groups of windows have no names of their own.
func newStatsResult(a *drx.Array, r *stats.Result, binary, windows bool) statsResult {
	s := statsResult{Dims: []string{}, Shape: r.Shape()}
	for _, x := range r.Axes {
		s.Dims = append(s.Dims, a.Dims()[x.Dim])
		if x.Group != nil && !windows {
			s.Groups = x.Group.Names
		}
	}
	if binary {
		for _, n := range r.Count {
			s.CountsData = append(s.CountsData, byte(min(n, 1)))
		}
	} else {
		s.Counts = r.Count
	}
	for k := range r.Columns {
		column := &r.Columns[k]
		one := statistic{Name: column.Func.String(), DType: column.DType.String()}
		if binary {
			one.Data = column.Data
		} else {
			for i := range r.Count {
				one.Values = append(one.Values, r.JSON(column, i))
			}
		}
		s.Statistics = append(s.Statistics, one)
	}
	return s
}
