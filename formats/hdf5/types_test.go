//go:build hdf5 && cgo

package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
	"drx/formats/cformat"
	"drx/formats/formattest"
	"drx/nd"
)

// Every type, layout and filter that h5py can write must be read as h5py reads it.
func TestTypes(t *testing.T) {
	dir := bridge.Files(t)
	least := map[string]int{
		"numbers": 60, "filters": 11, "compounds": 6, "strings": 10, "links": 1, "scales": 9, "attributes": 4,
		"virtual": 4, "external": 1, "odd": 3, "block": 1,
	}
	var paths, names []string
	for name := range least {
		names = append(names, name)
		paths = append(paths, filepath.Join(dir, name+".h5"))
	}
	for i, arrays := range bridgetest.Describe[[]bridgetest.Description](t, bridge, paths...) {
		arrays = slices.DeleteFunc(arrays, func(d bridgetest.Description) bool { return d.Name == "bfloat16" }) // float32 in h5py
		if equal, refused := compare(t, paths[i], arrays); equal < least[names[i]] {
			t.Errorf("%s: %d arrays were compared, expected at least %d; refused: %v", names[i], equal, least[names[i]], refused)
		}
	}
}

// Every section of every kind of variable must be read.
func TestSections(t *testing.T) {
	dir := bridge.Files(t)
	for _, c := range [][2]string{
		{"numbers.h5", "chunked/float16_be"},
		{"numbers.h5", "contiguous/complex64_be"},
		{"numbers.h5", "scalar"},
		{"numbers.h5", "empty"},
		{"compounds.h5", "table.at.y"},
		{"compounds.h5", "table.z"},
		{"compounds.h5", "table.on"},
		{"compounds.h5", "vectors"},
		{"compounds.h5", "table.at.label"},
		{"strings.h5", "chunked"},
		{"strings.h5", "fixed"},
		{"strings.h5", "one"},
		{"strings.h5", "many"},
		{"strings.h5", "manyvariable"},
		{"virtual.h5", "rows"},
		{"filters.h5", "sparse"},
		{"filters.h5", "lzf_long"},
		{"block.h5", "x"},
	} {
		path := filepath.Join(dir, c[0])
		info, elements := bridge.Get(t, path, c[1])
		formattest.Reader(t, func() (formats.Reader, error) {
			return formats.Open(path, formats.Options{Variable: c[1]})
		}, info, elements)
	}
}

