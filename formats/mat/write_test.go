//go:build matio && cgo

package mat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
	"drx/nd"
)

// written are the element types that MATLAB has.
var written = []dtype.DType{
	dtype.Bool, dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16, dtype.Int32, dtype.Uint32, dtype.Int64, dtype.Uint64,
	dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128,
}

// Whatever the type, the shape, the order and the compression, the written elements must be read
// unchanged, also by scipy.
func TestWriters(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for _, typ := range written {
		for i, shape := range [][]int{{}, {9}, {40, 70}, {3, 0, 2}, {5, 3, 4}, {2, 1, 2, 1, 2, 1, 3}} {
			for _, order := range []nd.Order{nil, nd.ColMajor(len(shape))} {
				for _, deflate := range []int{0, 5} {
					path := filepath.Join(dir, fmt.Sprintf("%v_%d_%d_%v.mat", typ, i, deflate, order == nil))
					info := formats.Info{Name: "X", DType: typ, Shape: shape, Order: order}
					bridgetest.WritesBack(t, bridgetest.RoundTrip{Path: path, Info: info, Deflate: deflate, Stored: asMATLAB})
					if len(shape) == 3 {
						paths = append(paths, path)
					}
				}
			}
		}
	}
	if equal := compareFiles(t, paths...); equal != len(paths) {
		t.Errorf("scipy agrees about %d files of %d", equal, len(paths))
	}
}

// asMATLAB returns the shape and the elements of an array in MATLAB: column-major, with at least
// two dimensions.
func asMATLAB(info formats.Info, elements []byte) ([]int, []byte) {
	shape := slices.Clone(info.Shape)
	for len(shape) < 2 {
		shape = append(shape, 1)
	}
	return shape, columns(elements, info.Shape, info.Order, info.DType.Size())
}

// write writes a file with random elements.
func write(t *testing.T, path string, c formats.Content) {
	t.Helper()
	bridgetest.Write(t, path, "", c, bridgetest.AnyBits)
}

// All bit patterns of several variables in one file must survive, among them NaN with payloads and
// the largest integers.
func TestBitPatterns(t *testing.T) {
	for _, deflate := range []int{0, 1} {
		c := formats.Content{Deflate: deflate}
		for _, typ := range written {
			c.Vars = append(c.Vars, formats.Info{Name: typ.String(), DType: typ, Shape: []int{33, 65}, Order: nd.ColMajor(2)})
		}
		dir := t.TempDir()
		bridge.KeepsBits(t, filepath.Join(dir, "a.mat"), c)
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("the folder has %v, %v", entries, err)
		}
	}
}

// Strings must become rows of characters, which scipy can read too.
func TestStrings(t *testing.T) {
	labels := []string{"one", "Größe", "", "three and more", "end"}
	indices := []uint32{1, 0, 3, 2, 1, 4}
	var data []byte
	for _, i := range indices {
		data = binary.LittleEndian.AppendUint32(data, i)
	}
	for i, shape := range [][]int{{6}, {3, 2}} {
		for _, deflate := range []int{0, 3} {
			path := filepath.Join(t.TempDir(), "a.mat")
			labels, want := slices.Clone(labels), []string{"Größe", "one", "three and more", "", "Größe", "end"}
			if i > 0 { // scipy expects each character in one code unit
				labels[4], want[5] = "𝄞", "𝄞"
			}
			info := formats.Info{Name: "text", DType: dtype.Uint32, Shape: shape, Order: nd.ColMajor(len(shape)), Labels: labels}
			writers, err := formats.CreateFile(path, "", formats.Content{Vars: []formats.Info{info}, Deflate: deflate})
			if err == nil {
				err = errors.Join(writers[0].WriteSection(nil, data), writers[0].Close())
			}
			if err != nil {
				t.Fatal(err)
			}
			got, elements := bridge.Get(t, path, "text")
			if rows := rowsOf(got, elements); !slices.Equal(rows, want) || !slices.Equal(got.Shape, shape) {
				t.Errorf("%q of shape %v, want %q of %v", rows, got.Shape, want, shape)
			}
			if i == 0 && compareFiles(t, path) != 1 {
				t.Error("scipy does not agree")
			}
		}
	}
}

// Names must become names that MATLAB allows, each once.
func TestNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mat")
	long := strings.Repeat("n", 80)
	c := formats.Content{}
	for _, name := range []string{"", "group/t.2m", "group_t_2m", "2m", "zwölf", long, long + "b"} {
		c.Vars = append(c.Vars, formats.Info{Name: name, DType: dtype.Uint8, Shape: []int{2, 2}})
	}
	write(t, path, c)
	got, err := formats.List(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range got.Vars {
		names = append(names, v.Name)
	}
	want := []string{"data", "group_t_2m", "group_t_2m_2", "x2m", "zw_lf", long[:63], long[:61] + "_2"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	compareFiles(t, path)
}

// Content that MATLAB cannot represent must give an error with advice, and leave no file.
func TestNotWritten(t *testing.T) {
	for _, c := range []struct {
		info formats.Info
		is   error
		text string
	}{
		{formats.Info{DType: dtype.Float16, Shape: []int{2}}, formats.ErrType, "as float32"},
		{formats.Info{DType: dtype.BFloat16, Shape: []int{2}}, formats.ErrType, "as float32"},
		{formats.Info{DType: dtype.Float64, Shape: []int{1 << 28}}, formats.ErrSize, "export sections"},
		{formats.Info{DType: dtype.Float32, Shape: []int{2}, Labels: []string{"a"}}, formats.ErrType, "no integers"},
	} {
		bridgetest.NotWritten(t, "a.mat", "", formats.Content{Vars: []formats.Info{c.info}}, c.text, c.is)
	}
}
