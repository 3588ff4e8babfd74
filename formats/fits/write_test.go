//go:build fits && cgo

package fits

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
	"drx/nd"
)

// A written image of any type, shape and compression must be read unchanged, also by astropy.
func TestWriters(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for _, e := range elements {
		for i, shape := range [][]int{{0}, {40, 70}, {3, 0, 2}, {5, 3, 4}, {2, 1, 2, 1, 2, 1, 3}} {
			for _, deflate := range []int{0, 5} {
				for _, chunk := range []int{0, 2} {
					info := formats.Info{DType: e.dtype, Shape: shape, Name: "X"}
					if chunk != 0 {
						info.Chunk = slices.Repeat([]int{chunk}, len(shape))
					}
					path := filepath.Join(dir, fmt.Sprintf("%v_%d_%d_%d.fits", e.dtype, i, deflate, chunk))
					bridgetest.WritesBack(t, bridgetest.RoundTrip{Path: path, Info: info, Deflate: deflate})
					if len(shape) == 2 {
						paths = append(paths, path)
					}
				}
			}
		}
	}
	if equal := compareFiles(t, paths...); equal != len(paths) {
		t.Errorf("astropy agrees about %d files of %d", equal, len(paths))
	}
}

// write writes a file with random elements.
func write(t *testing.T, path string, c formats.Content) {
	t.Helper()
	bridgetest.Write(t, path, "", c, bridgetest.AnyBits)
}

// All bit patterns must survive, among them NaN with payloads and the largest integers, compressed
// or not.
func TestBitPatterns(t *testing.T) {
	for _, deflate := range []int{0, 1} {
		c := formats.Content{Deflate: deflate}
		for _, e := range elements {
			c.Vars = append(c.Vars, formats.Info{Name: e.dtype.String(), DType: e.dtype, Shape: []int{33, 65}, Chunk: []int{8, 65}})
		}
		bridge.KeepsBits(t, filepath.Join(t.TempDir(), "a.fits"), c)
	}
}

// Attributes, names of dimensions and variables, fill values and scalings survive, and astropy
// reads the cards.
func TestContent(t *testing.T) {
	c := formats.Content{
		Attrs:  map[string]any{"TITLE": "all", "Conventions": "CF-1.8"},
		Groups: map[string]map[string]any{"SUB": {"NOTE": "of a group"}, "EMPTY": nil},
		Vars: []formats.Info{
			{
				Name: "SCI", DType: dtype.Int16, Shape: []int{2, 3}, Dims: []string{"y", "x"}, Fill: bridgetest.Element(t, dtype.Int16, "-9"),
				Attrs: map[string]any{
					"SHORT": "it's", "LONG": strings.Repeat("a 'long' text && ", 30) + "&", "N": int64(-3), "BIG": uint64(1<<64 - 1), "X": 0.1, "TINY": 5e-324, "ON": true,
					"WHOLE": 2.0, "BAD": "NaN", "units": "K", "A LONG NAME OF AN ATTRIBUTE": "and its value", "COMMENT": []any{"one", "two"},
					"HISTORY": []any{"made"}, "EXTVER": int64(1), "EMPTY": "", "QUOTES": strings.Repeat("'", 300),
				},
			},
			{Name: "SCI_2", DType: dtype.Float32, Shape: []int{4}, Fill: bridgetest.Element(t, dtype.Float32, "NaN"), Attrs: map[string]any{"EXTNAME": "SCI", "EXTVER": int64(2)}},
			{Name: "u", DType: dtype.Uint64, Shape: []int{2}, Fill: bridgetest.Element(t, dtype.Uint64, "7")},
			{Name: "f", DType: dtype.Float64, Shape: []int{2}, Fill: bridgetest.Element(t, dtype.Float64, "-999")},
		},
	}
	path := filepath.Join(t.TempDir(), "a.fits")
	write(t, path, c)
	got, err := formats.List(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Attrs, c.Attrs) || !reflect.DeepEqual(got.Groups["SUB"]["NOTE"], "of a group") {
		t.Errorf("attributes %v, groups %v", got.Attrs, got.Groups)
	}
	for i, v := range got.Vars {
		want := c.Vars[i]
		if v.Name != want.Name || !slices.Equal(v.Dims, want.Dims) || !bytes.Equal(v.Fill, want.Fill) {
			t.Errorf("%+v\nwant %+v", v, want)
		}
		for name, value := range want.Attrs {
			if !reflect.DeepEqual(v.Attrs[name], value) {
				t.Errorf("%s: %s is %#v, want %#v", v.Name, name, v.Attrs[name], value)
			}
		}
	}
	compareFiles(t, path)
}

// The CF attributes for scalings become cards. Unsigned integers, which need these cards
// themselves, are read as signed integers with the same meaning.
func TestScalingCards(t *testing.T) {
	attrs := map[string]any{"scale_factor": 0.5, "add_offset": 10.0}
	path := filepath.Join(t.TempDir(), "a.fits")
	write(t, path, formats.Content{Vars: []formats.Info{
		{Name: "i", DType: dtype.Int16, Shape: []int{2}, Attrs: attrs}, {Name: "u", DType: dtype.Uint16, Shape: []int{2}, Attrs: attrs},
	}})
	c, err := formats.List(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, offset := range []float64{10, 10 + 32768*0.5} {
		v := c.Vars[i]
		if v.DType != dtype.Int16 || v.Attrs["scale_factor"] != 0.5 || v.Attrs["add_offset"] != offset || v.Attrs["BSCALE"] != 0.5 || v.Attrs["BZERO"] != offset {
			t.Errorf("%s: %v %v", v.Name, v.DType, v.Attrs)
		}
	}
}

// Text with characters that cards do not allow is written with escapes, and lists as JSON.
func TestOtherValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.fits")
	write(t, path, formats.Content{Vars: []formats.Info{{DType: dtype.Uint8, Shape: []int{1}, Attrs: map[string]any{"A": "10 °C\n", "L": []any{int64(1), 2.5}}}}})
	info, _ := bridge.Get(t, path, "")
	if info.Name != "primary" || info.Attrs["A"] != `10 \u00b0C\n` || info.Attrs["L"] != "[1,2.5]" {
		t.Errorf("%q %v", info.Name, info.Attrs)
	}
}

// Content that FITS cannot represent must give an error with advice, and leave no file.
func TestNotWritten(t *testing.T) {
	for _, c := range []struct {
		info formats.Info
		is   error
		text string
	}{
		{formats.Info{DType: dtype.Bool, Shape: []int{2}}, formats.ErrType, "copy the array to uint8, or export it as uint8"},
		{formats.Info{DType: dtype.Float16, Shape: []int{2}}, formats.ErrType, "float32"},
		{formats.Info{DType: dtype.Complex64, Shape: []int{2}}, formats.ErrType, "two arrays"},
		{formats.Info{DType: dtype.Uint8, Shape: []int{2}, Labels: []string{"a"}}, formats.ErrType, "strings"},
		{formats.Info{DType: dtype.Uint8, Shape: []int{2, 2}, Order: nd.Order{1, 0}}, nd.ErrRank, "order"},
		{formats.Info{DType: dtype.Uint8, Shape: []int{2}, Attrs: map[string]any{"zwölf": 1}}, formats.ErrType, "rename it"},
		{formats.Info{DType: dtype.Int16, Shape: []int{2}, Fill: []byte{1}}, formats.ErrSize, "fill value of 1 bytes"},
	} {
		bridgetest.NotWritten(t, "a.fits", "", formats.Content{Vars: []formats.Info{c.info}}, c.text, c.is)
	}
}
