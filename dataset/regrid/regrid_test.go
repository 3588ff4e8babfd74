package regrid

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"drx"
	"drx/dataset"
	"drx/dataset/stats"
	"drx/dtype"
	"drx/optionerr"
)

// A field is a variable for tests, on a grid of its own.
type field struct {
	dims  []string
	at    map[string][]float64
	units map[string]string
	data  []float64
	spec  drx.Spec
}

// create makes a dataset of a field, which becomes the variable t.
func (f field) create(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "from")
	d, err := dataset.Create(folder, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.spec.Dims, f.spec.FillValue = f.dims, "NaN"
	f.spec.DType = dtype.Float64
	for _, dim := range f.dims {
		f.spec.Shape = append(f.spec.Shape, len(f.at[dim]))
		attrs := map[string]any{"units": f.units[dim]}
		v, err := d.CreateVariable(dim, drx.Spec{DType: dtype.Float64, Shape: []int{len(f.at[dim])}, Dims: []string{dim}, Attrs: attrs})
		if err == nil {
			err = drx.Write(v.Array(), nil, f.at[dim])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	v, err := d.CreateVariable("t", f.spec)
	if err == nil {
		err = drx.Write(v.Array(), nil, f.data)
	}
	if err = errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	return folder
}

// read returns the values of a variable.
func read(t *testing.T, name string) []float64 {
	t.Helper()
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	r, err := stats.NewReader(a)
	if err != nil {
		t.Fatal(err)
	}
	values, err := r.Read(a.Bounds())
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func compare(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if math.IsNaN(w) != math.IsNaN(got[i]) || math.Abs(got[i]-w) > tolerance*max(1, math.Abs(w)) {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], w)
		}
	}
}

// A numbers is a list in which null means a missing value.
type numbers []*float64

func (n numbers) values() []float64 {
	list := make([]float64, len(n))
	for i, v := range n {
		if list[i] = math.NaN(); v != nil {
			list[i] = *v
		}
	}
	return list
}

func windowsOf(t *testing.T, text string) []Window {
	t.Helper()
	windows, err := ParseWindows(text)
	if err != nil {
		t.Fatal(err)
	}
	return windows
}

// The values of a global grid are those of CDO and xarray, see testdata/grid.py.
func TestLikeOthers(t *testing.T) {
	text, err := os.ReadFile("testdata/grid.json")
	if err != nil {
		t.Fatal(err)
	}
	golden := map[string]numbers{}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	units := map[string]string{"lat": "degrees_north", "lon": "degrees_east"}
	f := field{
		dims: []string{"lat", "lon"}, at: map[string][]float64{"lat": golden["lat"].values(), "lon": golden["lon"].values()}, units: units,
		data: golden["t"].values(), spec: drx.Spec{ChunkShape: []int{4, 5}},
	}
	from := f.create(t)
	grid := Grid{{dim: "lat", values: values{at: golden["to_lat"].values()}}, {dim: "lon", values: values{at: golden["to_lon"].values()}}}
	for m, name := range Methods {
		to := filepath.Join(t.TempDir(), name)
		if _, err := Regrid(context.Background(), from, to, grid, Method(m), Options{}); err != nil {
			t.Fatal(err)
		}
		compare(t, name, read(t, to+"/t"), golden[name].values(), 1e-12)
		compare(t, name, read(t, to+"/lon"), golden["to_lon"].values(), 0)
	}
	for name, how := range map[string]Coarsening{"coarsen": {stats.Func{Op: stats.Mean}, Exact}, "coarsen_max": {stats.Func{Op: stats.Max}, Pad}} {
		windows := windowsOf(t, map[string]string{"coarsen": "lat=3,lon=4", "coarsen_max": "lon=5,lat=2"}[name])
		to := filepath.Join(t.TempDir(), name)
		if _, err := Coarsen(context.Background(), from, to, windows, how, Options{}); err != nil {
			t.Fatal(err)
		}
		compare(t, name, read(t, to+"/t"), golden[name].values(), 1e-12)
	}
	for i, v := range f.data {
		if math.IsNaN(v) {
			f.data[i] = 1
		}
	}
	to := filepath.Join(t.TempDir(), "whole")
	if _, err := Regrid(context.Background(), f.create(t), to, grid, Linear, Options{}); err != nil {
		t.Fatal(err)
	}
	compare(t, "linear of CDO", read(t, to+"/t"), golden["cdo_linear"].values(), 1e-12)
}

// shares returns, for each cell of a target, the sizes of its intersections with the cells of a
// source, by a plain search. Both have even steps.
func shares(from, to []float64) (all [][]float64) {
	half, toHalf := (from[1]-from[0])/2, (to[1]-to[0])/2
	for _, t := range to {
		row := make([]float64, len(from))
		for i, f := range from {
			row[i] = max(0, min(t+toHalf, f+half)-max(t-toHalf, f-half))
		}
		all = append(all, row)
	}
	return all
}

