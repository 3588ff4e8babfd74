package stats

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/cube"
	"drx/dataset"
	"drx/dtype"
	"drx/nd"
)

// newWeather returns the variable rain(time, y, x) of a dataset with hourly times over two days. x
// has no coordinate, y is packed, and lat(y, x) and height are auxiliary coordinates. Row 1 of y
// has no values.
func newWeather(t *testing.T) (folder string, rain *drx.Array) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "weather")
	d, err := dataset.Create(folder, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	specs := map[string]drx.Spec{
		"time": {DType: dtype.Int32, Shape: []int{48}, Dims: []string{"time"}, Attrs: map[string]any{"units": "hours since 2024-01-31"}},
		"y": {
			DType: dtype.Int16, Shape: []int{3}, Lo: []int{-1}, Dims: []string{"y"}, FillValue: -9,
			Attrs: map[string]any{"scale_factor": 0.5, "units": "km", "bounds": "y_b"},
		},
		"y_b":    {DType: dtype.Int16, Shape: []int{3, 2}, Lo: []int{-1, 0}, Dims: []string{"y", "two"}},
		"lat":    {DType: dtype.Float32, Shape: []int{3, 2}, Lo: []int{-1, 0}, Dims: []string{"y", "x"}, Attrs: map[string]any{"units": "degrees_north"}},
		"height": {DType: dtype.Float32, Shape: []int{1}, Dims: []string{""}, Attrs: map[string]any{"import.scalar": true}},
		"rain": {
			DType: dtype.Int16, Shape: []int{48, 3, 2}, Lo: []int{0, -1, 0}, Dims: []string{"time", "y", "x"}, FillValue: -1,
			Attrs: map[string]any{
				"units": "mm h-1", "standard_name": "rainfall_rate", "scale_factor": 2, "valid_min": 0, "_FillValue": -1,
				"coordinates": "lat height aux", "cell_methods": "area: mean", "levels": make([]int, 48), "columns": []string{"a", "b"},
			},
		},
	}
	err = d.CreateAll(nil, specs, func(name string, a *drx.Array) error {
		n, _ := a.Bounds().Len()
		var b []byte
		for i := range n {
			v := float64(i)
			if name == "rain" && i/2%3 == 1 {
				v = -1
			}
			e, _ := a.DType().EncodeValue(v)
			b = append(b, e...)
		}
		return a.WriteBytes(nil, b, nil)
	})
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	if rain, err = drx.Open(filepath.Join(folder, "rain"), drx.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rain.Close() })
	return folder, rain
}

// saveAs computes statistics and stores them.
func saveAs(t *testing.T, name string, a *drx.Array, req Request) (SaveReport, *Result, error) {
	t.Helper()
	axes, err := dataset.AxesOf(a)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compute(context.Background(), a, req)
	if err != nil {
		t.Fatal(err)
	}
	made, err := Save(context.Background(), name, a, axes, &req, r)
	return made, r, err
}