// The test reads types that NumPy does not have.
func TestOddTypes(t *testing.T) {
	path := filepath.Join(bridge.Files(t), "odd.h5")
	for name, want := range map[string]string{
		"int24":    "int32 -8388608 -1 0 8388607",
		"bfloat16": "bfloat16 1 -2.5 3.39e+38 0.156",
		"float8":   "float16 1 -2.5 0.25 208",
		"bits":     "uint16 1 32769 65280",
		"nbit":     "int16 -2048 -1 0 1 2047",
	} {
		info, buf := bridge.Get(t, path, name)
		got := info.DType.String()
		for size := info.DType.Size(); len(buf) > 0; buf = buf[size:] {
			got += " " + info.DType.Format(buf[:size])
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// Long doubles must be read if the caller accepts the nearest float64.
func TestRounded(t *testing.T) {
	path := filepath.Join(bridge.Files(t), "odd.h5")
	r, err := formats.Open(path, formats.Options{Variable: "longdouble", Rounded: true})
	if err != nil {
		t.Fatal(err)
	}
	info, buf := r.Info(), make([]byte, 16)
	if err := errors.Join(r.ReadSection(nil, buf), r.Close()); err != nil || info.DType != dtype.Float64 || info.Refused != "" || !bytes.Equal(buf, dtype.Bytes([]float64{1.5, 2})) {
		t.Errorf("%+v, %v, %v", info, buf, err)
	}
	if _, err := formats.Open(path, formats.Options{Variable: "opaque", Rounded: true}); !errors.Is(err, formats.ErrType) {
		t.Errorf("opaque: %v", err)
	}
}

// Variables without counterpart, in other files, or missing must be refused with a reason, by List
// and by Open.
func TestRefusedVariables(t *testing.T) {
	dir := bridge.Files(t)
	for name, want := range map[string]struct {
		text string
		is   error
	}{
		"odd.h5/longdouble":          {"long double", formats.ErrType},
		"odd.h5/opaque":              {"opaque", formats.ErrType},
		"odd.h5/sequences":           {"variable length", formats.ErrType},
		"odd.h5/references":          {"outside of the file: let h5py write", formats.ErrType},
		"odd.h5/int128":              {"integers of 128 bits are larger than any type here: let the program", formats.ErrType},
		"odd.h5/bits128":             {"bit fields of 128 bits are larger than any type here: let the program", formats.ErrType},
		"odd.h5/texts":               {"arrays of strings", formats.ErrType},
		"odd.h5/nothing":             {"null", nil},
		"filters.h5/unknown":         {"filter 32123", formats.ErrNotRead},
		"links.h5/dangling":          {"link", nil},
		"links.h5/absent":            {`"absent.h5" is not there`, fs.ErrNotExist},
		"links.h5/outside":           {`"../outside.h5" lies outside`, nil},
		"links.h5/absolute":          {"lies outside of the folder", nil},
		"links.h5/around":            {"link", nil},
		"external.h5/absolute":       {`"/etc/passwd" lies outside`, nil},
		"external.h5/above":          {`"../x.raw" lies outside`, nil},
		"external.h5/absent":         {`"absent.raw" is not there`, fs.ErrNotExist},
		"external.h5/folder":         {"no regular file", nil},
		"virtual.h5/missing":         {`"part9.h5" is not there`, fs.ErrNotExist},
		"virtual.h5/missing_dataset": {`"e" is not in "part0.h5"`, nil},
		"virtual.h5/outside":         {"lies outside", nil},
		"virtual.h5/secret":          {`"/etc/passwd" lies outside`, nil},
		"cycle.h5/itself":            {"part of itself", nil},
		"cycle.h5/a":                 {"part of itself", nil},
	} {
		file, variable, _ := strings.Cut(name, "/")
		path := filepath.Join(dir, file)
		c, err := formats.List(path, formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(c.Vars, func(v formats.Info) bool { return v.Name == variable })
		if at < 0 || !strings.Contains(c.Vars[at].Refused, want.text) || strings.Contains(c.Vars[at].Refused, "\n") {
			t.Errorf("%s: %+v", name, c.Vars)
		}
		_, err = formats.Open(path, formats.Options{Variable: variable})
		if err == nil || !strings.Contains(err.Error(), want.text) || !strings.HasPrefix(err.Error(), path+": "+variable) || want.is != nil && !errors.Is(err, want.is) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The target of several links must be listed once; the other paths must open it too.
func TestLinks(t *testing.T) {
	path := filepath.Join(bridge.Files(t), "links.h5")
	c, err := formats.List(path, formats.Options{})
	var readable []string
	for _, v := range c.Vars {
		if v.Refused == "" {
			readable = append(readable, v.Name)
		}
	}
	if err != nil || fmt.Sprint(readable) != "[zz/data external]" {
		t.Errorf("%v, %v", readable, err)
	}
	_, want := bridge.Get(t, path, "zz/data")
	for _, name := range []string{"/zz/data", "aa/hard", "aa/soft", "aa/cycle/aa/cycle/zz/data"} {
		if info, got := bridge.Get(t, path, name); info.Name != "zz/data" || !slices.Equal(got, want) {
			t.Errorf("%s is %s with % x", name, info.Name, got)
		}
	}
	for variable, text := range map[string]string{"": "name one, the file has zz/data, ", "nothing": `"nothing": no such variable: the file has zz/data, `, "zz": `"zz": no such`} {
		_, err := formats.Open(path, formats.Options{Variable: variable})
		if !errors.Is(err, formats.ErrVariable) || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", variable, err)
		}
	}
}

// A dimension must have the name of its scale, or of its label. One name must mean one dimension,
// also if two dimensions have the same extent.
func TestDimensionNames(t *testing.T) {
	path := filepath.Join(bridge.Files(t), "scales.h5")
	c, err := formats.List(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"time": {"time"}, "lat": {"lat"}, "g/lat": {"g/lat"}, "h/lat": {"h/lat"}, "t": {"time", "lat", ""}, "g/t": {"time", "g/lat", ""},
		"h/t": {"h/lat", ""}, "labels": {"time", ""}, "clash": {"x"},
	}
	extents := map[string]int{}
	for _, v := range c.Vars {
		if !slices.Equal(v.Dims, want[v.Name]) {
			t.Errorf("%s: %q, want %q", v.Name, v.Dims, want[v.Name])
		}
		for d, name := range v.Dims {
			if n, known := extents[name]; known && name != "" && n != v.Shape[d] {
				t.Errorf("%s: %q has %d elements, and %d elsewhere", v.Name, name, v.Shape[d], n)
			}
			extents[name] = v.Shape[d]
		}
	}
}

// Attributes must become values of JSON, and fill values elements.
func TestAttributes(t *testing.T) {
	path := filepath.Join(bridge.Files(t), "attributes.h5")
	c, err := formats.List(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Attrs["title"] != "all" || c.Groups["g/h"]["n"] != int64(1) || len(c.Groups) != 2 {
		t.Errorf("%v %v", c.Attrs, c.Groups)
	}
	infos := map[string]formats.Info{}
	for _, v := range c.Vars {
		infos[v.Name] = v
	}
	want := map[string]any{
		"_FillValue": 1e20, "int": int64(-5), "uint": uint64(1<<64 - 1), "real": 0.1, "single": 0.1,
		"list": []any{int64(1), int64(2), int64(3)}, "matrix": []any{[]any{1.5, "NaN"}, []any{"Infinity", "-Infinity"}},
		"text": "zwölf", "bytes": "abc", "texts": []any{"a", "bc"}, "bool": true, "bools": []any{true, false},
		"named": "GREEN", "complex": []any{1.0, 2.0}, "record": map[string]any{"n": int64(1), "x": 2.5},
		"empty": []any{}, "nothing": "",
	}
	if got := infos["d"].Attrs; !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	enum := map[string]any{"flag_values": []any{uint64(2), uint64(1)}, "flag_meanings": "SNOW light_rain", "enum_type": "enum_t"}
	if got := infos["enum"]; !reflect.DeepEqual(got.Attrs, enum) || got.DType != dtype.Uint8 {
		t.Errorf("%v", got)
	}
	for name, fill := range map[string]string{"d": "1e+20", "missing": "-99", "misfit": "9"} {
		if v := infos[name]; v.DType.Format(v.Fill) != fill {
			t.Errorf("%s: fill value % x, want %s", name, v.Fill, fill)
		}
	}
}

// Several goroutines must be able to read a file, each with its own reader.
func TestGoroutines(t *testing.T) {
	path := filepath.Join(bridge.Files(t), "numbers.h5")
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for _, name := range []string{"chunked/float64_be", "nothing", "contiguous/int8_le", "extremes"} {
				r, err := formats.Open(path, formats.Options{Variable: name})
				if (err != nil) != (name == "nothing") {
					t.Error(err)
				}
				if err != nil {
					continue
				}
				n, _ := r.Info().Bytes()
				if err := errors.Join(r.ReadSection(nil, make([]byte, n)), r.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

// A closed reader, and a file from a pipe, must give errors.
func TestMisuse(t *testing.T) {
	path := filepath.Join(bridge.Files(t), "block.h5")
	r, err := formats.Open(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := r.ReadSection(nd.Sec(nd.At(0)), make([]byte, 8)); !errors.Is(err, cformat.ErrClosed) {
		t.Error(err)
	}
	if _, err := read(&formats.Input{Path: "-"}); !errors.Is(err, formats.ErrNotRead) {
		t.Error(err)
	}
}