// slopes returns the weights of linear interpolation, by a plain search.
func slopes(from, to []float64) (all [][]float64) {
	for _, t := range to {
		row := make([]float64, len(from))
		for i, f := range from {
			row[i] = max(0, 1-math.Abs(t-f)/(from[1]-from[0]))
		}
		if t < from[0] || t > from[len(from)-1] {
			clear(row)
		}
		all = append(all, row)
	}
	return all
}

// Several blocks and parts, also in another order of the dimensions, agree with plain sums, and
// have the same bits with any number of goroutines.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	even := func(n int, first, step float64) (values []float64) {
		for i := range n {
			values = append(values, first+float64(i)*step)
		}
		return values
	}
	for _, size := range [][4]int{{40, 30, 700, 600}, {1100, 500, 9, 7}} {
		f := field{dims: []string{"y", "band", "x"}, at: map[string][]float64{"y": even(size[0], 0, 1), "band": {1, 2}, "x": even(size[1], 5, 0.5)}, spec: drx.Spec{ChunkShape: []int{64, 1, 100}}}
		for range size[0] * 2 * size[1] {
			v := rng.NormFloat64()
			if rng.IntN(50) == 0 {
				v = math.NaN()
			}
			f.data = append(f.data, v)
		}
		from := f.create(t)
		y := even(size[2], -0.3171, float64(size[0])/float64(size[2]))
		x := even(size[3], 4.9137, float64(size[1])/2/float64(size[3]))
		grid := Grid{{dim: "x", values: values{at: x}}, {dim: "y", values: values{at: y}}}
		for _, m := range []Method{Linear, Mean} {
			byY, byX := slopes(f.at["y"], y), slopes(f.at["x"], x)
			if m == Mean {
				byY, byX = shares(f.at["y"], y), shares(f.at["x"], x)
			}
			var got []float64
			for goroutines := range 2 {
				to := filepath.Join(t.TempDir(), "to")
				if _, err := Regrid(context.Background(), from, to, grid, m, Options{Goroutines: 1 + 2*goroutines, Memory: 200 << 20}); err != nil {
					t.Fatal(err)
				}
				again := read(t, to+"/t")
				if goroutines > 0 {
					compare(t, "other goroutines", again, got, 0)
				}
				got = again
			}
			for range 1000 {
				iy, b, ix := rng.IntN(len(y)), rng.IntN(2), rng.IntN(len(x))
				sum, there, gone := 0.0, 0.0, 0.0
				for j, wy := range byY[iy] {
					for i, wx := range byX[ix] {
						if wy == 0 {
							break
						}
						if wx == 0 {
							continue
						}
						if v := f.data[(j*2+b)*size[1]+i]; math.IsNaN(v) {
							gone += wy * wx
						} else {
							sum, there = sum+wy*wx*v, there+wy*wx
						}
					}
				}
				want := sum / there
				if there == 0 || m == Linear && gone > 0 {
					want = math.NaN()
				}
				k := (iy*2+b)*len(x) + ix
				compare(t, Methods[m], got[k:][:1], []float64{want}, 1e-12)
			}
		}
	}
}

// Packed numbers keep their meaning, nearest elements keep their stored form, other variables are
// copied, and integers stay exact.
func TestPacked(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "from")
	err := dataset.CreateFilled(folder, drx.Options{}, func(d *dataset.Dataset) error {
		packed := map[string]any{"scale_factor": 0.5, "add_offset": 10.0, "_FillValue": -1, "units": "K"}
		data := map[string][]int16{"x": {0, 1, 2, 3}, "p": {0, 2, -1, 6}, "other": {7, 8}}
		return d.CreateAll(nil, map[string]drx.Spec{
			"x":     {DType: dtype.Int16, Shape: []int{4}, Dims: []string{"x"}, Attrs: map[string]any{"units": "m"}},
			"p":     {DType: dtype.Int16, Shape: []int{4}, Dims: []string{"x"}, FillValue: -1, Attrs: packed},
			"other": {DType: dtype.Int16, Shape: []int{2}, Dims: []string{"z"}, Lo: []int{-1}},
		}, func(name string, a *drx.Array) error { return drx.Write(a, nil, data[name]) })
	})
	if err != nil {
		t.Fatal(err)
	}
	grid, err := ParseGrid("x=-0.5:3:0.5")
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for m, want := range map[Method][]float64{
		Nearest: {10, 10, 11, 11, nan, nan, 13, 13}, Linear: {nan, 10, 10.5, 11, nan, nan, nan, 13}, Mean: {10, 10, 10.5, 11, 11, nan, 13, 13},
	} {
		to := filepath.Join(t.TempDir(), "to")
		if _, err := Regrid(context.Background(), folder+"/", to, grid, m, Options{}); err != nil {
			t.Fatal(err)
		}
		compare(t, Methods[m], read(t, to+"/p"), want, 1e-12)
		compare(t, "other", read(t, to+"/other"), []float64{7, 8}, 0)
	}
	to := filepath.Join(t.TempDir(), "sum")
	sum, _ := stats.ParseFunc("sum")
	if _, err := Coarsen(context.Background(), folder, to, windowsOf(t, "x=2"), Coarsening{Func: sum}, Options{}); err != nil {
		t.Fatal(err)
	}
	compare(t, "sum", read(t, to+"/p"), []float64{21, 13}, 0)
	compare(t, "coordinate", read(t, to+"/x"), []float64{0.5, 2.5}, 0)
}

