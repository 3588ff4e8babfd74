//go:build netcdf && cgo

package netcdf

import (
	"bytes"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
	"drx/formats/cformat"
	"drx/nd"
)

// richContent returns a NetCDF-4 file with everything that Content can express.
func richContent(t *testing.T) formats.Content {
	return formats.Content{
		Deflate: 4,
		Attrs: map[string]any{
			"title": "zwölf", "empty": "", "n": int64(-3), "long": int64(1) << 40, "big": uint64(1<<64 - 1), "x": 0.1,
			"list": []any{int64(1), int64(2)}, "mixed": []any{1.5, "NaN", "-Infinity"}, "texts": []any{"a", "", "long text"}, "zwölf": "name",
			"none": []any{}, "infinite": math.Inf(-1), "no number": "Infinity",
		},
		Groups: map[string]map[string]any{"sub": {"note": "of a group"}, "sub/deep/empty": nil, "sub/deep": nil},
		Vars: []formats.Info{
			{Name: "time", DType: dtype.Float64, Shape: []int{3}, Dims: []string{"time"}, Unlimited: []bool{true}, Attrs: map[string]any{"units": "hours since 1900-01-01"}},
			{Name: "lat", DType: dtype.Float32, Shape: []int{4}, Dims: []string{"lat"}},
			{
				Name: "t", DType: dtype.Int16, Shape: []int{3, 4, 6}, Dims: []string{"time", "lat", "lon"}, Unlimited: []bool{true, false, false}, Chunk: []int{1, 4, 3},
				Fill:  bridgetest.Element(t, dtype.Int16, "-999"),
				Attrs: map[string]any{"_FillValue": int64(-999), "scale_factor": 0.5, "valid_range": []any{int64(0), int64(100)}},
			},
			{Name: "runs", DType: dtype.Int64, Shape: []int{3, 2}, Dims: []string{"time", "run"}, Unlimited: []bool{true, true}, Fill: bridgetest.Element(t, dtype.Int64, "-1"), Attrs: map[string]any{"missing_value": int64(-1)}},
			{
				Name: "station", DType: dtype.Uint32, Shape: []int{2}, Dims: []string{"station"}, Labels: []string{"Berlin", "", "Zürich"},
				Attrs: map[string]any{"_FillValue": "none", "missing_value": "none"},
			},
			{Name: "mask", DType: dtype.Bool, Shape: []int{4, 6}, Dims: []string{"lat", "lon"}},
			{
				Name: "cloud", DType: dtype.Int8, Shape: []int{4, 6}, Dims: []string{"lat", "lon"}, Fill: bridgetest.Element(t, dtype.Int8, "-1"),
				Attrs: map[string]any{"enum_type": "cloud_t", "flag_values": []any{int64(-1), int64(2)}, "flag_meanings": "missing thick_fog", "_FillValue": int64(-1)},
			},
			{
				Name: "sub/cloud", DType: dtype.Uint16, Shape: []int{3, 6}, Dims: []string{"time", "lon"}, Unlimited: []bool{true, false}, Chunk: []int{1, 6},
				Fill: bridgetest.Element(t, dtype.Uint16, "65535"), Attrs: map[string]any{"enum_type": "cloud_t", "flag_values": []any{uint64(1), uint64(65535)}, "flag_meanings": "thin thick", "_FillValue": uint64(65535)},
			},
			{Name: "lev", DType: dtype.Uint16, Shape: []int{2, 3}, Dims: []string{"lev", "time"}, Unlimited: []bool{false, true}, Fill: bridgetest.Element(t, dtype.Uint16, "65535")},
			{Name: "scalar", DType: dtype.Uint64, Fill: bridgetest.Element(t, dtype.Uint64, "18446744073709551614"), Shape: []int{}},
			{Name: "anonymous", DType: dtype.Int8, Shape: []int{4, 5}, Dims: []string{"lat", ""}},
			{Name: "sub/lat", DType: dtype.Float32, Shape: []int{5}, Dims: []string{"sub/lat"}},
			{Name: "sub/t", DType: dtype.Complex64, Shape: []int{3, 5}, Dims: []string{"time", "sub/lat"}, Unlimited: []bool{true, false}},
			{Name: "sub/names", DType: dtype.Uint8, Shape: []int{2, 2}, Dims: []string{"station", ""}, Labels: []string{"a", "bb"}},
		},
	}
}

