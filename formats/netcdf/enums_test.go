//go:build netcdf && cgo

package netcdf

import (
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
)

// flags returns the attributes of an enumeration.
func flags(name, meanings string, values ...any) map[string]any {
	return map[string]any{"enum_type": name, "flag_meanings": meanings, "flag_values": values}
}

// with returns attributes with one more.
func with(attrs map[string]any, name string, value any) map[string]any {
	attrs[name] = value
	return attrs
}

// Enumerations must survive with their attributes, also those that are written as integers. Another
// type must get another name.
func TestEnumerations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nc")
	x := []string{"x"}
	c := formats.Content{Vars: []formats.Info{
		{Name: "c", DType: dtype.Int8, Shape: []int{2}, Dims: x, Attrs: flags("cloud", "thick none thin", int64(2), int64(-1), int64(0))},
		{Name: "g/c", DType: dtype.Int8, Shape: []int{2}, Dims: x, Attrs: flags("cloud", "thick none thin", int64(2), int64(-1), int64(0))},
		{Name: "g/on", DType: dtype.Int8, Shape: []int{2}, Dims: x, Attrs: flags("bool", "TRUE FALSE", int64(1), int64(0))},
		{Name: "wide", DType: dtype.Int64, Shape: []int{2}, Dims: x, Attrs: flags("long", "least most", int64(-1<<63), int64(1<<63-1))},
		{Name: "z", DType: dtype.Complex64, Shape: []int{2}, Dims: x},
		// These are written as integers.
		{Name: "same", DType: dtype.Int8, Shape: []int{2}, Dims: x, Attrs: flags("sky", "thick none thin", int64(2), int64(-1), int64(0))},
		{Name: "fill", DType: dtype.Int16, Shape: []int{2}, Dims: x, Attrs: with(flags("fill", "a b", int64(1), int64(2)), "_FillValue", int64(3)), Fill: bridgetest.Element(t, dtype.Int16, "3")},
		{Name: "masks", DType: dtype.Uint8, Shape: []int{2}, Dims: x, Attrs: with(flags("masks", "a b", uint64(1), uint64(2)), "flag_masks", []any{uint64(1), uint64(2)})},
		{Name: "blanks", DType: dtype.Uint8, Shape: []int{2}, Dims: x, Attrs: flags("blanks", "a  b", uint64(1), uint64(2))},
		{Name: "nameless", DType: dtype.Uint8, Shape: []int{2}, Dims: x, Attrs: map[string]any{"flag_meanings": "a b", "flag_values": []any{uint64(1), uint64(2)}}},
	}}
	data := writeContent(t, path, "netcdf", c)
	for i, want := range c.Vars {
		bridge.CheckVariable(t, path, want, data[i])
	}
	out := tool(t, "ncdump", "-h", path)
	for _, line := range []string{
		"byte enum cloud {thick = 2, none = -1, thin = 0} ;", "cloud c(x) ;", "byte enum bool {TRUE = 1, FALSE = 0} ;", "bool on(x) ;",
		"byte same(x) ;", "short fill(x) ;", "ubyte masks(x) ;", "ubyte blanks(x) ;", "ubyte nameless(x) ;",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("no %q in\n%s", line, out)
		}
	}
	if n := strings.Count(out, "enum cloud {"); n != 1 {
		t.Errorf("the type cloud is there %d times", n)
	}
}

// A type must get another name if something else in its group has its name.
func TestEnumNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nc")
	var c formats.Content
	for _, name := range []string{"x", "v", "g", "complex64"} { // a dimension, a variable, a group, a type
		c.Vars = append(c.Vars, formats.Info{Name: "of " + name, DType: dtype.Uint8, Shape: []int{2}, Dims: []string{"x"}, Attrs: flags(name, name, uint64(1))})
	}
	c.Vars = append(c.Vars, formats.Info{Name: "v", DType: dtype.Complex64, Shape: []int{2}, Dims: []string{"x"}}, formats.Info{Name: "g/v", DType: dtype.Uint8, Shape: []int{}})
	writeContent(t, path, "netcdf", c)
	for _, v := range c.Vars[:4] {
		want := flags(v.Attrs["enum_type"].(string)+"_2", v.Attrs["flag_meanings"].(string), uint64(1))
		info, _ := bridge.Get(t, path, v.Name)
		if got := info.Attrs; got["enum_type"] != want["enum_type"] || got["flag_meanings"] != want["flag_meanings"] {
			t.Errorf("%s: %v, want %v", v.Name, got, want)
		}
	}
}