// describeDataset returns the attributes and the texts of the elements of all variables.
func describeDataset(t *testing.T, folder string) map[string]string {
	t.Helper()
	d, err := dataset.Open(folder, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	all := map[string]string{}
	for _, name := range d.Variables() {
		v, err := d.Variable(name)
		if err != nil {
			t.Fatal(err)
		}
		a := v.Array()
		n, _ := a.Bounds().Len()
		b := make([]byte, n*a.DType().Size())
		if err := a.ReadBytes(nil, b, nil); err != nil {
			t.Fatal(err)
		}
		text := []string{a.DType().String(), a.Bounds().String(), strings.Join(a.Dims(), ",")}
		for i := range min(n, 4) {
			text = append(text, a.DType().Format(b[i*a.DType().Size():][:a.DType().Size()]))
		}
		attrs := a.Attrs()
		for _, attr := range slices.Sorted(maps.Keys(attrs)) {
			text = append(text, attr+"="+string(attrs[attr]))
		}
		all[name] = strings.Join(text, " ")
	}
	return all
}

// A result becomes a dataset with the remaining coordinates, cut like the array; units,
// cell_methods and missing values are those of the statistic.
func TestSaveDataset(t *testing.T) {
	folder, rain := newWeather(t)
	axes, err := dataset.AxesOf(rain)
	if err != nil {
		t.Fatal(err)
	}
	sel := cube.Box(nd.Sec(nd.Span(0, 48), nd.Span(0, 2), nd.Span(0, 2)))
	day, _ := ParsePeriod("1D")
	days, err := EveryPeriod(rain, axes, sel, 0, day)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	funcs := []Func{{Op: Mean}, {Op: Var}, {Op: Count}, {Op: ArgMax}, {Op: Quantile, Percent: 90}}
	made, _, err := saveAs(t, out, rain, Request{Select: sel, Groups: []*Grouping{days}, Funcs: funcs})
	if err != nil || made.Dataset != out || len(made.Variables) != 5 {
		t.Fatalf("%+v: %v", made, err)
	}
	// The value of rain is 12 t + 4 y + 2 x in row y; row 1 is missing.
	rows := `"lat height"`
	want := map[string]string{
		"time":        `int32 0:2 time 0 24 bounds="time_bnds" units="hours since 2024-01-31"`,
		"time_bnds":   `int32 0:2,0:2 time,bnds 0 24 24 48`,
		"y":           `int16 0:2 y 1 2 bounds="y_b" scale_factor=0.5 units="km"`,
		"y_b":         `int16 0:2,0:2 y,two 2 3 4 5`,
		"lat":         `float32 0:2,0:2 y,x 2 3 4 5 units="degrees_north"`,
		"height":      `float32 0:1  0 import.scalar=true`,
		"rain_mean":   `float64 0:2,0:2,0:2 time,y,x NaN NaN 146 148 cell_methods="area: mean time: mean (interval: 1 hour)" columns=["a","b"] coordinates=` + rows + ` standard_name="rainfall_rate" units="mm h-1"`,
		"rain_var":    `float64 0:2,0:2,0:2 time,y,x NaN NaN 6900 6900 cell_methods="area: mean time: variance (interval: 1 hour)" columns=["a","b"] coordinates=` + rows + ` standard_name="rainfall_rate" units="(mm h-1)2"`,
		"rain_count":  `int64 0:2,0:2,0:2 time,y,x 0 0 24 24 columns=["a","b"] coordinates=` + rows + ` long_name="number of values of rainfall_rate" standard_name="rainfall_rate number_of_observations" units="1"`,
		"rain_argmax": `int64 0:2,0:2,0:2 time,y,x -9223372036854775808 -9223372036854775808 23 23 columns=["a","b"] coordinates=` + rows + ` long_name="index of the largest value of rainfall_rate" units="1"`,
		"rain_p90":    `float64 0:2,0:2,0:2 time,y,x NaN NaN 256.4 258.4 cell_methods="area: mean time: percentile_90 (interval: 1 hour)" columns=["a","b"] coordinates=` + rows + ` standard_name="rainfall_rate" units="mm h-1"`,
	}
	got := describeDataset(t, out)
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s\nwant %s", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("variables %v", slices.Sorted(maps.Keys(got)))
	}
	if _, _, err := saveAs(t, out, rain, Request{Funcs: funcs[:1]}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("again: %v", err)
	}

	// A result in the dataset itself shares its coordinates if they agree.
	one := Request{Over: []int{0}, Funcs: funcs[:1]}
	if made, _, err := saveAs(t, filepath.Join(folder, "mean.drx"), rain, one); err != nil || made.Dataset != folder {
		t.Errorf("%+v: %v", made, err)
	}
	if got := describeDataset(t, folder)["mean"]; !strings.HasPrefix(got, "float64 -1:2,0:2 y,x 282 284 NaN NaN ") {
		t.Errorf("mean: %s", got)
	}
	one.Select = sel
	for name, req := range map[string]Request{"cut": one, "several": {Over: []int{0}, Funcs: funcs[:2]}} {
		if _, _, err := saveAs(t, filepath.Join(folder, name), rain, req); !errors.Is(err, dataset.ErrDim) && !errors.Is(err, drx.ErrRank) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Groups, windows and parts of dates have coordinates or labels of their own.
func TestSaveGroups(t *testing.T) {
	_, rain := newWeather(t)
	axes, err := dataset.AxesOf(rain)
	if err != nil {
		t.Fatal(err)
	}
	c, err := axes.Cube()
	if err != nil {
		t.Fatal(err)
	}
	sel := cube.Box(rain.Bounds())
	group := func(g *Grouping, err error) *Grouping {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	third, _ := ParsePeriod("20s") // not a whole number of hours
	short := slices.Clone(sel)
	short[0] = cube.Indices{nd.Span(0, 1)}
	for name, test := range map[string]struct {
		sel   cube.Selection
		group *Grouping
		want  map[string]string
	}{
		"month":   {sel, group(By(rain, axes, sel, 0, "month")), map[string]string{"month": `int32 0:2 month 1 2 units="1"`}},
		"season":  {sel, group(By(rain, axes, sel, 0, "season")), map[string]string{"season": "", "rain": `labels/0/0=["DJF"]`}},
		"20s":     {short, group(EveryPeriod(rain, axes, short, 0, third)), map[string]string{"time_bnds": `float64 0:1,0:2 time,bnds 0 0.00555`}},
		"rolling": {sel, group(Rolling(c, sel, 0, 40)), map[string]string{"time": `int32 0:9 time 39 40 41 42 bounds`, "time_bnds": `int32 0:9,0:2 time,bnds 0 39 1 40`}},
		"every":   {sel, group(EveryN(c, sel, 0, 20)), map[string]string{"time": `int32 0:3 time 0 20 40 bounds`, "time_bnds": `int32 0:3,0:2 time,bnds 0 19 20 39`}},
		"rows":    {sel, group(EveryN(c, sel, 1, 2)), map[string]string{"y": `int16 0:2 y 0 2 bounds="y_bnds"`, "y_bnds": `int16 0:2,0:2 y,bnds 0 1 2 2`, "time": "int32 0:48"}},
	} {
		out := filepath.Join(t.TempDir(), "out")
		if _, _, err := saveAs(t, out, rain, Request{Select: test.sel, Groups: []*Grouping{test.group}, Funcs: []Func{{Op: Max}}}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := describeDataset(t, out)
		for variable, want := range test.want {
			if !strings.Contains(got[variable], want) || want == "" && got[variable] != "" {
				t.Errorf("%s: %s is %s, want %s", name, variable, got[variable], want)
			}
		}
	}
}

// An array with labels becomes an array with the remaining labels; a result without dimensions
// becomes one element.
func TestSaveArray(t *testing.T) {
	a := newArray(t, drx.Spec{DType: dtype.Int16, Shape: []int{3, 2}, Dims: []string{"store", "item"}, Attrs: map[string]any{cube.LabelAttr(0, 0): []string{"a", "b", "c"}}})
	if err := drx.Write(a, nil, []int16{1, 2, 3, 4, 5, 6}); err != nil {
		t.Fatal(err)
	}
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	sel := cube.Selection{{nd.At(2), nd.At(0)}, {nd.Span(0, 2)}}
	name := filepath.Join(t.TempDir(), "sums.drx")
	made, _, err := saveAs(t, name, a, Request{Select: sel, Over: []int{1}, Funcs: []Func{{Op: Sum}}})
	if err != nil || made.Dataset != "" || !slices.Equal(made.Variables, []string{name}) {
		t.Fatalf("%+v: %v", made, err)
	}
	sums, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sums.Close()
	values, err := drx.Read[int64](sums, nil)
	c, cubeErr := cube.Of(sums)
	if err := errors.Join(err, cubeErr); err != nil {
		t.Fatal(err)
	}
	if _, labels := c.Labels(0); !slices.Equal(values, []int64{11, 3}) || !slices.Equal(labels, []string{"c", "a"}) {
		t.Errorf("%v, labels %q", values, labels)
	}
	all := filepath.Join(t.TempDir(), "all")
	if _, _, err := saveAs(t, all, a, Request{Funcs: []Func{{Op: Mean}, Median}}); err != nil {
		t.Fatal(err)
	}
	for name, text := range describeDataset(t, all) {
		if !strings.HasPrefix(text, "float64 0:1  3.5") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// Units must follow the statistic.
func TestSquared(t *testing.T) {
	for units, want := range map[string]string{"1": "1", "m": "m2", "m2": "(m2)2", "m s-1": "(m s-1)2", "degC": "K2", "degF": "(degF)2", "0.01 mm": "(0.01 mm)2"} {
		if got := squared(units); got != want {
			t.Errorf("%s: %s, want %s", units, got, want)
		}
	}
}