// classicContent returns a classic file with everything that Content can express for one.
func classicContent(t *testing.T) formats.Content {
	return formats.Content{
		Attrs: map[string]any{"title": "zwölf", "empty": "", "n": int64(-3), "x": 0.1, "list": []any{int64(1), int64(2)}, "mixed": []any{1.5, "NaN"}},
		Vars: []formats.Info{
			{Name: "time", DType: dtype.Float64, Shape: []int{3}, Dims: []string{"time"}, Unlimited: []bool{true}, Attrs: map[string]any{"units": "hours since 1900-01-01"}},
			{Name: "lat", DType: dtype.Float32, Shape: []int{4}, Dims: []string{"lat"}},
			{
				Name: "t", DType: dtype.Int16, Shape: []int{3, 4, 5}, Dims: []string{"time", "lat", "lon"}, Unlimited: []bool{true, false, false},
				Fill: bridgetest.Element(t, dtype.Int16, "-999"), Attrs: map[string]any{"_FillValue": int64(-999), "valid_range": []any{int64(0), int64(100)}},
			},
			{Name: "station", DType: dtype.Uint32, Shape: []int{2}, Dims: []string{"station"}, Labels: []string{"Berlin", "", "Zürich"}, Attrs: map[string]any{"_FillValue": " "}},
			{Name: "mask", DType: dtype.Bool, Shape: []int{4, 5}, Dims: []string{"lat", "lon"}},
			{Name: "scalar", DType: dtype.Int32, Shape: []int{}},
			{Name: "last", DType: dtype.Int8, Shape: []int{3, 3}, Dims: []string{"time", ""}, Unlimited: []bool{true, false}},
		},
	}
}

// writeContent writes a file whose elements consist of small numbers, and returns them.
func writeContent(t *testing.T, path, format string, c formats.Content) (all [][]byte) {
	t.Helper()
	return bridgetest.Write(t, path, format, c, bridgetest.SmallNumbers)
}

// Whatever the type, the shape and the layout, the written elements must be read unchanged.
func TestWriters(t *testing.T) {
	bridgetest.EachLayout("x", func(info formats.Info, deflate int) {
		if info.DType == dtype.Float16 || info.DType == dtype.BFloat16 {
			return
		}
		path := filepath.Join(t.TempDir(), "a.nc")
		got, elements := bridgetest.WritesBack(t, bridgetest.RoundTrip{Path: path, Format: "netcdf", Info: info, Deflate: deflate})
		if want := info.Unlimited; want != nil && len(elements) > 0 && len(want) > 0 && !slices.Equal(got.Unlimited, want) {
			t.Errorf("unlimited %v was written, %v read", want, got.Unlimited)
		}
		if !info.DType.IsComplex() && !slices.Contains(info.Shape[min(1, len(info.Shape)):], 0) {
			bridgetest.WritesBack(t, bridgetest.RoundTrip{Path: path, Format: "netcdf3", Info: info})
		}
	})
}

// A file with groups, unlimited dimensions, strings and attributes must survive, and netCDF4 must
// read the same.
func TestRoundTrip(t *testing.T) {
	for format, want := range contents(t) {
		path := filepath.Join(t.TempDir(), "a.nc")
		data := writeContent(t, path, format, want)
		got, err := formats.List(path, formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Attrs, want.Attrs) {
			t.Errorf("%s: attributes %v\nwant %v", format, got.Attrs, want.Attrs)
		}
		if len(got.Vars) != len(want.Vars) || len(got.Groups) != len(want.Groups) || want.Groups != nil && got.Groups["sub"]["note"] != "of a group" {
			t.Errorf("%s: %d variables, %d groups", format, len(got.Vars), len(got.Groups))
		}
		for i, w := range want.Vars {
			if w.Fill == nil && w.Labels == nil {
				w.Fill = defaults[w.DType]
			}
			bridge.CheckVariable(t, path, w, data[i])
		}
		if equal, refused := compare(t, path, bridgetest.Describe[[]bridgetest.Description](t, bridge, path)[0]); equal != len(want.Vars) || len(refused) > 0 {
			t.Errorf("%s: %d of %d variables were compared with netCDF4; refused: %v", format, equal, len(want.Vars), refused)
		}
	}
}

