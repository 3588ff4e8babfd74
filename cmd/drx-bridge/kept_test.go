//go:build hdf5 && netcdf && fits && gdal && matio

package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	_ "drx/formats/zarr" // registers Zarr, which drx itself has
	"drx/nd"
)

// A target is a format that is written, with the extension of its files.
type target struct {
	name, ext string
	reader    string      // the format for reading them; "": detected from the file
	text      bool        // numbers are written as text, which is read as float64
	bytes     dtype.DType // of elements of one byte; 0: uint8
}

// targets are all formats that are written.
var targets = []target{
	{name: "hdf5", ext: ".h5"},
	{name: "netcdf", ext: ".nc"},
	{name: "cdf1", ext: ".nc", bytes: dtype.Int8},
	{name: "cdf2", ext: ".nc", bytes: dtype.Int8},
	{name: "cdf5", ext: ".nc5"},
	{name: "netcdf3", ext: ".nc3"},
	{name: "zarr2", ext: ".zarr"},
	{name: "zarr3", ext: ".zarr3"},
	{name: "zarrzip", ext: ".zip"},
	{name: "fits", ext: ".fits"},
	{name: "mat", ext: ".mat"},
	{name: "geotiff", ext: ".tif", reader: "geotiff"},
	{name: "envi", ext: ".img", reader: "envi"},
	{name: "npy", ext: ".npy"},
	{name: "npz", ext: ".npz"},
	{name: "gzip", ext: ".npy.gz"},
	{name: "png", ext: ".png"},
	{name: "csv", ext: ".csv", text: true},
	{name: "tsv", ext: ".tsv", text: true},
}

// Every format that can be written is in the table, but Parquet, whose variables come back as
// columns; TestParquetOfPrograms has these.
func TestAllTargets(t *testing.T) {
	for _, f := range formats.Formats() {
		if f.Name == "parquet" {
			continue
		}
		listed := slices.ContainsFunc(targets, func(at target) bool { return at.name == f.Name })
		if f.Writes() != listed {
			t.Errorf("%s: written %v, in the table %v", f.Name, f.Writes(), listed)
		}
	}
}

// A stored variable is a variable with its elements, row-major.
type stored struct {
	info     formats.Info
	elements []byte
}

// roundTrip writes variables to a file and reads them back, as they are listed. An error of Create
// that says what the format cannot have wraps errRefused.
func (f target) roundTrip(t *testing.T, c formats.Content, elements ...[]byte) (formats.Content, []stored, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a"+f.ext)
	writers, err := formats.CreateFile(path, f.name, c)
	if err != nil {
		if _, left := os.Lstat(path); !errors.Is(left, fs.ErrNotExist) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: %v; a file is left: %v", f.name, err, left)
		}
		return formats.Content{}, nil, fmt.Errorf("%w: %w", errRefused, err)
	}
	for i, w := range writers {
		if err := w.WriteSection(nil, elements[i]); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
	}
	for _, w := range writers {
		if err := w.Close(); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
	}
	return f.read(t, path)
}

// errRefused is wrapped by the errors of files that are not written.
var errRefused = errors.New("refused")

// read reads a file.
func (f target) read(t *testing.T, path string) (c formats.Content, vars []stored, err error) {
	t.Helper()
	if c, err = formats.List(path, formats.Options{Format: f.reader}); err != nil {
		return c, nil, err
	}
	for _, v := range c.Vars {
		if v.Refused != "" {
			t.Errorf("%s: %s: %s", f.name, v.Name, v.Refused)
			continue
		}
		r, err := formats.Open(path, formats.Options{Format: f.reader, Variable: v.Name})
		if err != nil {
			return c, nil, err
		}
		info := r.Info()
		n, err := info.Bytes()
		buf := make([]byte, n)
		if err == nil {
			err = r.ReadSection(nil, buf)
		}
		if err := errors.Join(err, r.Close()); err != nil {
			return c, nil, err
		}
		vars = append(vars, stored{info, rowMajor(info, buf)})
	}
	return c, vars, nil
}