// The pixels of a raster without coordinates keep their georeference, and groups that it does not
// need are not created.
func TestRaster(t *testing.T) {
	folder := t.TempDir()
	attrs := map[string]any{"geotransform": []float64{500, 30, 1, 4000, 2, -30}, "nodata": -9}
	a, err := drx.Create(filepath.Join(folder, "a"), drx.Spec{DType: dtype.Int16, Shape: []int{4, 6}, Dims: []string{"y", "x"}, FillValue: -9, Attrs: attrs})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(drx.Write(a, nil, []int16{1, 3, -9, -9, 5, 5, 5, 7, -9, -9, 5, -9, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}), a.Close()); err != nil {
		t.Fatal(err)
	}
	beside, err := dataset.Create(filepath.Join(folder, "beside"), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := beside.Close(); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "to")
	largest := Coarsening{Func: stats.Func{Op: stats.Max}}
	if _, err := Coarsen(context.Background(), a.Name(), to, windowsOf(t, "y=2,x=2"), largest, Options{}); err != nil {
		t.Fatal(err)
	}
	compare(t, "largest", read(t, to+"/a"), []float64{7, math.NaN(), 5, 0, 0, 1}, 0)
	d, err := dataset.Open(to, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	v, err := d.Variable("a")
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	if _, err := v.Array().Attr("geotransform", &got); err != nil {
		t.Fatal(err)
	}
	compare(t, "geotransform", got, []float64{500, 60, 2, 4000, 4, -60}, 0)
	if v.Array().DType() != dtype.Int64 || len(d.Groups()) > 0 {
		t.Errorf("%v, groups %q", v.Array().DType(), d.Groups())
	}
}

// Strings are numbers of a list, which is an attribute: it is copied with them, and they have no
// means.
func TestStrings(t *testing.T) {
	f := field{dims: []string{"x"}, at: map[string][]float64{"x": {0, 1, 2, 3}}, units: map[string]string{"x": "m"}, data: []float64{1, 0, 1, 2}}
	f.spec.Attrs = map[string]any{"import.strings": []string{"a", "b", "c"}, "import.sources": []string{"f"}}
	from := f.create(t)
	grid, err := ParseGrid("x=0:2:2")
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "to")
	if _, err := Regrid(context.Background(), from, to, grid, Linear, Options{}); err == nil {
		t.Error("strings were interpolated")
	}
	if _, err := Coarsen(context.Background(), from, to, []Window{{Dim: "x", N: 2}}, Coarsening{Func: stats.Func{Op: stats.Mean}}, Options{}); err == nil {
		t.Error("strings have a mean")
	}
	if _, err := Regrid(context.Background(), from, to, grid, Nearest, Options{}); err != nil {
		t.Fatal(err)
	}
	a, err := drx.Open(to+"/t", drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if has := a.Attrs(); string(has["import.strings"]) != `["a","b","c"]` || has["import.sources"] != nil {
		t.Errorf("attributes %s", has)
	}
}

// Impossible requests are refused, and leave no files.
func TestRefused(t *testing.T) {
	f := field{dims: []string{"y", "x"}, at: map[string][]float64{"y": {0, 2, 1}, "x": {1, 2, 3, 4, 5}}, units: map[string]string{"x": "m"}, data: make([]float64, 15)}
	from := f.create(t)
	to := filepath.Join(t.TempDir(), "to")
	mean := Coarsening{Func: stats.Func{Op: stats.Mean}}
	coarsen := func(text string) error {
		windows, err := ParseWindows(text)
		if err == nil {
			_, err = Coarsen(context.Background(), from, to, windows, mean, Options{})
		}
		return err
	}
	regrid := func(text string) error {
		grid, err := ParseGrid(text)
		if err == nil {
			_, err = Regrid(context.Background(), from, to, grid, Linear, Options{})
		}
		return err
	}
	for _, c := range []struct {
		what string
		err  error
		want error
	}{
		{"not divided", coarsen("x=2"), optionerr.ErrOption},
		{"too large", coarsen("x=6"), drx.ErrBounds},
		{"twice", coarsen("x=5,x=5"), dataset.ErrDim},
		{"no dimension", coarsen("z=2"), dataset.ErrDim},
		{"no number", coarsen("x"), fs.ErrInvalid},
		{"no times", coarsen("x=1D"), dataset.ErrDim},
		{"no dates", regrid("x=2020-01-01:2020-01-02:6h"), optionerr.ErrOption},
		{"up and down", regrid("y=0:1:0.5"), dataset.ErrValue},
		{"no dimension", regrid("z=1"), dataset.ErrDim},
		{"no steps", regrid("x=0:1:-1"), optionerr.ErrOption},
		{"no name", regrid("0:1:1"), optionerr.ErrOption},
		{"the same", regrid("x=1:5:1"), dataset.ErrDim},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, c.err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Coarsen(ctx, from, to, windowsOf(t, "x=5"), mean, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := dataset.Open(to, drx.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a dataset after errors: %v", err)
	}
}

// Periods are windows, with missing results where there are no times, and dates are steps.
func TestTimes(t *testing.T) {
	hours := []float64{1, 7, 23, 25, 73, 95} // of 30 December and later
	f := field{dims: []string{"time", "x"}, at: map[string][]float64{"time": hours, "x": {0, 1}}, units: map[string]string{"time": "hours since 2019-12-30"}}
	for i := range 12 {
		f.data = append(f.data, float64(i*i))
	}
	from, nan := f.create(t), math.NaN()
	for text, want := range map[string]struct{ at, bounds, means []float64 }{
		"time=1D":     {[]float64{0, 24, 48, 72}, []float64{0, 24, 24, 48, 48, 72, 72, 96}, []float64{20. / 3, 35. / 3, 36, 49, nan, nan, 82, 101}},
		"time=2D,x=2": {[]float64{0, 48}, []float64{0, 48, 48, 96}, []float64{17.5, 91.5}},
		"time=1M":     {[]float64{-696, 48}, []float64{-696, 48, 48, 792}, []float64{14, 21, 82, 101}},
	} {
		to := filepath.Join(t.TempDir(), "to")
		if _, err := Coarsen(context.Background(), from, to, windowsOf(t, text), Coarsening{Func: stats.Func{Op: stats.Mean}}, Options{}); err != nil {
			t.Fatal(err)
		}
		compare(t, text, read(t, to+"/time"), want.at, 0)
		compare(t, text, read(t, to+"/time_bnds"), want.bounds, 0)
		compare(t, text, read(t, to+"/t"), want.means, 1e-12)
	}
	for text, want := range map[string][]float64{
		"time=2019-12-30T12:2019-12-31:6h":             {12, 18, 24},
		"time=2019-12-30T06:30:2019-12-30T07:30:30min": {6.5, 7, 7.5},
		"time=2019-12-31,2020-01-01T06:00":             {24, 54},
		"time=2019-12-30:2020-01-02:1D":                {0, 24, 48, 72},
		"time=2019-12-30:2020-01-31:1M":                {0, 744},
		"time=1:13:6":                                  {1, 7, 13},
	} {
		grid, err := ParseGrid(text)
		to := filepath.Join(t.TempDir(), "to")
		if err == nil {
			_, err = Regrid(context.Background(), from, to, grid, Nearest, Options{})
		}
		if err != nil {
			t.Fatal(err)
		}
		compare(t, text, read(t, to+"/time"), want, 0)
	}
	grid, err := ParseGrid("time=2021-01-01")
	if err != nil {
		t.Fatal(err)
	}
	report, err := Regrid(context.Background(), from, filepath.Join(t.TempDir(), "to"), grid, Linear, Options{})
	if err != nil || len(report.Notes) != 1 {
		t.Errorf("outside: %+v, %v, want a note", report, err)
	}
	for _, text := range []string{
		"time=2020-01-01:2019-01-01:6h", "time=2019-12-30:2019-12-31:6", "time=2019-12-30:2019-12-31", "time=2019-12-31:2020-12-31:1M", "time=noon", "time=2019-12-30:2020-01-01:0h",
	} {
		grid, err := ParseGrid(text)
		if err == nil {
			_, err = Regrid(context.Background(), from, filepath.Join(t.TempDir(), "to"), grid, Nearest, Options{})
		}
		if !errors.Is(err, optionerr.ErrOption) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