// ncdump must show the dimensions, types and attributes that were written.
func TestDumped(t *testing.T) {
	dir := t.TempDir()
	rich, classic, wide := filepath.Join(dir, "rich.nc"), filepath.Join(dir, "classic.nc"), filepath.Join(dir, "wide.nc")
	writeContent(t, rich, "netcdf", richContent(t))
	c := classicContent(t)
	writeContent(t, classic, "netcdf3", c)
	c.Vars = append(c.Vars, formats.Info{Name: "u", DType: dtype.Uint16, Shape: []int{4}, Dims: []string{"lat"}})
	writeContent(t, wide, "netcdf3", c)
	for path, want := range map[string][]string{
		rich: {
			"netCDF-4", "time = UNLIMITED ; // (3 currently)", "run = UNLIMITED ; // (2 currently)", "lon = 6 ;", "short t(time, lat, lon) ;",
			"t:_FillValue = -999s ;", "t:valid_range = 0s, 100s ;", "t:_ChunkSizes = 1, 4, 3 ;", "t:_DeflateLevel = 4 ;", `t:_Shuffle = "true" ;`, "string station(station) ;",
			"group: sub {", ":texts = \"a\", \"\", \"long text\" ;", ":big = 18446744073709551615ULL ;", ":n = -3 ;", "complex64 t(time, lat) ;",
			"byte enum cloud_t {missing = -1, thick_fog = 2} ;", "cloud_t cloud(lat, lon) ;", "cloud:_FillValue = missing ;", "ushort enum cloud_t {thin = 1, thick = 65535} ;",
		},
		classic: {"64-bit offset", "time = UNLIMITED ; // (3 currently)", "short t(time, lat, lon) ;", "t:_FillValue = -999s ;", "char station(station, string7) ;", "byte mask(lat, lon) ;"},
		wide:    {"cdf5", "ushort u(lat) ;"},
	} {
		how := "-h"
		if path == rich {
			how = "-sh" // with special attributes; ncdump crashes on those of version 5
		}
		out := tool(t, "ncdump", how, path) + tool(t, "ncdump", "-k", path)
		for _, line := range want {
			if !strings.Contains(out, line) {
				t.Errorf("%s: no %q in\n%s", path, line, out)
			}
		}
	}
	if copied := filepath.Join(dir, "copy.nc"); tool(t, "nccopy", "-k", "nc4", classic, copied) == "" {
		for _, w := range classicContent(t).Vars {
			_, a := bridge.Get(t, classic, w.Name)
			if _, b := bridge.Get(t, copied, w.Name); !bytes.Equal(a, b) {
				t.Errorf("%s: nccopy has other elements", w.Name)
			}
		}
	}
}