// rowMajor returns elements in row-major order.
func rowMajor(info formats.Info, buf []byte) (out []byte) {
	size, strides := info.DType.Size(), info.Order.Strides(info.Shape)
	if len(buf) == 0 {
		return nil
	}
	lo, index := make([]int, len(info.Shape)), make([]int, len(info.Shape))
	for more := true; more; more = len(index) > 0 && nd.Next(index, lo, info.Shape) {
		at := 0
		for d, i := range index {
			at += i * strides[d]
		}
		out = append(out, buf[at*size:][:size]...)
	}
	return out
}

// extremes returns six elements of a type: its limits, zero, and others. With small they are
// integers of float64.
func extremes(t *testing.T, typ dtype.DType, small bool) (out []byte) {
	t.Helper()
	values := []any{0, 1, 2, 100, 7, 3}
	switch {
	case typ == dtype.Bool:
		return []byte{1, 0, 0, 1, 1, 0}
	case typ.IsComplex():
		values = []any{0, 1, complex(1, -2), complex(0, 0.5), complex(-3, 0), complex(1, 1)}
	case typ.IsFloat():
		values = []any{0, math.NaN(), -2.25, 0.5, 1024, math.Inf(-1)}
	case !small && typ >= dtype.Uint8 && typ <= dtype.Uint64:
		values[4] = uint64(math.MaxUint64) >> (64 - 8*typ.Size())
	case !small:
		values[4], values[5] = int64(math.MaxInt64)>>(64-8*typ.Size()), int64(math.MinInt64)>>(64-8*typ.Size())
	}
	for _, v := range values {
		b, err := typ.EncodeValue(v)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b...)
	}
	return out
}

// sameValues reports whether the elements of two types have the same values.
func sameValues(a dtype.DType, x []byte, b dtype.DType, y []byte) bool {
	if a == b {
		return slices.Equal(x, y)
	}
	for ; len(x) > 0 && len(y) > 0; x, y = x[a.Size():], y[b.Size():] {
		if a.IsComplex() || b.IsComplex() {
			return false
		}
		p, q := a.Float64(x), b.Float64(y)
		if a == dtype.Bool {
			p = float64(x[0])
		}
		if p != q && (!math.IsNaN(p) || !math.IsNaN(q)) {
			return false
		}
	}
	return len(x) == 0 && len(y) == 0
}

// types returns the element types that are preserved, those that become another type with the same
// values, and those that are refused.
func (f target) types(t *testing.T) (same, other, refused []string) {
	for _, typ := range dtype.All() {
		data := extremes(t, typ, f.text)
		_, got, err := f.roundTrip(t, formats.Content{Vars: []formats.Info{{Name: "v", DType: typ, Shape: []int{2, 3}}}}, data)
		switch {
		case errors.Is(err, errRefused) && (errors.Is(err, formats.ErrType) || errors.Is(err, dtype.ErrDType)):
			refused = append(refused, typ.String())
		case err != nil || len(got) != 1 || !slices.Equal(got[0].info.Shape, []int{2, 3}) || !sameValues(typ, data, got[0].info.DType, got[0].elements):
			t.Errorf("%s: %v: wrote % x, read %+v, %v", f.name, typ, data, got, err)
		case got[0].info.DType == typ:
			same = append(same, typ.String())
		default:
			other = append(other, typ.String()+" as "+got[0].info.DType.String())
		}
	}
	return same, other, refused
}

// A kept describes what an export preserves.
type kept struct {
	ranks                                         []string
	nothing, several, groups, dims, coordinates   string
	unlimited, fill, strings                      string
	text, numbers, numberLists, textLists, ofFile string
}

// Words of the table.
const (
	yes, no, isRefused = "yes", "no", "refused"
)

