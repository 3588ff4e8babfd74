package zarr

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// zarrWrites writes arrays of every type and with every codec. It prints a description of each,
// with its elements as little-endian bytes in the order of its chunks, or its strings.
const zarrWrites = `
import sys, json, numpy, numcodecs, zarr
root = zarr.open_group(sys.argv[1], mode="w")
root.attrs["title"] = "x"
known = {}
def add(name, a, **how):
    how.setdefault("chunks", tuple(max(1, (n + 1) // 2) for n in a.shape))
    fill = how.pop("fill_value", 0)
    z = root.create_dataset(name, shape=a.shape, dtype=how.pop("dtype", a.dtype), fill_value=fill, **how)
    if a.shape: z[...] = a
    else: z[()] = a[()]
    tell(name, z)
def tell(name, z):
    a = z[...] if z.shape else numpy.asarray(z[()])
    if z.dtype.kind in "OSU":
        known[name] = {"shape": z.shape, "text": [s.decode("latin-1") if isinstance(s, bytes) else s for s in a.reshape(-1).tolist()]}
        return
    if z.dtype.kind in "mM": a = a.astype("<i8")
    little = a.astype(a.dtype.newbyteorder("<"))
    known[name] = {"shape": z.shape, "hex": little.tobytes(z.order).hex(), "order": z.order}
rng = numpy.random.default_rng(1)
types = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
for t in types:
    for order in "CF":
        for mark in "<>":
            a = (numpy.arange(5 * 6 * 7) % 119).reshape(5, 6, 7).astype(numpy.dtype(t).newbyteorder(mark))
            add("type/%s_%s_%s" % (t, order, "little" if mark == "<" else "big"), a, order=order)
codecs = {"zlib": numcodecs.Zlib(5), "gzip": numcodecs.GZip(5), "bz2": numcodecs.BZ2(5), "zstd": numcodecs.Zstd(3), "zstd19": numcodecs.Zstd(19), "lz4": numcodecs.LZ4()}
for cname in "blosclz lz4 lz4hc snappy zlib zstd".split():
    for shuffle in (0, 1, 2):
        for blocksize in (0, 1000):
            codecs["blosc_%s_%d_%d" % (cname, shuffle, blocksize)] = numcodecs.Blosc(cname, 5, shuffle, blocksize)
for name, codec in codecs.items():
    for t in ("u1", "<i4", "<c16"):
        smooth = (numpy.arange(33 * 1001) // 3 % 251).reshape(33, 1001).astype(t)
        noise = rng.integers(0, 250, (33, 1001)).astype(t)
        far = numpy.concatenate([noise, noise], axis=1) # matches far away
        for kind, a in ("smooth", smooth), ("noise", noise), ("far", far):
            if kind == "smooth" or t == "<i4": add("codec/%s/%s_%s" % (name, t.strip("<"), kind), a, compressor=codec, chunks=(17, 501 if kind == "noise" else 2002))
a = numpy.arange(60, dtype="<u2").reshape(6, 10)
for name, f in {"crc32": [numcodecs.CRC32()], "adler32": [numcodecs.Adler32()], "shuffle": [numcodecs.Shuffle(2)], "two": [numcodecs.Shuffle(2), numcodecs.CRC32()]}.items():
    add("filter/" + name, a, filters=f)
for name, shape in {"scalar": (), "empty": (0,), "none": (3, 0), "row": (1, 9), "deep": (2, 3, 2, 3, 2)}.items():
    add("shape/" + name, numpy.arange(int(numpy.prod(shape)), dtype="f4").reshape(shape))
for separator in "./": add("separator/" + ("dot" if separator == "." else "slash"), a, dimension_separator=separator)
for name, t, fill in (("nan", "f4", float("nan")), ("inf", "f8", float("-inf")), ("int", "i2", -9), ("bool", "b1", True), ("complex", "c8", complex(1, -2)), ("null", "i4", None), ("half", "f2", 0.5), ("u8", "u8", 2**64 - 1)):
    z = root.create_dataset("fill/" + name, shape=(4, 5), chunks=(2, 2), dtype=t, fill_value=fill)
    z[0, :] = 1
    if fill is None: z[...] = 3 # otherwise the other chunks are not defined
    tell("fill/" + name, z)
s = numpy.array([["b", "", "a"], ["b", "c\u00e4\u20ac", "a"]])
add("text/U", s.astype("<U4"), fill_value="")
add("text/Ubig", s.astype(">U4"), fill_value="")
add("text/S", numpy.array([b"one", b"\xff", b"", b"one"]), fill_value=b"")
add("text/F", s.astype("<U4"), fill_value="", order="F", chunks=(2, 2))
add("text/O", s.astype(object), dtype=object, object_codec=numcodecs.VLenUTF8(), fill_value="")
z = root.create_dataset("text/missing", shape=(4,), chunks=(2,), dtype="<U3", fill_value="no")
z[1] = "yes"
tell("text/missing", z)
for unit in "D h m s ms us ns".split():
    add("date/" + unit, numpy.array([0, 5, -3], dtype="M8[%s]" % unit), fill_value=None)
add("date/span", numpy.array([0, 5, -3], dtype="m8[s]"), fill_value=None)
zarr.consolidate_metadata(sys.argv[1])
json.dump(known, sys.stdout)
`