// Content that NetCDF cannot represent must be refused before a file is made, or the file must be
// removed.
func TestRefusedContent(t *testing.T) {
	one := formats.Info{Name: "a", DType: dtype.Int8, Shape: []int{2, 3}}
	with := func(change func(i *formats.Info)) []formats.Info {
		i := one
		change(&i)
		return []formats.Info{i}
	}
	dim := func(name, dim string) formats.Info {
		return formats.Info{Name: name, DType: dtype.Int8, Shape: []int{2}, Dims: []string{dim}}
	}
	longer := one
	longer.Name, longer.Shape, longer.Dims = "b", []int{2, 4}, []string{"y", "x"}
	for text, c := range map[string]formats.Content{
		"netcdf: deflate 10: levels are 0 to 9":                       {Deflate: 10},
		"netcdf: a: order [1 0]: NetCDF is row-major":                 {Vars: with(func(i *formats.Info) { i.Order = nd.ColMajor(2) })},
		"netcdf: a: there is no element type dtype(0)":                {Vars: with(func(i *formats.Info) { i.DType = 0 })},
		"netcdf: a: float16: NetCDF has floats of 32 and 64 bits":     {Vars: with(func(i *formats.Info) { i.DType = dtype.Float16 })},
		"netcdf: a: Chunk: 1 for 2 dimensions":                        {Vars: with(func(i *formats.Info) { i.Chunk = []int{1} })},
		"netcdf: a: a fill value of 2 bytes for elements of 1 (int8)": {Vars: with(func(i *formats.Info) { i.Fill = []byte{1, 2} })},
		`netcdf: a//b: "a//b": no name for NetCDF`:                    {Vars: with(func(i *formats.Info) { i.Name = "a//b" })},
		"netcdf: a: two variables have this name":                     {Vars: []formats.Info{one, one}},
		"netcdf: b: dimension x has 4 elements, but 3 in":             {Vars: append(with(func(i *formats.Info) { i.Dims = []string{"y", "x"} }), longer)},
		"netcdf: a: is a variable, and cannot be a group":             {Vars: append(with(func(*formats.Info) {}), with(func(i *formats.Info) { i.Name = "a/b" })...)},
		"netcdf: a: dimension g/x: variables outside of group g":      {Vars: []formats.Info{dim("a", "g/x"), dim("x", "x"), dim("g/x", "g/x")}},
		"netcdf: a: label \"a\\x00b\": strings in NetCDF have no":     {Vars: with(func(i *formats.Info) { i.Labels = []string{"a\x00b"} })},
		"netcdf: a: attribute \"_FillValue\": 999: NetCDF wants":      {Vars: with(func(i *formats.Info) { i.Attrs = map[string]any{"_FillValue": int64(999)} })},
		"netcdf: a: attribute \"x/y\": NetCDF: Name contains":         {Vars: with(func(i *formats.Info) { i.Attrs = map[string]any{"x/y": int64(999)} })},
		"netcdf3: a: complex64: classic NetCDF files have no":         {Vars: with(func(i *formats.Info) { i.DType = dtype.Complex64 })},
		"netcdf3: g/a: \"g/a\": classic NetCDF files have no":         {Vars: with(func(i *formats.Info) { i.Name = "g/a" })},
		"netcdf3: dimension phony_dim_1 has no elements: a classic":   {Vars: with(func(i *formats.Info) { i.Shape = []int{2, 0} })},
	} {
		format, text, _ := strings.Cut(text, ": ")
		bridgetest.NotWritten(t, "a.nc", format, c, text, nil)
	}
}

// A dimension of variables outside of its group must be defined in a group that encloses all of
// them, and never be confused with another one there.
func TestDimensionsOfOtherGroups(t *testing.T) {
	bare := func(name string, extent int, dim string) formats.Info {
		return formats.Info{Name: name, DType: dtype.Int8, Shape: []int{extent}, Dims: []string{dim}}
	}
	path := filepath.Join(t.TempDir(), "a.nc")
	writeContent(t, path, "netcdf", formats.Content{Vars: []formats.Info{
		bare("coords/lat", 3, "coords/lat"), bare("data/t", 3, "coords/lat"), // one for both
		bare("x", 2, "x"), bare("g/q", 3, "g/x"), bare("h/q", 3, "g/x"), // not the outer x
		bare("m/n/y", 2, "m/n/y"), bare("m/q", 2, "m/n/y"), bare("y", 2, "y"), // defined in m
	}})
	c, err := formats.List(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"coords/lat": "lat", "data/t": "lat", "x": "x", "g/q": "g_x", "h/q": "g_x", "m/n/y": "m/y", "m/q": "m/y", "y": "y",
	}
	for _, v := range c.Vars {
		if v.Dims[0] != want[v.Name] {
			t.Errorf("%s: dimension %s, want %s", v.Name, v.Dims[0], want[v.Name])
		}
	}
	if len(c.Vars) != len(want) {
		t.Errorf("%d variables", len(c.Vars))
	}
}

// Invalid elements must be refused, and so must elements after Close.
func TestWrongElements(t *testing.T) { bridgetest.WrongElements(t, "a.nc", cformat.ErrClosed) }

// Attributes whose names the library reserves must be left out of NetCDF-4 files, and written into
// classic ones.
func TestReservedNames(t *testing.T) {
	for format, want := range map[string]int{"netcdf": 1, "netcdf3": 1 + len(reserved)} {
		attrs := map[string]any{"units": "mm"}
		for _, name := range reserved {
			attrs[name] = "IMAGE"
		}
		path := filepath.Join(t.TempDir(), "a.nc")
		writeContent(t, path, format, formats.Content{Vars: []formats.Info{{Name: "v", DType: dtype.Int16, Shape: []int{2}, Dims: []string{"x"}, Attrs: attrs}}})
		got, err := formats.List(path, formats.Options{})
		if err != nil || len(got.Vars) != 1 || len(got.Vars[0].Attrs) != want {
			t.Errorf("%s: %+v, %v", format, got, err)
		}
	}
}
