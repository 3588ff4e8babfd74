//go:build hdf5 && cgo

package hdf5

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
	"drx/nd"
)

// flags returns the attributes of an enumeration.
func flags(name, meanings string, values ...any) map[string]any {
	return map[string]any{"enum_type": name, "flag_meanings": meanings, "flag_values": values}
}

// enums returns variables that are written as enumerations, and "on" and "free", which are not.
func enums(t *testing.T) formats.Content {
	cloud := flags("cloud", "thick none thin", int64(2), int64(-1), int64(0))
	filled := flags("cloud", "thick none thin", int64(2), int64(-1), int64(0))
	filled["_FillValue"] = int64(-1)
	free := flags("free", "a b", int64(1), int64(2))
	free["_FillValue"] = int64(3)
	none := bridgetest.Element(t, dtype.Int8, "-1")
	return formats.Content{Vars: []formats.Info{
		{Name: "c", DType: dtype.Int8, Shape: []int{2}, Dims: []string{"x"}, Attrs: cloud},
		{Name: "g/c", DType: dtype.Int8, Shape: []int{2}, Dims: []string{"x"}, Attrs: filled, Fill: none},
		{Name: "g/d", DType: dtype.Uint64, Shape: []int{2}, Dims: []string{"x"}, Attrs: flags("wide", "a b", uint64(1<<64-1), uint64(0))},
		{Name: "on", DType: dtype.Uint8, Shape: []int{2}, Dims: []string{"x"}, Attrs: flags("bool", "TRUE FALSE", uint64(1), uint64(0))},
		{Name: "free", DType: dtype.Int32, Shape: []int{2}, Dims: []string{"x"}, Attrs: free, Fill: bridgetest.Element(t, dtype.Int32, "3")},
	}}
}

// Enumerations must survive with their attributes, in the same order, and h5dump, h5py and the
// programs of NetCDF must find them.
func TestEnumerations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	c := enums(t)
	data := writeContent(t, path, c)
	for i, want := range c.Vars {
		bridge.CheckVariable(t, path, want, data[i])
	}
	dumped := string(bridgetest.Tool(t, "hdf5-tools", "h5dump", "-A", path))
	for text, n := range map[string]int{`DATATYPE "cloud" H5T_ENUM`: 1, `DATATYPE "wide" H5T_ENUM`: 1, `DATATYPE  "/cloud"`: 3, `DATATYPE  "/g/wide"`: 1} {
		if strings.Count(dumped, text) != n { // one is also the type of a fill value
			t.Errorf("not %d times %q in\n%s", n, text, dumped)
		}
	}
	seen := strings.TrimSpace(string(bridge.Python(t, "-c", `import sys, h5py
with h5py.File(sys.argv[1]) as f:
    print(h5py.check_enum_dtype(f["g/c"].dtype), h5py.check_enum_dtype(f["on"].dtype), h5py.check_enum_dtype(f["free"].dtype), f["g/c"].attrs["_FillValue"])`, path)))
	if seen != "{'none': -1, 'thick': 2, 'thin': 0} None None -1" && seen != "{'thick': 2, 'none': -1, 'thin': 0} None None -1" {
		t.Error(seen)
	}
	copied := filepath.Join(t.TempDir(), "copy.nc")
	bridgetest.Tool(t, "netcdf-bin", "nccopy", path, copied)
	out := string(bridgetest.Tool(t, "netcdf-bin", "ncdump", "-h", copied))
	for _, line := range []string{"byte enum cloud {thick = 2, none = -1, thin = 0} ;", "_FillValue = none ;", "uint64 enum wide {a = ", "ubyte on(x) ;", "int free(x) ;"} {
		if !strings.Contains(out, line) {
			t.Errorf("no %q in\n%s", line, out)
		}
	}
	for _, name := range []string{"c", "g/c"} { // libnetcdf gives the datasets copies of the committed type
		if info, _ := bridge.Get(t, copied, name); info.Attrs["enum_type"] != "cloud" {
			t.Errorf("%s: %v", name, info.Attrs)
		}
	}
}

// The type of an enumeration must have its name in the original file, or that of an equal type, and
// otherwise that of the variable.
func TestEnumNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	bridge.Python(t, "-c", `import sys, h5py, numpy
with h5py.File(sys.argv[1], "w") as f:
    kind, big = h5py.enum_dtype({"a": 1, "b": 0}, "i2"), h5py.enum_dtype({"a": 1, "b": 0}, ">i2")
    f["types/first"], f["types/second"], f["g/near"], f["root"] = kind, kind, kind, kind
    f["deep/l_t"] = h5py.enum_dtype({"c": 5}, "u1")
    f.create_dataset("elsewhere/v", (2,), h5py.enum_dtype({"c": 5}, "u1"))
    f.create_dataset("g/h/committed", (2,), f["types/second"])
    f.create_dataset("g/h/near", (2,), kind)
    f.create_dataset("anywhere", (2,), kind)
    f.create_dataset("other", (2,), h5py.enum_dtype({"a": 1, "b": 0}, "i4"))
    f.create_dataset("big.endian", (2,), big, maxshape=(None,), chunks=(8,))
    f.create_dataset("rows", (2,), numpy.dtype((kind, (3,))))
    f.create_dataset("table", (2,), numpy.dtype([("k", kind), ("l", h5py.enum_dtype({"c": 5}, "u1"))]))
    f.create_dataset("on", (2,), h5py.enum_dtype({"TRUE": 1, "FALSE": 0}, "u1"))`, path)
	c, err := formats.List(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	for _, v := range c.Vars {
		got[v.Name] = v.Attrs["enum_type"]
		if v.DType == dtype.Bool {
			got[v.Name] = "bool"
		}
	}
	want := map[string]any{
		"g/h/committed": "second", "g/h/near": "near", "anywhere": "root", "elsewhere/v": "l_t", "other": "other_t", "big.endian": "root", "rows": "root",
		"table.k": "root", "table.l": "l_t", "on": "bool",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	grown := formats.Info{Name: "big.endian", DType: dtype.Int16, Shape: []int{3}}
	if _, err := formats.AppendFile(path, "hdf5", formats.Content{Vars: []formats.Info{grown}}); !errors.Is(err, formats.ErrSize) || !strings.Contains(err.Error(), "an enumeration of other integers than little-endian int16") {
		t.Error(err)
	}
}

// A file with enumerations must be able to grow, and elements outside of the values must stay as
// they are.
func TestEnumGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	v := formats.Info{Name: "v", DType: dtype.Int16, Shape: []int{2}, Unlimited: []bool{true}, Chunk: []int{4}, Attrs: flags("e", "a b", int64(0), int64(1))}
	for n, create := range []func(string, string, formats.Content) ([]formats.Writer, error){formats.CreateFile, formats.AppendFile} {
		v.Shape = []int{2 + 2*n}
		writers, err := create(path, "hdf5", formats.Content{Vars: []formats.Info{v}, Deflate: 4})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(writers[0].WriteSection(nd.Sec(nd.Span(2*n, 2+2*n)), []byte{byte(n), 0, 7, 1}), writers[0].Close()); err != nil {
			t.Fatal(err)
		}
	}
	bridge.CheckVariable(t, path, v, []byte{0, 0, 7, 1, 1, 0, 7, 1})
}
