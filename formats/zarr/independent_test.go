package zarr

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// A store3 is the output of testdata/reader.py for a store of version 3. That program is needed
// because Debian's zarr-python 2 does not read such stores.
type store3 struct {
	Arrays map[string]array3Read
	Groups map[string]map[string]any
}

// An array3Read is the output of testdata/reader.py for an array.
type array3Read struct {
	DType        string
	Shape, Chunk []int
	Fill, Hex    string
	Text         []string
	Dims         []*string
	Attrs        map[string]any
}

// read3 reads stores with testdata/reader.py.
func read3(t *testing.T, stores ...string) map[string]store3 {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(interpreter(t, "import numpy, numcodecs"), append([]string{"testdata/reader.py"}, stores...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	all := map[string]store3{}
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// A case3 is an array that is written to a store of its own.
type case3 struct {
	name string
	o    Options
	info formats.Info
	hole string // a chunk that is removed: its elements read as fill value
}

// cases3 returns arrays of all types, shapes, orders, codecs and keys, and those of fills3.
func cases3() (all []case3) {
	add := func(name string, o Options, info formats.Info) {
		all = append(all, case3{name: name, o: o, info: info})
	}
	for _, typ := range dtype.All() {
		for _, big := range []bool{false, true} {
			add(fmt.Sprint("type-", typ, big), Options{BigEndian: big}, formats.Info{DType: typ, Shape: []int{5, 7}, Chunk: []int{2, 4}})
		}
	}
	for _, shape := range [][]int{{}, {0}, {5}, {3, 0, 2}, {1, 4, 1}, {5, 3, 4}} {
		for _, order := range []nd.Order{nil, nd.ColMajor(len(shape))} {
			for i, chunk := range [][]int{{2, 3, 3}, {9, 9, 9}, {1, 1, 1}} {
				add(fmt.Sprint("shape-", shape, order != nil, i), Options{}, formats.Info{DType: dtype.Int16, Shape: shape, Order: order, Chunk: chunk[:len(shape)]})
			}
		}
	}
	add("order", Options{}, formats.Info{DType: dtype.Int32, Shape: []int{3, 4, 5}, Order: nd.Order{1, 2, 0}, Chunk: []int{2, 3, 2}})
	add("chosen", Options{Separator: "."}, formats.Info{DType: dtype.Int32, Shape: []int{300, 2}, Dims: []string{"y", ""}})
	for i, c := range compressors {
		for _, typ := range []dtype.DType{dtype.Uint8, dtype.Float64, dtype.Complex128} {
			for j, chunk := range [][]int{{30, 70}, {17, 33}, {1, 1000}} {
				o := Options{Compressor: c, Checksum: j == 1, Separator: []string{"/", ".", ""}[j], Zip: j == 2}
				add(fmt.Sprint("codec-", i, typ, j), o, formats.Info{DType: typ, Shape: []int{30, 70}, Chunk: chunk})
			}
		}
	}
	return append(all, fills3()...)
}

// fills3 returns arrays with various fill values, each with a removed chunk.
func fills3() (all []case3) {
	for typ, values := range map[dtype.DType][]string{
		dtype.Bool: {"true"}, dtype.Int8: {"-128"}, dtype.Int64: {"-9223372036854775808"}, dtype.Uint64: {"18446744073709551615"},
		dtype.Float16: {"NaN", "-Inf", "1.5"}, dtype.BFloat16: {"NaN", "+Inf", "-2.5"}, dtype.Float32: {"NaN", "0.1", "-0", "1e-45"},
		dtype.Float64: {"NaN", "-Inf", "0.1", "1.7976931348623157e308"},
	} {
		for _, value := range values {
			fill, err := typ.Encode(value)
			if err != nil {
				panic(err)
			}
			all = append(all, fillCase(typ, value, fill))
		}
	}
	return append(all,
		fillCase(dtype.Float32, "payload", []byte{1, 0, 0xc0, 0x7f}), fillCase(dtype.Float64, "signed", []byte{0, 0, 0, 0, 0, 0, 0xf8, 0xff}),
		fillCase(dtype.Complex64, "mixed", []byte{0, 0, 0xc0, 0x3f, 0, 0, 0xc0, 0x7f}), fillCase(dtype.Complex64, "zeros", []byte{0, 0, 0, 0x80, 0, 0, 0, 0x80}),
		fillCase(dtype.Complex128, "payload", []byte{0, 0, 0, 0, 0, 0, 0xf0, 0xff, 1, 0, 0, 0, 0, 0, 0xf8, 0x7f}))
}

func fillCase(typ dtype.DType, name string, fill []byte) case3 {
	return case3{fmt.Sprint("fill-", typ, name), Options{BigEndian: true}, formats.Info{DType: typ, Shape: []int{5}, Chunk: []int{2}, Fill: fill}, "g/v/c/1"}
}

// write writes the array with arbitrary elements, and returns these in row-major order.
func (c case3) write(t *testing.T, store string) []byte {
	t.Helper()
	c.o.Version, c.info.Name = 3, "g/v"
	c.info.Attrs = map[string]any{"x": 1.5, "s": "ä", "n": []any{1.0, "NaN"}}
	writers, err := Create(store, formats.Content{Vars: []formats.Info{c.info}, Attrs: map[string]any{"title": "<&>"}}, c.o)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := c.info.Bytes()
	data, random := make([]byte, n), rand.New(rand.NewPCG(1, uint64(n)))
	for i := range data {
		if data[i] = byte(i / 100); i%1000 < 500 { // partly compressible
			data[i] = byte(random.Uint32())
		}
		if c.info.DType == dtype.Bool {
			data[i] &= 1
		}
	}
	if err := errors.Join(writers[0].WriteSection(nil, data), writers[0].Close()); err != nil {
		t.Fatal(err)
	}
	data = rowMajor(c.info, data)
	if c.hole != "" {
		size := len(c.info.Fill)
		copy(data[2*size:], append(slices.Clone(c.info.Fill), c.info.Fill...))
		if err := os.Remove(filepath.Join(store, c.hole)); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// rowMajor returns elements in row-major order.
func rowMajor(info formats.Info, data []byte) []byte {
	row, lo, size := make([]byte, len(data)), make([]int, len(info.Shape)), info.DType.Size()
	copyBox(row, newBox(lo, lo, info.Shape, nil, size), data, newBox(lo, lo, info.Shape, info.Order, size), info.Shape, nil, size)
	return row
}

// A reader that follows only the specification must read what is written as version 3, with its
// types, fill values and attributes.
func TestIndependentReads(t *testing.T) {
	dir, cases := t.TempDir(), cases3()
	want := make([][]byte, len(cases))
	var stores []string
	for i, c := range cases {
		stores = append(stores, filepath.Join(dir, c.name))
		want[i] = c.write(t, stores[i])
	}
	all := read3(t, stores...)
	for i, c := range cases {
		s := all[stores[i]]
		if len(s.Arrays) != 1 || len(s.Groups) != 2 || s.Groups[""]["title"] != "<&>" {
			t.Errorf("%s: %+v", c.name, s)
		}
		c.check(t, s.Arrays["g/v"], want[i])
	}
}

// check compares what was read with what was written.
func (c case3) check(t *testing.T, got array3Read, elements []byte) {
	t.Helper()
	fill, chunk := c.info.Fill, c.info.Chunk
	if fill == nil {
		fill = make([]byte, c.info.DType.Size())
	}
	if chunk == nil {
		chunk = chooseChunk(c.info)
	}
	if got.Hex != hex.EncodeToString(elements) {
		t.Errorf("%s: other elements: %.200s, want %.200x", c.name, got.Hex, elements)
	}
	if got.DType != c.info.DType.String() || !slices.Equal(got.Shape, c.info.Shape) || !slices.Equal(got.Chunk, chunk) || got.Fill != hex.EncodeToString(fill) {
		t.Errorf("%s: %s %v, chunks %v, fill value %s, want %x", c.name, got.DType, got.Shape, got.Chunk, got.Fill, fill)
	}
	if attrs := map[string]any{"x": 1.5, "s": "ä", "n": []any{1.0, "NaN"}}; !reflect.DeepEqual(got.Attrs, attrs) {
		t.Errorf("%s: attributes %v", c.name, got.Attrs)
	}
	if c.info.Dims != nil && (len(got.Dims) != 2 || got.Dims[0] == nil || *got.Dims[0] != "y" || got.Dims[1] != nil) {
		t.Errorf("%s: dimensions %v", c.name, got.Dims)
	}
}

// The same reader must read strings, in row-major and column-major chunks, with and without
// compression.
func TestIndependentReadsText(t *testing.T) {
	dir := t.TempDir()
	var stores []string
	for i, o := range []Options{{}, {Compressor: Compressor{Name: "blosc", Level: 5, Shuffle: 1}, Checksum: true, Zip: true}} {
		for j, order := range []nd.Order{nil, nd.ColMajor(2)} {
			o.Version = 3
			info := formats.Info{Name: "v", DType: dtype.Uint8, Shape: []int{3, 2}, Chunk: []int{2, 2}, Order: order, Labels: []string{"b", "", "ä€😀"}}
			stores = append(stores, filepath.Join(dir, fmt.Sprint(i, j)))
			writers, err := Create(stores[len(stores)-1], formats.Content{Vars: []formats.Info{info}}, o)
			if err != nil {
				t.Fatal(err)
			}
			elements := []byte{2, 0, 1, 0, 2, 1} // of three rows, or of two columns
			if order != nil {
				elements = []byte{2, 1, 2, 0, 0, 1}
			}
			if err := errors.Join(writers[0].WriteSection(nil, elements), writers[0].Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	all := read3(t, stores...)
	for _, store := range stores {
		if got := all[store].Arrays["v"]; got.DType != "string" || got.Fill != "" || !slices.Equal(got.Text, []string{"ä€😀", "b", "", "b", "ä€😀", ""}) {
			t.Errorf("%s: %+v", store, got)
		}
	}
}