// zarrReads prints a description of each array of a store.
const zarrReads = `
import sys, json, numpy, zarr
known = {}
def visit(name, z):
    if not isinstance(z, zarr.Array): return
    a = z[...] if z.shape else numpy.asarray(z[()])
    d = {"shape": z.shape, "attrs": dict(z.attrs), "dtype": z.dtype.str, "fill": str(z.fill_value), "order": z.order}
    if z.dtype.kind == "O": d["text"] = a.reshape(-1).tolist()
    else: d["hex"] = a.astype(a.dtype.newbyteorder("<")).tobytes(z.order).hex()
    known[name] = d
for store in sys.argv[1:]:
    root = zarr.open_consolidated(store, mode="r")
    root.visititems(lambda name, z: visit(store + "/" + name, z))
json.dump(known, sys.stdout)
`

// known is Python's description of an array.
type known struct {
	Shape []int
	Hex   string
	Text  []string
	Order string
	DType string
	Fill  string
	Attrs map[string]any
}

var importLine = regexp.MustCompile(`import sys, json, (.+)`)

// interpreter returns a Python that has these imports. If there is none, it skips the test, or
// fails it with CI=true.
func interpreter(t *testing.T, imports string) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", imports).Run() == nil {
			return python
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("no Python can %s: apt-get install python3-zarr python3-xarray", imports)
	}
	t.Skip("no Python can " + imports)
	return ""
}