// answer returns the word for the result of an attempt.
func answer(err error, came bool) string {
	switch {
	case errors.Is(err, errRefused):
		return isRefused
	case err == nil && came:
		return yes
	}
	return no
}

// counting returns elements of uint8 that count, and differ.
func counting(shape ...int) []byte {
	n, _ := nd.Product(shape...) // small
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(i + 1)
	}
	return out
}

// kept exports files and determines what is preserved.
func (f target) kept(t *testing.T) (k kept) {
	f.shapes(t, &k)
	f.names(t, &k)
	f.attributes(t, &k)
	f.values(t, &k)
	return k
}

// shapes tries ranks and arrays without elements.
func (f target) shapes(t *testing.T, k *kept) {
	for rank := range 8 {
		shape := []int{3, 4, 3, 1, 3, 2, 2}[:rank]
		_, got, err := f.roundTrip(t, formats.Content{Vars: []formats.Info{{Name: "v", DType: f.byteType(), Shape: shape}}}, counting(shape...))
		if err == nil && slices.Equal(got[0].info.Shape, shape) && sameValues(f.byteType(), counting(shape...), got[0].info.DType, got[0].elements) {
			k.ranks = append(k.ranks, fmt.Sprint(rank))
		}
	}
	_, got, err := f.roundTrip(t, formats.Content{Vars: []formats.Info{{Name: "v", DType: f.byteType(), Shape: []int{0, 3}}}}, nil)
	k.nothing = answer(err, err == nil && slices.Equal(got[0].info.Shape, []int{0, 3}))
}

// byteType returns a type of one byte that the format has.
func (f target) byteType() dtype.DType { return cmp.Or(f.bytes, dtype.Uint8) }

// variable returns a variable with names of its dimensions.
func (f target) variable(name string, shape []int, dims ...string) formats.Info {
	return formats.Info{Name: name, DType: f.byteType(), Shape: shape, Dims: dims}
}

// find returns the variable of a name.
func find(vars []stored, name string) (v stored) {
	for _, v := range vars {
		if v.info.Name == name {
			return v
		}
	}
	return v
}

// names tries several variables, groups, names of dimensions, coordinates and growable dimensions.
func (f target) names(t *testing.T, k *kept) {
	plane := []int{2, 3}
	unnamed := formats.Info{DType: f.byteType(), Shape: plane}
	a, b, inGroup := unnamed, unnamed, unnamed
	a.Name, b.Name, inGroup.Name = "a", "b", "g/c"
	_, got, err := f.roundTrip(t, formats.Content{Vars: []formats.Info{a, b}}, counting(2, 3), counting(2, 3))
	k.several = answer(err, len(got) == 2 && find(got, "a").elements != nil && find(got, "b").elements != nil)
	_, got, err = f.roundTrip(t, formats.Content{Vars: []formats.Info{a, inGroup}}, counting(2, 3), counting(2, 3))
	k.groups = answer(err, len(got) == 2 && find(got, "g/c").elements != nil)
	_, got, err = f.roundTrip(t, formats.Content{Vars: []formats.Info{f.variable("v", plane, "lat", "lon")}}, counting(2, 3))
	k.dims = answer(err, err == nil && slices.Equal(got[0].info.Dims, []string{"lat", "lon"}))
	_, got, err = f.roundTrip(t, formats.Content{Vars: []formats.Info{f.variable("lat", []int{2}, "lat"), f.variable("v", plane, "lat", "lon")}}, counting(2), counting(2, 3))
	k.coordinates = answer(err, slices.Equal(find(got, "lat").info.Dims, []string{"lat"}) && slices.Equal(find(got, "v").info.Dims, []string{"lat", "lon"}))
	k.unlimited = no
	for _, can := range [][]bool{{true, true}, {true, false}} {
		v := f.variable("v", plane, "lat", "lon")
		v.Unlimited = can
		if _, got, err = f.roundTrip(t, formats.Content{Vars: []formats.Info{v}}, counting(2, 3)); err == nil && slices.Equal(got[0].info.Unlimited, can) {
			k.unlimited = map[bool]string{true: "all", false: "the first"}[can[1]]
			break
		}
	}
}

