package zarr

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/formattest"
	"drx/nd"
)

// compressors are the compressors of Create.
var compressors = []Compressor{
	{},
	{Name: "gzip", Level: 1},
	{Name: "zlib", Level: 6},
	{Name: "zstd", Level: 3},
	{Name: "lz4"},
	{Name: "blosc", Level: 5, Shuffle: 1},
	{Name: "blosc", Blosc: "lz4hc", Level: 5, Shuffle: 2},
	{Name: "blosc", Blosc: "zstd", Level: 3, Shuffle: 2},
	{Name: "blosc", Blosc: "zlib", Level: 3},
}

// creator returns a function that creates a store with one variable, each time in another folder,
// and a function that returns the last folder.
func creator(t *testing.T, info formats.Info, o Options) (create func() (formats.Writer, error), latest func() string) {
	n, dir := 0, t.TempDir()
	latest = func() string { return filepath.Join(dir, fmt.Sprint(n)) }
	return func() (formats.Writer, error) {
		n++
		writers, err := Create(latest(), formats.Content{Vars: []formats.Info{info}}, o)
		if err != nil {
			return nil, err
		}
		return writers[0], nil
	}, latest
}

// roundTrip writes an array in boxes and reads it in sections.
func roundTrip(t *testing.T, info formats.Info, o Options) {
	t.Helper()
	create, latest := creator(t, info, o)
	elements := formattest.Writer(t, create, info, false)
	want := info
	if want.Chunk == nil {
		want.Chunk = chooseChunk(info)
	}
	formattest.Reader(t, func() (formats.Reader, error) {
		return formats.Open(latest(), formats.Options{})
	}, want, elements)
}