// python runs a program with an interpreter that has the modules of its line "import sys, json,
// ...".
func python(t *testing.T, program string, args ...string) map[string]known {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(interpreter(t, "import "+importLine.FindStringSubmatch(program)[1]), append([]string{"-c", program}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	all := map[string]known{}
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// elementsOf reads an array: its bytes, or its strings.
func elementsOf(r formats.Reader) (data []byte, text []string, err error) {
	info := r.Info()
	n, err := info.Bytes()
	if err != nil {
		return nil, nil, err
	}
	data = make([]byte, n)
	if err := r.ReadSection(nil, data); err != nil || info.Labels == nil {
		return data, nil, err
	}
	v, err := nd.NewView(data, append(slices.Clone(info.Shape), 4), nil)
	if info.Order != nil {
		v, err = nd.NewView(data, append(slices.Clone(info.Shape), 4), append(slices.Clone(info.Order), len(info.Shape)))
	}
	for rest := v.Data(); err == nil && len(rest) > 0; rest = rest[4:] {
		text = append(text, info.Labels[int(rest[0])|int(rest[1])<<8])
	}
	return data, text, err
}

// Arrays that zarr-python writes must be read as zarr-python reads them.
func TestPythonWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "python")
	all := python(t, zarrWrites, path)
	if len(all) < 299 {
		t.Fatalf("%d arrays", len(all))
	}
	c, err := formats.List(path, formats.Options{})
	if err != nil || len(c.Vars) != len(all) || c.Attrs["title"] != "x" {
		t.Errorf("%d arrays, %v, %v", len(c.Vars), c.Attrs, err)
	}
	in := &formats.Input{Path: path, Folder: true, Memory: 64 << 20}
	s, err := openStore(in)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	h, err := readHierarchy(s)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range all {
		r, err := h.open(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if info := r.Info(); !slices.Equal(info.Shape, want.Shape) {
			t.Errorf("%s: %+v, want %v", name, info, want.Shape)
			continue
		}
		data, text, err := elementsOf(r)
		if err != nil || want.Text == nil && hex.EncodeToString(data) != want.Hex || !slices.Equal(text, want.Text) {
			t.Errorf("%s: read %.200s %q, want %.200s %q, %v", name, hex.EncodeToString(data), text, want.Hex, want.Text, err)
		}
	}
	checkUnits(t, c)
}

// checkUnits checks the units of dates.
func checkUnits(t *testing.T, c formats.Content) {
	t.Helper()
	for name, want := range map[string]string{"date/D": "days since 1970-01-01", "date/ns": "nanoseconds since 1970-01-01", "date/span": "seconds"} {
		i := slices.IndexFunc(c.Vars, func(v formats.Info) bool { return v.Name == name })
		if i < 0 || c.Vars[i].Attrs["units"] != want || c.Vars[i].DType != dtype.Int64 {
			t.Errorf("%s: %+v", name, c.Vars)
		}
	}
}

// zarr-python must read what is written as version 2, with its types, fill values and attributes.
func TestPythonReads(t *testing.T) {
	dir := t.TempDir()
	type written struct{ data, dtype, fill string }
	want := map[string]written{}
	var stores []string
	write := func(name string, o Options, info formats.Info, fill string) {
		t.Helper()
		store := filepath.Join(dir, name)
		info.Name, info.Attrs = "g/v", map[string]any{"x": 1.5, "s": "ä", "n": []any{int64(1), "NaN"}}
		writers, err := Create(store, formats.Content{Vars: []formats.Info{info}}, o)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := info.Bytes()
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i*7+i/251) & 1
		}
		if err := errors.Join(writers[0].WriteSection(nil, data), writers[0].Close()); err != nil {
			t.Fatal(err)
		}
		stores = append(stores, store)
		mark := "<"
		if o.BigEndian {
			mark = ">"
		}
		if info.DType.Size() == 1 {
			mark = "|"
		}
		want[store+"/g/v"] = written{hex.EncodeToString(data), mark + names2[info.DType], fill}
	}
	for _, typ := range dtype.All() {
		if typ == dtype.BFloat16 {
			continue // NumPy does not have it
		}
		for _, big := range []bool{false, true} {
			write(fmt.Sprint(typ, big), Options{BigEndian: big}, formats.Info{DType: typ, Shape: []int{5, 7}, Chunk: []int{2, 4}}, "None")
		}
	}
	for i, c := range compressors {
		for _, typ := range []dtype.DType{dtype.Uint8, dtype.Float64, dtype.Complex128} {
			for j, chunk := range [][]int{{30, 700}, {17, 333}} {
				write(fmt.Sprint("codec", i, typ, j), Options{Compressor: c, Separator: "/"}, formats.Info{DType: typ, Shape: []int{30, 700}, Chunk: chunk}, "None")
			}
		}
	}
	write("order", Options{}, formats.Info{DType: dtype.Int32, Shape: []int{3, 4, 5}, Order: nd.ColMajor(3), Chunk: []int{2, 2, 2}}, "None")
	write("scalar", Options{}, formats.Info{DType: dtype.Int32}, "None")
	write("fill", Options{}, formats.Info{DType: dtype.Float32, Shape: []int{3}, Fill: []byte{0, 0, 0xc0, 0x7f}}, "nan")
	all := python(t, zarrReads, stores...)
	for name, w := range want {
		got := all[name]
		if got.Hex != w.data || got.DType != w.dtype || got.Fill != w.fill || got.Attrs["x"] != 1.5 || got.Attrs["s"] != "ä" {
			t.Errorf("%s: %.300s\nwant %.300s", name, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", w))
		}
	}
}

// zarr-python must read strings and the names of dimensions.
func TestPythonReadsText(t *testing.T) {
	store := filepath.Join(t.TempDir(), "text")
	info := formats.Info{Name: "v", DType: dtype.Uint8, Shape: []int{3}, Chunk: []int{2}, Dims: []string{"x"}, Labels: []string{"b", "", "ä"}}
	writers, err := Create(store, formats.Content{Vars: []formats.Info{info}, Deflate: 3}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writers[0].WriteSection(nil, []byte{2, 0, 2}), writers[0].Close()); err != nil {
		t.Fatal(err)
	}
	got := python(t, zarrReads, store)[store+"/v"]
	if !slices.Equal(got.Text, []string{"ä", "b", "ä"}) || fmt.Sprint(got.Attrs[dimsAttr]) != "[x]" {
		t.Errorf("%+v", got)
	}
}

// xarrayReads opens stores with xarray, which requires the names of the dimensions of all arrays.
const xarrayReads = `
import sys, json, xarray, zarr
known = {}
for store in sys.argv[1:]:
    opened = xarray.open_zarr(store)
    for name in opened.variables:
        known[store + "/" + name] = {"shape": opened[name].shape}
json.dump(known, sys.stdout)
`

// A scalar must state that it has no dimensions: xarray refuses all arrays of a group if one of
// them does not name its own.
func TestXarrayOpensScalars(t *testing.T) {
	dir := t.TempDir()
	vars := []formats.Info{{Name: "v", DType: dtype.Uint8, Shape: []int{3}, Dims: []string{"x"}}, {Name: "crs", DType: dtype.Int32}}
	create := func(store string, o Options) {
		writers, err := Create(store, formats.Content{Vars: vars}, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(writers[0].WriteSection(nil, make([]byte, 3)), writers[1].WriteSection(nil, make([]byte, 4)), writers[0].Close(), writers[1].Close()); err != nil {
			t.Fatal(err)
		}
	}
	three := filepath.Join(dir, "three")
	create(three, Options{Version: 3})
	meta, err := os.ReadFile(filepath.Join(three, "crs", "zarr.json"))
	if err != nil || !bytes.Contains(meta, []byte(`"dimension_names": []`)) {
		t.Errorf("%s %v", meta, err)
	}
	two := filepath.Join(dir, "two")
	create(two, Options{})
	attrs, err := os.ReadFile(filepath.Join(two, "crs", ".zattrs"))
	if err != nil || !bytes.Contains(attrs, []byte(`"_ARRAY_DIMENSIONS": []`)) {
		t.Errorf("%s %v", attrs, err)
	}
	all := python(t, xarrayReads, two)
	if len(all) != 2 || len(all[two+"/crs"].Shape) != 0 || !slices.Equal(all[two+"/v"].Shape, []int{3}) {
		t.Errorf("%+v", all)
	}
}
