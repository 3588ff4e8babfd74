//go:build hdf5 && cgo

package hdf5

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
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

// Whatever the type, the shape and the layout, the written elements must be read unchanged.
func TestWriters(t *testing.T) {
	bridgetest.EachLayout("g/x", func(info formats.Info, deflate int) {
		got, _ := bridgetest.WritesBack(t, bridgetest.RoundTrip{Path: filepath.Join(t.TempDir(), "a.h5"), Info: info, Deflate: deflate})
		if info.Unlimited != nil && !slices.Equal(got.Unlimited, info.Unlimited) && len(info.Shape) > 0 {
			t.Errorf("unlimited %v was written, %v read", info.Unlimited, got.Unlimited)
		}
	})
}

// richContent returns a file with everything that Content can express.
func richContent(t *testing.T) formats.Content {
	return formats.Content{
		Deflate: 4,
		Attrs: map[string]any{
			"title": "zwölf", "empty": "", "n": int64(-3), "big": uint64(1<<64 - 1), "x": 0.1, "on": true, "list": []any{int64(1), int64(2)},
			"mixed": []any{1.5, "NaN", "-Infinity"}, "texts": []any{"a", "", "long text"}, "matrix": []any{[]any{int64(1), int64(2)}, []any{int64(3), int64(4)}},
			"none": []any{}, "bools": []any{true, false}, "infinite": []any{"-Infinity", "Infinity"}, "large": strings.Repeat("x", 100_000), "zwölf": "name",
		},
		Groups: map[string]map[string]any{"sub": {"note": "of a group"}, "sub/deep/empty": nil, "sub/deep": nil},
		Vars: []formats.Info{
			{Name: "time", DType: dtype.Float64, Shape: []int{3}, Dims: []string{"time"}, Unlimited: []bool{true}, Attrs: map[string]any{"units": "hours since 1900-01-01"}},
			{Name: "lat", DType: dtype.Float32, Shape: []int{4}, Dims: []string{"lat"}, Attrs: map[string]any{"valid_range": []any{-90.5, "Infinity"}}},
			{Name: "sub/lat", DType: dtype.Float32, Shape: []int{5}, Dims: []string{"sub/lat"}},
			{
				Name: "t", DType: dtype.Int16, Shape: []int{3, 4, 6}, Dims: []string{"time", "lat", "lon"}, Unlimited: []bool{true, false, false}, Chunk: []int{1, 4, 3},
				Fill:  bridgetest.Element(t, dtype.Int16, "-999"),
				Attrs: map[string]any{"_FillValue": int64(-999), "scale_factor": 0.5, "valid_range": []any{int64(0), int64(100)}},
			},
			{Name: "sub/t", DType: dtype.Complex64, Shape: []int{3, 5}, Dims: []string{"time", "sub/lat"}, Unlimited: []bool{true, false}},
			{Name: "station", DType: dtype.Uint32, Shape: []int{2}, Dims: []string{"station"}, Labels: []string{"Berlin", "", "Zürich"}},
			{Name: "sub/names", DType: dtype.Uint8, Shape: []int{2, 2}, Dims: []string{"station", ""}, Labels: []string{"a", "bb"}},
			{Name: "mask", DType: dtype.Bool, Shape: []int{4, 6}, Dims: []string{"lat", "lon"}},
			{
				Name: "cloud", DType: dtype.Int8, Shape: []int{4, 6}, Dims: []string{"lat", "lon"}, Fill: bridgetest.Element(t, dtype.Int8, "-1"),
				Attrs: map[string]any{"enum_type": "cloud_t", "flag_values": []any{int64(-1), int64(2)}, "flag_meanings": "missing thick_fog", "_FillValue": int64(-1)},
			},
			{
				Name: "sub/cloud", DType: dtype.Uint16, Shape: []int{3, 6}, Dims: []string{"time", "lon"}, Unlimited: []bool{true, false}, Chunk: []int{1, 6},
				Fill: bridgetest.Element(t, dtype.Uint16, "65535"), Attrs: map[string]any{"enum_type": "cloud_t", "flag_values": []any{uint64(1), uint64(300)}, "flag_meanings": "thin thick"},
			},
			{Name: "lon_like", DType: dtype.BFloat16, Shape: []int{6}, Dims: []string{"lon"}},
			{Name: "lev", DType: dtype.Float16, Shape: []int{2, 3}, Dims: []string{"lev", "time"}}, // named like a dimension, but no coordinate
			{Name: "scalar", DType: dtype.Uint64, Fill: bridgetest.Element(t, dtype.Uint64, "7")},
		},
	}
}