// An array shares a dimension with arrays in enclosing folders if the extents are equal. Names in
// the store have no paths.
func TestDimensionsOfGroups(t *testing.T) {
	array := func(name string, extent int, dim string) formats.Info {
		return formats.Info{Name: name, DType: dtype.Int8, Shape: []int{extent}, Dims: []string{dim}}
	}
	for _, version := range []int{2, 3} {
		path := filepath.Join(t.TempDir(), "a.zarr")
		vars := []formats.Info{
			array("x", 3, "x"), array("g/q", 2, "g/x"), array("g/h/q", 2, "g/x"), array("g/h/r", 3, "x"),
			array("a/y", 4, "y"), array("b/y", 4, "b/y"), array("c/t", 4, "b/y"),
		}
		writers, err := Create(path, formats.Content{Vars: vars}, Options{Version: version})
		for i, w := range writers {
			err = errors.Join(err, w.WriteSection(nil, make([]byte, vars[i].Shape[0])), w.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		c, err := formats.List(path, formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		vars[6].Dims = []string{"c/y"} // Zarr cannot say which folder it is from
		for _, v := range vars {
			i := slices.IndexFunc(c.Vars, func(w formats.Info) bool { return w.Name == v.Name })
			if i < 0 || !slices.Equal(c.Vars[i].Dims, v.Dims) {
				t.Errorf("version %d: %s: %q, want %q", version, v.Name, c.Vars[max(i, 0)].Dims, v.Dims)
			}
		}
	}
}

// Every type, order, shape and version must be read as it was written.
func TestTypes(t *testing.T) {
	for _, version := range []int{2, 3} {
		for _, typ := range dtype.All() {
			for _, big := range []bool{false, true} {
				roundTrip(t, formats.Info{DType: typ, Shape: []int{4, 7}, Chunk: []int{3, 2}, Name: "g/v"}, Options{Version: version, BigEndian: big})
			}
		}
		for _, shape := range [][]int{{}, {0}, {5}, {3, 0, 2}, {1, 4, 1}, {5, 3, 4}} {
			for _, order := range []nd.Order{nil, nd.ColMajor(len(shape))} {
				chunk := slices.Clone(shape)
				for d := range chunk {
					chunk[d] = max(1, (shape[d]+1)/2)
				}
				roundTrip(t, formats.Info{DType: dtype.Int16, Shape: shape, Order: order, Chunk: chunk}, Options{Version: version})
			}
		}
	}
	roundTrip(t, formats.Info{DType: dtype.Int16, Shape: []int{3, 4, 5}, Order: nd.Order{1, 2, 0}, Chunk: []int{2, 2, 2}}, Options{Version: 3})
}

// Every compressor must decode what it has encoded, with chunks of many sizes.
func TestCompressors(t *testing.T) {
	for _, version := range []int{2, 3} {
		for _, c := range compressors {
			for typ, chunks := range map[dtype.DType][][]int{
				dtype.Uint8: {{7, 8}, {40, 50}}, dtype.Int32: {{13, 8}}, dtype.Complex128: {{16, 11}, {50, 60}},
			} {
				for _, chunk := range chunks {
					roundTrip(t, formats.Info{DType: typ, Shape: []int{20, 25}, Chunk: chunk},
						Options{Version: version, Compressor: c, Checksum: true, Separator: "/"})
				}
			}
		}
	}
}

// described is a content that uses everything that a store can hold.
var described = formats.Content{
	Attrs:  map[string]any{"title": "a \"store\" NaN", "n": int64(7), "big": uint64(1 << 63), "x": 1.0, "nan": "NaN", "list": []any{int64(1), 2.5, "c", true}},
	Groups: map[string]map[string]any{"g": {"a": int64(1)}, "g/h": {}, "empty": {"y": 0.25}},
	Vars: []formats.Info{
		{Name: "time", DType: dtype.Float64, Shape: []int{3}, Dims: []string{"time"}, Chunk: []int{3}},
		{Name: "g/h/v", DType: dtype.Float32, Shape: []int{3, 2}, Dims: []string{"time", ""}, Fill: []byte{0, 0, 0xc0, 0x7f}, Chunk: []int{2, 2}},
		{
			Name: "g/w", DType: dtype.Int16, Shape: []int{4}, Dims: []string{"g/time"}, Chunk: []int{4}, Fill: []byte{0x18, 0xfc},
			Attrs: map[string]any{"_FillValue": int64(-1000), "units": "K"},
		},
		{
			Name: "station", DType: dtype.Uint32, Shape: []int{2, 3}, Dims: []string{"a", "time"}, Chunk: []int{1, 2},
			Labels: []string{"Ä", "", "longer than the others"},
		},
	},
}

// Groups, attributes, names of dimensions, fill values and strings must survive.
func TestContent(t *testing.T) {
	for _, name := range []string{"a.zarr", "a.zarr3"} {
		path := filepath.Join(t.TempDir(), name)
		c := described
		c.Deflate = 4
		writers, err := formats.CreateFile(path, "", c)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range writers {
			n, _ := c.Vars[i].Bytes()
			buf := make([]byte, n)
			if c.Vars[i].Labels != nil {
				copy(buf, []byte{0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0})
			}
			if err := errors.Join(w.WriteSection(nil, buf), w.Close()); err != nil {
				t.Error(err)
			}
		}
		got, err := formats.List(path, formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkContent(t, got, name == "a.zarr")
		for _, v := range c.Vars {
			r, err := formats.Open(path, formats.Options{Variable: v.Name})
			if err != nil {
				t.Fatal(err)
			}
			if i := slices.IndexFunc(got.Vars, func(g formats.Info) bool { return g.Name == v.Name }); !reflect.DeepEqual(r.Info(), got.Vars[i]) {
				t.Errorf("%s: opened %+v, listed %+v", v.Name, r.Info(), got.Vars[i])
			}
			if v.Labels != nil {
				buf := make([]byte, 24)
				if err := r.ReadSection(nil, buf); err != nil || !slices.Equal(buf[:12], []byte{0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}) {
					t.Errorf("%v, %v", buf, err)
				}
			}
			r.Close()
		}
	}
}

func checkContent(t *testing.T, got formats.Content, isVersion2 bool) {
	t.Helper()
	if !reflect.DeepEqual(got.Attrs, described.Attrs) || len(got.Groups) != 3 || !reflect.DeepEqual(got.Groups["empty"], described.Groups["empty"]) {
		t.Errorf("attributes %v, groups %v", got.Attrs, got.Groups)
	}
	for _, want := range described.Vars {
		i := slices.IndexFunc(got.Vars, func(g formats.Info) bool { return g.Name == want.Name })
		if i < 0 {
			t.Errorf("%s is missing", want.Name)
			continue
		}
		g := got.Vars[i]
		if isVersion2 && want.Name == "g/h/v" {
			want.Dims = []string{"time", "dim_1"} // all dimensions have a name there
		}
		if !isVersion2 && want.Fill == nil && want.Labels == nil {
			want.Fill = make([]byte, want.DType.Size()) // version 3 always has a fill value
		}
		if g.DType != want.DType || !slices.Equal(g.Shape, want.Shape) || !slices.Equal(g.Dims, want.Dims) || !slices.Equal(g.Chunk, want.Chunk) ||
			!slices.Equal(g.Fill, want.Fill) || !slices.Equal(g.Labels, want.Labels) || len(g.Attrs)+len(want.Attrs) > 0 && !reflect.DeepEqual(g.Attrs, want.Attrs) {
			t.Errorf("got  %+v\nwant %+v", g, want)
		}
	}
}

// Incomplete chunks that exceed the memory must wait in their files.
func TestSpill(t *testing.T) {
	defer func(n int) { maxPartial = n }(maxPartial)
	maxPartial = 4 << 20
	info := formats.Info{DType: dtype.Float64, Shape: []int{2, 5 << 17}, Chunk: []int{2, 1 << 16}} // 1 MiB a chunk
	for _, c := range []Compressor{{}, {Name: "zstd", Level: 1}} {
		path := filepath.Join(t.TempDir(), "a")
		writers, err := Create(path, formats.Content{Vars: []formats.Info{info}}, Options{Compressor: c})
		if err != nil {
			t.Fatal(err)
		}
		row := make([]float64, info.Shape[1])
		for i := range 2 {
			for j := range row {
				row[j] = float64(i*len(row) + j)
			}
			if err := writers[0].WriteSection(nd.Sec(nd.At(i), nd.All), dtype.Bytes(row)); err != nil {
				t.Fatal(err)
			}
			if m := writers[0].(*writer).memory; m > maxPartial {
				t.Errorf("%d bytes of incomplete chunks", m)
			}
		}
		if err := writers[0].Close(); err != nil {
			t.Fatal(err)
		}
		v, err := formats.ReadAll[float64](path)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range v.Data() {
			if x != float64(i) {
				t.Fatalf("element %d: %v", i, x)
			}
		}
	}
}
