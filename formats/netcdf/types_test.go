//go:build netcdf && cgo

package netcdf

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/formattest"
)

// typesFile makes a file with every type by ncgen.
func typesFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "types.nc")
	tool(t, "ncgen", "-4", "-o", path, "testdata/types.cdl")
	return path
}

// Every type of NetCDF must be read, or refused with a reason.
func TestTypes(t *testing.T) {
	path := typesFile(t)
	for name, want := range map[string]string{
		"c": "int8 [3] [x] 0,1,-3", "o.id": "int32 [1] [k] 1", "o.w.speed": "float32 [1] [k] 1.5", "o.w.from": "int16 [1 2] [k ] 2,3",
		"o.t": "float64 [1] [k] 2.5", "z": "complex128 [2] [y] (1+2i),(3-4i)", "names": `uint32 [2] [y] "ab","abcd"`, "one": `uint32 [] [] "xyz"`,
		"letters": `uint32 [3] [rec] "h","e","y"`, "crs": `uint32 [] [] ""`, "s": `uint32 [2 3] [y x] "a","","b","zwölf","a","b"`,
		"many": "int64 [3 2] [rec more] 1,2,3,4,5,6", "u": "uint8 [3] [x] 1,2,255", "f": "float32 [3] [x] 1,9.96921e+36,-1.5",
		"i": "int32 [3] [x] 1,2,-2147483647", "filled": "int16 [3] [x] 7,8,9", "inner/v": "int32 [3 2 1] [rec inner/x own] 1,2,3,4,5,6",
	} {
		info, buf := bridge.Get(t, path, name)
		var elements []string
		for at := 0; at < len(buf); at += info.DType.Size() {
			text := info.DType.Format(buf[at : at+info.DType.Size()])
			if info.Labels != nil {
				text = fmt.Sprintf("%q", info.Labels[buf[at]])
			}
			elements = append(elements, text)
		}
		if got := fmt.Sprintf("%v %v %v %s", info.DType, info.Shape, info.Dims, strings.Join(elements, ",")); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		formattest.Reader(t, func() (formats.Reader, error) { return formats.Open(path, formats.Options{Variable: name}) }, info, buf)
	}
	for name, want := range map[string]string{"r": "sequences of variable length", "b": "what the bytes mean, so let that write a copy with numbers", "o.code": "text inside of a record"} {
		if _, err := formats.Open(path, formats.Options{Variable: name}); !errors.Is(err, formats.ErrType) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An array of characters along a dimension that counts profiles must have a string for each
// profile, not one for all: xarray reads files of Argo in this way.
func TestCharactersOfProfiles(t *testing.T) {
	dir := t.TempDir()
	cdl, path := filepath.Join(dir, "a.cdl"), filepath.Join(dir, "a.nc")
	text := `netcdf a {
dimensions: N_PROF = 3 ; N_PARAM = 2 ; STRING4 = 4 ;
variables:
	char DATA_MODE(N_PROF) ;
	char PARAMETER_MODE(N_PROF, N_PARAM) ;
	char NAME(N_PARAM, STRING4) ;
	char KIND(STRING4) ;
	double JULD(N_PROF) ;
data:
	DATA_MODE = "RDA" ;
	PARAMETER_MODE = "RR", "DA", "AD" ;
	NAME = "PRES", "TEMP" ;
	KIND = "argo" ;
	JULD = 1, 2, 3 ;
}
`
	if err := os.WriteFile(cdl, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"-3", "-4"} {
		tool(t, "ncgen", kind, "-o", path, cdl)
		for name, want := range map[string]string{
			"DATA_MODE": "[3] [N_PROF] R,D,A", "PARAMETER_MODE": "[3 2] [N_PROF N_PARAM] R,R,D,A,A,D",
			"NAME": "[2] [N_PARAM] PRES,TEMP", "KIND": "[] [] argo",
		} {
			info, buf := bridge.Get(t, path, name)
			var elements []string
			for at := 0; at < len(buf); at += info.DType.Size() {
				elements = append(elements, info.Labels[buf[at]])
			}
			if got := fmt.Sprintf("%v %v %s", info.Shape, info.Dims, strings.Join(elements, ",")); got != want {
				t.Errorf("%s: %s is %s, want %s", kind, name, got, want)
			}
			formattest.Reader(t, func() (formats.Reader, error) { return formats.Open(path, formats.Options{Variable: name}) }, info, buf)
		}
	}
}

// The test checks everything besides the elements: fill values, meanings, growth, groups.
func TestDescriptions(t *testing.T) {
	path := typesFile(t)
	c, err := formats.List(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]formats.Info{}
	for _, v := range c.Vars {
		found[v.Name] = v
	}
	for name, want := range map[string]string{"i": "-2147483647", "f": "-1.5", "filled": "7", "many": "-9223372036854775806"} {
		if v := found[name]; v.Fill == nil || v.DType.Format(v.Fill) != want {
			t.Errorf("%s: fill value % x, want %s", name, v.Fill, want)
		}
	}
	if found["u"].Fill != nil || found["c"].Fill != nil || found["names"].Fill != nil {
		t.Error("bytes and strings have no default fill value")
	}
	meanings := map[string]any{"flag_values": []any{int64(0), int64(1), int64(-3)}, "flag_meanings": "Clear Cumulus Thick_Fog", "enum_type": "cloud"}
	if got := found["c"].Attrs; !reflect.DeepEqual(got, meanings) {
		t.Errorf("attributes of an enumeration: %v", got)
	}
	if got := found["i"].Attrs["sky"]; got != "Cumulus" {
		t.Errorf("an attribute of an enumeration: %v", got)
	}
	if got := found["many"].Unlimited; !slices.Equal(got, []bool{true, true}) {
		t.Errorf("many: unlimited %v", got)
	}
	if got := found["inner/v"].Unlimited; !slices.Equal(got, []bool{true, false, false}) {
		t.Errorf("inner/v: unlimited %v", got)
	}
	if _, there := c.Groups["inner"]; !there || len(c.Groups) != 1 {
		t.Errorf("groups %v", c.Groups)
	}
	_, err = formats.Open(path, formats.Options{})
	if !errors.Is(err, formats.ErrVariable) || !strings.Contains(err.Error(), "name one, the file has c, o.id, o.w.speed") {
		t.Error(err)
	}
	if _, err = formats.Open(path, formats.Options{Variable: "nothing"}); !errors.Is(err, formats.ErrVariable) {
		t.Error(err)
	}
}

// Elements in other files must not be read, although libhdf5 would read them.
func TestElsewhere(t *testing.T) {
	dir := t.TempDir()
	secret, path := filepath.Join(dir, "secret"), filepath.Join(dir, "a.nc")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	bridge.Python(t, "-c", `
import h5py, sys
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("there", shape=(6,), dtype="u1", external=[(sys.argv[2], 0, 6)])
    f.create_dataset("here", data=[1, 2, 3])
`, path, secret)
	if _, err := formats.Open(path, formats.Options{Variable: "there"}); !errors.Is(err, formats.ErrNotRead) || !strings.Contains(err.Error(), "its elements are in other files") {
		t.Error(err)
	}
	if info, buf := bridge.Get(t, path, "here"); info.Dims != nil || info.Shape[0] != 3 || buf[0] != 1 {
		t.Errorf("%+v % x", info, buf)
	}
}

// A file with a link to another file must be refused before that file is opened, wherever the link
// is and leads; its variables must not be listed either. A soft link leads out only through such a
// link.
func TestLinksToOtherFiles(t *testing.T) {
	dir := t.TempDir()
	bridge.Python(t, "-c", `
import h5py, os, sys
os.chdir(sys.argv[1])
with h5py.File("other.h5", "w") as f:
    f["x"], f["g/y"] = [1, 2], [3]
    f["x"].attrs["units"] = "secret"
os.mkfifo("pipe")
for i, (name, to) in enumerate({"v": "other.h5", "in/v": "/nowhere/other.h5", "absolute": os.path.abspath("other.h5"), "hangs": "pipe"}.items()):
    with h5py.File("link%d.nc" % i, "w") as f:
        f["here"] = [1, 2, 3]
        f[name] = h5py.ExternalLink(to, "x")
        f["soft"] = h5py.SoftLink("/" + name)
with h5py.File("soft.nc", "w") as f:
    f["here"] = [1, 2, 3]
    f["soft"] = h5py.SoftLink("/here")
`, dir)
	for i, name := range []string{"v", "in/v", "absolute", "hangs"} {
		path := filepath.Join(dir, fmt.Sprintf("link%d.nc", i))
		want := fmt.Sprintf("%q is a link to another file", name)
		if c, err := formats.List(path, formats.Options{}); !errors.Is(err, formats.ErrNotRead) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", path, c, err)
		}
		for _, v := range []string{name, "here", "soft"} {
			if _, err := formats.Open(path, formats.Options{Variable: v}); !errors.Is(err, formats.ErrNotRead) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: %v", path, v, err)
			}
		}
	}
	bridge.Get(t, filepath.Join(dir, "soft.nc"), "here")
}

// Files that only resemble NetCDF must give errors.
func TestOther(t *testing.T) {
	for name, content := range map[string]string{"empty header": "CDF\x01", "no file": "CDF\x05\xff\xff\xff\xff\xff\xff\xff\xff", "other": "hello", "hdf5": hdf5Magic + "and no more"} {
		path := filepath.Join(t.TempDir(), "a.nc")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := formats.List(path, formats.Options{}); err == nil || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Files may have any name except one with a backslash, which the library would read as a slash.
func TestNames(t *testing.T) {
	c := formats.Content{Vars: []formats.Info{{Name: "v", DType: dtype.Int8, Shape: []int{1}}}}
	for _, name := range []string{"a b.nc", "http:x.nc", "ü#mode=bytes.nc", "c:.nc"} {
		path := filepath.Join(t.TempDir(), name)
		writeContent(t, path, "netcdf", c)
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		bridge.Get(t, path, "v")
	}
	if _, err := formats.CreateFile(filepath.Join(t.TempDir(), `a\b.nc`), "", c); err == nil || !strings.Contains(err.Error(), "another name") {
		t.Error(err)
	}
}