// writeContent writes a file whose elements consist of small numbers, and returns them.
func writeContent(t *testing.T, path string, c formats.Content) (all [][]byte) {
	t.Helper()
	return bridgetest.Write(t, path, "hdf5", c, bridgetest.SmallNumbers)
}

// A file with groups, scales, strings and attributes must survive.
func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	want := richContent(t)
	data := writeContent(t, path, want)
	got, err := formats.List(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Attrs, want.Attrs) {
		t.Errorf("attributes %v\nwant %v", got.Attrs, want.Attrs)
	}
	if g := got.Groups; g["sub"]["note"] != "of a group" || len(g) != 3 {
		t.Errorf("groups %v", g)
	}
	if len(got.Vars) != len(want.Vars) {
		t.Errorf("%d variables, want %d", len(got.Vars), len(want.Vars))
	}
	for i, w := range want.Vars {
		bridge.CheckVariable(t, path, w, data[i])
	}
}

// The same content must give the same bytes.
func TestSameBytes(t *testing.T) {
	dir := t.TempDir()
	var files [2][]byte
	for i := range files {
		path := filepath.Join(dir, fmt.Sprint(i))
		writeContent(t, path, richContent(t))
		var err error
		if files[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two files of the same content differ")
	}
}

// h5py must read what was written, with its types, scales and attributes, and append to it as a
// SWMR writer while a SWMR reader has it open.
func TestPeersRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	c := richContent(t)
	c.Vars = slices.DeleteFunc(c.Vars, func(v formats.Info) bool { return v.DType == dtype.BFloat16 }) // float32 in h5py
	writeContent(t, path, c)
	described := bridgetest.Describe[[]bridgetest.Description](t, bridge, path)[0]
	if equal, refused := compare(t, path, described); equal != len(c.Vars) || len(refused) > 0 {
		t.Errorf("%d of %d variables were compared; refused: %v", equal, len(c.Vars), refused)
	}
	if out := bridge.Python(t, "testdata/swmr.py", path); strings.TrimSpace(string(out)) != "ok" {
		t.Errorf("%s", out)
	}
	if info, buf := bridge.Get(t, path, "t"); fmt.Sprint(info.Shape) != "[4 4 6]" || !bytes.Equal(buf[2*72:], bytes.Repeat([]byte{5, 0}, 24)) {
		t.Errorf("%+v: % x", info, buf)
	}
}

// A file that another process is writing, and lets others read, must be read in its present state.
func TestReadWhileWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	writeContent(t, path, richContent(t))
	writer := exec.Command(bridge.Interpreter(t), "-c", `import sys, h5py
with h5py.File(sys.argv[1], "r+", libver="latest") as f:
    f.swmr_mode = True
    print("ready", flush=True)
    sys.stdin.read()`, path)
	in, err := writer.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := writer.StdoutPipe()
	if err == nil {
		err = writer.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Errorf("%q, %v", line, err)
	}
	if info, _ := bridge.Get(t, path, "t"); fmt.Sprint(info.Shape) != "[3 4 6]" {
		t.Errorf("%+v", info)
	}
	if err := errors.Join(in.Close(), writer.Wait()); err != nil {
		t.Error(err)
	}
}

// netCDF must read the dimensions of what was written, unless one variable has dimensions with and
// without names. netCDF has no attributes with two dimensions.
func TestNetCDFReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	c := richContent(t)
	delete(c.Attrs, "matrix")
	c.Vars = slices.DeleteFunc(c.Vars, func(v formats.Info) bool {
		return v.DType == dtype.BFloat16 || v.DType == dtype.Float16 || v.DType.IsComplex() || v.DType == dtype.Bool || v.Name == "sub/names"
	})
	writeContent(t, path, c)
	out := bridgetest.Tool(t, "netcdf-bin", "ncdump", "-h", path)
	for _, line := range []string{"time = UNLIMITED ; // (3 currently)", "lon = 6 ;", "short t(time, lat, lon) ;", "t:_FillValue = -999s ;", "cloud:_FillValue = missing ;", "byte enum cloud_t {missing = -1, thick_fog = 2} ;", "cloud_t cloud(lat, lon) ;", "string station(station) ;", "group: sub {"} {
		if !strings.Contains(string(out), line) {
			t.Errorf("no %q in\n%s", line, out)
		}
	}
}