// attributes tries attributes of a variable and of the file.
func (f target) attributes(t *testing.T, k *kept) {
	one := formats.Info{Name: "v", DType: f.byteType(), Shape: []int{2, 3}}
	for _, c := range []struct {
		to    *string
		value any
	}{
		{&k.text, "twelve"},
		{&k.numbers, int64(3)},
		{&k.numbers, 0.5},
		{&k.numberLists, []any{int64(1), int64(2)}},
		{&k.numberLists, []any{0.5, "NaN"}},
		{&k.textLists, []any{"a", "b", "c"}},
	} {
		one.Attrs = map[string]any{"note": c.value}
		_, got, err := f.roundTrip(t, formats.Content{Vars: []formats.Info{one}}, counting(2, 3))
		said := answer(err, err == nil && sameAttr(got[0].info.Attrs["note"], c.value))
		if said == no && err == nil {
			said = otherForm(got[0].info.Attrs, c.value)
		}
		if *c.to != "" && *c.to != said {
			t.Errorf("%s: attribute %v: %s, others %s", f.name, c.value, said, *c.to)
		}
		*c.to = said
	}
	one.Attrs = nil
	c, got, err := f.roundTrip(t, formats.Content{Vars: []formats.Info{one}, Attrs: map[string]any{"note": "of the file"}}, counting(2, 3))
	switch {
	case err == nil && (c.Attrs["note"] == "of the file" || c.Attrs["NOTE"] == "of the file"):
		k.ofFile = yes
	case err == nil && got[0].info.Attrs["note"] == "of the file":
		k.ofFile = "of the variable"
	default:
		k.ofFile = answer(err, false)
	}
}

// otherForm describes the changed form of an attribute.
func otherForm(attrs map[string]any, value any) string {
	raw, _ := formats.EncodeAttr(value) // a value of the tests
	for name, form := range map[string]string{"note": "as text", "NOTE": "as text, upper case"} {
		if text, ok := attrs[name].(string); ok && text == string(raw) {
			return form
		}
	}
	if sameAttr(attrs["NOTE"], value) {
		return "upper case"
	}
	return no
}

// sameAttr reports whether two attributes are equal, whatever the Go type of a list.
func sameAttr(a, b any) bool {
	x, errA := formats.EncodeAttr(a)
	y, errB := formats.EncodeAttr(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}

// values tries fill values and strings.
func (f target) values(t *testing.T, k *kept) {
	fill := formats.Info{Name: "v", DType: dtype.Int16, Shape: []int{2, 3}, Fill: []byte{9, 0}}
	if f.name == "png" {
		fill.DType = dtype.Uint16
	}
	_, got, err := f.roundTrip(t, formats.Content{Vars: []formats.Info{fill}}, make([]byte, 12))
	k.fill = answer(err, err == nil && slices.Equal(got[0].info.Fill, fill.Fill))
	words := formats.Info{Name: "v", DType: dtype.Uint32, Shape: []int{3}, Labels: []string{"b", "Größe", ""}}
	var indices []byte
	for _, i := range []uint32{1, 0, 2} {
		indices = binary.LittleEndian.AppendUint32(indices, i)
	}
	_, got, err = f.roundTrip(t, formats.Content{Vars: []formats.Info{words}}, indices)
	k.strings = answer(err, err == nil && slices.Equal(textOf(got[0]), []string{"Größe", "b", ""}))
}

// textOf returns the strings of a variable.
func textOf(v stored) (all []string) {
	for b := v.elements; v.info.Labels != nil && len(b) > 0; b = b[v.info.DType.Size():] {
		all = append(all, v.info.Labels[int(v.info.DType.Float64(b))])
	}
	return all
}