// h5dump must show the written bytes.
func TestDumpedBytes(t *testing.T) {
	dir := t.TempDir()
	path, raw := filepath.Join(dir, "a.h5"), filepath.Join(dir, "raw")
	data := writeContent(t, path, richContent(t))
	if out, err := exec.Command("h5dump", "-d", "/t", "-b", "FILE", "-o", raw, path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, err := os.ReadFile(raw); err != nil || !bytes.Equal(got, data[3]) {
		t.Errorf("% x, want % x, %v", got, data[3], err)
	}
}

// Content that HDF5 cannot represent must be refused before a file is made, or the file must be
// removed.
func TestRefusedContent(t *testing.T) {
	one := formats.Info{Name: "a", DType: dtype.Int8, Shape: []int{2, 3}}
	with := func(change func(i *formats.Info)) []formats.Info {
		i := one
		change(&i)
		return []formats.Info{i}
	}
	longer := one
	longer.Name, longer.Shape, longer.Dims = "b", []int{2, 4}, []string{"y", "x"}
	for text, c := range map[string]formats.Content{
		"deflate 10: levels are 0 to 9":                    {Deflate: 10},
		"order [1 0]: HDF5 is row-major":                   {Vars: with(func(i *formats.Info) { i.Order = nd.ColMajor(2) })},
		"there is no element type dtype(0)":                {Vars: with(func(i *formats.Info) { i.DType = 0 })},
		"Chunk: 1 for 2 dimensions":                        {Vars: with(func(i *formats.Info) { i.Chunk = []int{1} })},
		"a fill value of 2 bytes for elements of 1 (int8)": {Vars: with(func(i *formats.Info) { i.Fill = []byte{1, 2} })},
		"33 dimensions: HDF5 has at most 32":               {Vars: with(func(i *formats.Info) { i.Shape = slices.Repeat([]int{1}, 33) })},
		`"a//b": no name for HDF5`:                         {Vars: with(func(i *formats.Info) { i.Name = "a//b" })},
		`"./b": no name for HDF5`:                          {Vars: with(func(i *formats.Info) { i.Name = "./b" })},
		"a: two variables have this name":                  {Vars: []formats.Info{one, one}},
		"dimension x has 4 elements, but 3 in":             {Vars: append(with(func(i *formats.Info) { i.Dims = []string{"y", "x"} }), longer)},
		"a/b: a is a variable, and cannot be a group":      {Vars: append(with(func(*formats.Info) {}), with(func(i *formats.Info) { i.Name = "a/b" })...)},
		"strings in HDF5 have no zero bytes":               {Vars: with(func(i *formats.Info) { i.Labels = []string{"a\x00b"} })},
		`group "x//y": "x//y": no name for HDF`:            {Groups: map[string]map[string]any{"x//y": nil}},
	} {
		bridgetest.NotWritten(t, "a.h5", "", c, text, nil)
	}
}

// Invalid elements must be refused, and so must elements after Close.
func TestWrongElements(t *testing.T) { bridgetest.WrongElements(t, "a.h5", cformat.ErrClosed) }

// A file may have attributes only.
func TestNoVariables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	writers, err := formats.CreateFile(path, "", formats.Content{Attrs: map[string]any{"a": int64(1)}})
	if err != nil || len(writers) != 0 {
		t.Fatal(writers, err)
	}
	c, err := formats.List(path, formats.Options{})
	if err != nil || c.Attrs["a"] != int64(1) || len(c.Vars) != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := formats.Open(path, formats.Options{}); !errors.Is(err, formats.ErrVariable) {
		t.Error(err)
	}
}

// An attribute CLASS that is not that of a scale must stay. The file must be closed when its
// writers are: its superblock must not say that somebody is writing it. Attributes with the names
// of libhdf5's references must be left out.
func TestImageClass(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	writeContent(t, path, formats.Content{Vars: []formats.Info{
		{Name: "time", DType: dtype.Int16, Shape: []int{2}, Dims: []string{"time"}, Attrs: map[string]any{"CLASS": "IMAGE", "DIMENSION_LIST": "x"}},
		{Name: "v", DType: dtype.Int16, Shape: []int{2, 3}, Dims: []string{"time", "x"}, Attrs: map[string]any{"CLASS": "IMAGE", "REFERENCE_LIST": "x"}},
		{Name: "w", DType: dtype.Int16, Shape: []int{2, 3}, Dims: []string{"time", "x"}, Attrs: map[string]any{"CLASS": []any{"IMAGE"}, "DIMENSION_LIST": "x"}},
	}})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const consistency = 11 // position of these flags in a superblock of version 3
	if data[8] != 3 || data[consistency] != 0 {
		t.Errorf("superblock % x", data[:12])
	}
	content, err := formats.List(path, formats.Options{})
	if err != nil || len(content.Vars) != 3 {
		t.Fatalf("%+v, %v", content, err)
	}
	for i, want := range []map[string]any{nil, {"CLASS": "IMAGE"}, {"CLASS": []any{"IMAGE"}}} {
		if v := content.Vars[i]; !reflect.DeepEqual(v.Attrs, want) {
			t.Errorf("%s: attributes %v, want %v", v.Name, v.Attrs, want)
		}
	}
}
