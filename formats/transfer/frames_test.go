package transfer_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"

	"drx"
	"drx/dtype"
	"drx/formats"
	"drx/formats/transfer"
	"drx/internal/codectest"
	"drx/nd"
)

// frameCodecs are codecs of arrays, each with a second one of another level or acceleration whose
// frames are of the same kind. Compressing again would make other frames.
var frameCodecs = []struct{ array, foreign string }{
	{"zstd:1", "zstd:19"},
	{"blosc:lz4:1:shuffle", "blosc:lz4:9:shuffle"},
	{"blosc:zstd:1:shuffle", "blosc:zstd:9:shuffle"},
	{"blosc:lz4:1:noshuffle", "blosc:lz4hc:9:noshuffle"},
	{"blosc:lz4hc:1:bitshuffle", "blosc:lz4hc:9:bitshuffle"},
	{"lz4", "lz4"},
}

// slope returns numbers that compress, but to different bytes at different levels.
func slope(n int) []int32 {
	rng, v := rand.New(rand.NewPCG(39, 2)), make([]int32, n)
	for i := range v {
		v[i] = int32(i/5) + rng.Int32N(20)
	}
	return v
}

// foreignFrame compresses a chunk with a codec, or with an lz4 that finds other matches than that
// of arrays.
func foreignFrame(t *testing.T, text string, chunk []byte) []byte {
	t.Helper()
	if text == "lz4" {
		block := make([]byte, lz4.CompressBlockBound(len(chunk)))
		n, err := lz4.CompressBlockHC(chunk, block, lz4.Level9, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(chunk))), block[:n]...)
	}
	return codectest.Frame(t, text, 4, chunk)
}

// A framed array has 100 x 50 elements in chunks of 32 x 16. The first chunk was never written; the
// chunk at 1, 1 is a frame that no codec of ours makes.
type framed struct {
	name  string
	lo    int // the lower bound of dimension 0
	frame []byte
	want  []int32
}

// newFramed makes a framed array.
func newFramed(t *testing.T, name string, lo int, order drx.ElementOrder, array, foreign string) framed {
	t.Helper()
	a, err := drx.Create(name, drx.Spec{
		DType: dtype.Int32, Lo: []int{lo, 0}, Shape: []int{100, 50}, ChunkShape: []int{32, 16}, Codec: array, Order: order, FillValue: -7,
	})
	if err != nil {
		t.Fatal(err)
	}
	f := framed{name: name, lo: lo, want: slope(100 * 50)}
	first := nd.FloorDiv(lo, 32)
	for i := range 32*first + 32 - lo {
		copy(f.want[i*50:], slices.Repeat([]int32{-7}, 16))
	}
	for i := range 100 {
		from := map[bool]int{true: 16}[lo+i < 32*first+32]
		if err := drx.Write(a, nd.Sec(nd.At(lo+i), nd.Span(from, 50)), f.want[i*50+from:i*50+50]); err != nil {
			t.Fatal(err)
		}
	}
	chunk, read := make([]byte, 4*32*16), nd.RowMajor
	if order == drx.ColOrder {
		read = nd.ColMajor(2)
	}
	if err := a.ReadBytes(nd.Sec(nd.Span(32*first+32, 32*first+64), nd.Span(16, 32)), chunk, read); err != nil {
		t.Fatal(err)
	}
	f.frame = foreignFrame(t, foreign, chunk)
	if done, err := a.WriteFrame([]int{first + 1, 1}, f.frame); !done || err != nil {
		t.Fatalf("%s in %s: %v, %v", foreign, array, done, err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return f
}

// readStore reads the only array of a store.
func readStore(t *testing.T, name string) []int32 {
	t.Helper()
	r, err := formats.Open(name, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n, _ := nd.Product(r.Info().Shape...)
	buf := make([]byte, 4*n)
	if err := r.ReadSection(nil, buf); err != nil {
		t.Fatal(err)
	}
	got := make([]int32, n)
	strides := r.Info().Order.Strides(r.Info().Shape)
	for i := range got {
		row, col := i/r.Info().Shape[1], i%r.Info().Shape[1]
		got[i] = int32(binary.LittleEndian.Uint32(buf[4*(row*strides[0]+col*strides[1]):]))
	}
	return got
}

// storeFiles returns the files of a store, a folder or a ZIP file, by their names.
func storeFiles(t *testing.T, name string) map[string][]byte {
	t.Helper()
	var fsys fs.FS = os.DirFS(name)
	if strings.HasSuffix(name, ".zip") {
		z, err := zip.OpenReader(name)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		fsys = z
	}
	files := map[string][]byte{}
	err := fs.WalkDir(fsys, ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files[path], err = fs.ReadFile(fsys, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// has reports whether a store has a file with these bytes.
func has(files map[string][]byte, content []byte) bool {
	for _, data := range files {
		if bytes.Equal(data, content) {
			return true
		}
	}
	return false
}

// A Zarr store must get chunks as they are stored if everything agrees, and the same elements if
// something does not.
func TestFramesToZarr(t *testing.T) {
	section := func(lo, from, to int) transfer.Conditions {
		return transfer.Conditions{Section: nd.Sec(nd.Span(lo+from, lo+to), nd.All)}
	}
	byPython := map[string][]int32{}
	for i, c := range frameCodecs {
		for k, ext := range []string{".zarr", ".zarr3", ".zip"} {
			if k != i%3 && os.Getenv("DRX_SOAK") == "" {
				continue
			}
			rng := rand.New(rand.NewPCG(uint64(i), uint64(k)))
			order := []drx.ElementOrder{drx.RowOrder, drx.ColOrder}[rng.IntN(2)]
			f := newFramed(t, filepath.Join(t.TempDir(), "A"), 0-64*rng.IntN(2), order, c.array, c.foreign)
			odd := newFramed(t, filepath.Join(t.TempDir(), "A"), -60, order, c.array, c.foreign)
			for name, x := range map[string]struct {
				framed
				o        transfer.ExportOptions
				from, to int
				kept     bool
			}{
				"all":            {f, transfer.ExportOptions{}, 0, 100, true},
				"the same codec": {f, transfer.ExportOptions{Codec: c.array}, 0, 100, true},
				"another codec":  {f, transfer.ExportOptions{Codec: "blosc:zstd:2:bitshuffle"}, 0, 100, false},
				"deflate":        {f, transfer.ExportOptions{Deflate: 1}, 0, 100, false},
				"nothing":        {f, transfer.ExportOptions{Codec: "none"}, 0, 100, false},
				"whole chunks":   {f, transfer.ExportOptions{Select: section(f.lo, 32, 96)}, 32, 96, true},
				"to the end":     {f, transfer.ExportOptions{Select: section(f.lo, 32, 100)}, 32, 100, true},
				"parts":          {f, transfer.ExportOptions{Select: section(f.lo, 32, 95)}, 32, 95, false},
				"between":        {f, transfer.ExportOptions{Select: section(f.lo, 1, 100)}, 1, 100, false},
				"odd bounds":     {odd, transfer.ExportOptions{}, 0, 100, false},
				"another type":   {f, transfer.ExportOptions{As: "uint32", Clip: true}, 0, 100, false},
			} {
				if x.o.As != "" {
					x.want = slices.Clone(x.want)
					for i := range x.want {
						x.want[i] = max(0, x.want[i])
					}
				}
				out := filepath.Join(t.TempDir(), "out"+ext)
				if _, err := transfer.Export(t.Context(), x.name, out, x.o); err != nil {
					t.Fatalf("%s, %s: %v", c.array, name, err)
				}
				if x.kept {
					byPython[out] = x.want[50*x.from : 50*x.to]
				}
				if got := readStore(t, out); !slices.Equal(got, x.want[50*x.from:50*x.to]) {
					t.Errorf("%s, %s, %s: other elements", c.array, name, ext)
				}
				if kept := has(storeFiles(t, out), x.frame); kept != x.kept {
					t.Errorf("%s, %s, %s, order %s: a chunk is as the array has it: %v", c.array, name, ext, order, kept)
				}
			}
		}
	}
	checkByPython(t, byPython)
}

// pythonReads prints the elements of stores: by zarr-python, or by numcodecs for version 3, which
// that zarr-python lacks.
const pythonReads = `import sys, json, subprocess, zarr
for name in sys.argv[1:]:
    if name.endswith(".zarr3"):
        said = json.loads(subprocess.check_output([sys.executable, "../zarr/testdata/reader.py", name]))
        print(next(iter(said[name]["arrays"].values()))["hex"])
    else:
        group = zarr.open(name, mode="r")
        print(next(a for _, a in group.arrays())[:].astype("<i4").tobytes().hex())
`

// checkByPython compares what other programs read from stores.
func checkByPython(t *testing.T, stores map[string][]int32) {
	t.Helper()
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import zarr, numcodecs").Run(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("no zarr for Python: apt-get install python3-zarr")
		}
		t.Skip("no zarr for Python")
	}
	names := slices.Sorted(maps.Keys(stores))
	var stderr bytes.Buffer
	cmd := exec.Command(python, append([]string{"-W", "ignore", "-c", pythonReads}, names...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	lines := strings.Fields(string(out))
	for i, name := range names {
		if i >= len(lines) || lines[i] != hex.EncodeToString(dtype.Bytes(stores[name])) {
			t.Errorf("%s: Python reads other elements", name)
		}
	}
}

// pythonWrites makes stores by zarr-python, at levels that DRX does not use, and with a chunk
// missing.
const pythonWrites = `import sys, zarr, numcodecs, numpy
from numcodecs import Blosc, Zstd, LZ4, Zlib, Shuffle
codecs = {
    "zstd": Zstd(11), "lz4": LZ4(9), "lz4-shuffle": Blosc("lz4", 3, Blosc.SHUFFLE), "zstd-bits": Blosc("zstd", 8, Blosc.BITSHUFFLE),
    "hc": Blosc("lz4hc", 9, Blosc.NOSHUFFLE), "blosclz": Blosc("blosclz", 5), "zlib": Zlib(1), "auto": Blosc("lz4", 5, Blosc.AUTOSHUFFLE),
}
n = numpy.arange(700 * 600, dtype="i4").reshape(700, 600) // 5 + numpy.random.default_rng(2).integers(0, 20, (700, 600), dtype="i4")
n[:256, :256] = 3
for name, codec in codecs.items():
    for kind, options in {"": {}, "big": {"dtype": ">i4"}, "filter": {"filters": [Shuffle(4)]}, "F": {"order": "F"}}.items():
        a = zarr.open(sys.argv[1] + "/" + name + kind + ".zarr", mode="w", shape=n.shape, chunks=(256, 256), compressor=codec, write_empty_chunks=False,
                      **{"dtype": "<i4", "fill_value": 3, **options})
        a[...] = n
sys.stdout.buffer.write(n.tobytes())
`

// An array must take the chunks of a Zarr store unchanged if everything agrees, and the same
// elements if something does not.
func TestFramesFromZarr(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import zarr, numcodecs").Run(); err != nil && os.Getenv("CI") != "true" {
		t.Skip("no zarr for Python")
	}
	dir := t.TempDir()
	out, err := exec.Command(python, "-W", "ignore", "-c", pythonWrites, dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		store string
		o     transfer.ImportOptions
		kept  int // chunks stored as in the store
	}{
		{"zstd", transfer.ImportOptions{}, 8},
		{"lz4", transfer.ImportOptions{}, 8},
		{"lz4-shuffle", transfer.ImportOptions{}, 8},
		{"lz4-shuffle", transfer.ImportOptions{Codec: "blosc:lz4:3"}, 8},
		{"lz4-shuffle", transfer.ImportOptions{Codec: "blosc:lz4:4"}, 0},
		{"lz4-shuffle", transfer.ImportOptions{Codec: "none"}, 0},
		{"lz4-shuffle", transfer.ImportOptions{Chunk: []int{128, 128}}, 0},
		{"lz4-shuffle", transfer.ImportOptions{As: "int64"}, 0},
		{"lz4-shuffle", transfer.ImportOptions{Memory: 16 << 20}, 8},
		{"zstd-bits", transfer.ImportOptions{}, 8},
		{"hc", transfer.ImportOptions{}, 8},
		{"auto", transfer.ImportOptions{}, 8},
		{"blosclz", transfer.ImportOptions{}, 0},
		{"zlib", transfer.ImportOptions{}, 0},
		{"zstdbig", transfer.ImportOptions{}, 0},
		{"zstdfilter", transfer.ImportOptions{}, 0},
		{"zstdF", transfer.ImportOptions{}, 0},
	} {
		name := filepath.Join(t.TempDir(), "A")
		if _, err := transfer.Import(t.Context(), name, x.o, filepath.Join(dir, x.store+".zarr")); err != nil {
			t.Fatalf("%s: %v", x.store, err)
		}
		a, err := drx.Open(name, drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int32, 700*600)
		copy(dtype.Bytes(want), out) // both little-endian
		dtype.Int32.ToLittle(dtype.Bytes(want))
		if x.o.As == "" {
			if got, err := drx.Read[int32](a, nil); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, %+v: other elements, %v", x.store, x.o, err)
			}
		}
		kept, files := 0, storeFiles(t, filepath.Join(dir, x.store+".zarr"))
		for i := range 9 {
			if frame, _, err := a.ReadFrame([]int{i / 3, i % 3}, nil); err == nil && frame != nil && has(files, frame) {
				kept++
			}
		}
		if first, _ := a.Grid().Number([]int{0, 0}); kept != x.kept {
			written, err := a.Written(first)
			t.Errorf("%s, %+v: %d chunks are as in the store, expected %d; the missing one is written: %v, %v", x.store, x.o, kept, x.kept, written, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Elements of a store beyond its shape, which remain after it has become smaller, must not be
// copied: they would appear when the array grows. A damaged chunk must give an error, as without
// frames.
func TestFramesBeyondTheShape(t *testing.T) {
	dir := t.TempDir()
	f := newFramed(t, filepath.Join(dir, "A"), 0, drx.RowOrder, "zstd:1", "zstd:19")
	store := filepath.Join(dir, "out.zarr")
	if _, err := transfer.Export(t.Context(), f.name, store, transfer.ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	meta, chunk := "", ""
	for name, data := range storeFiles(t, store) {
		switch {
		case strings.HasSuffix(name, ".zarray"):
			meta = filepath.Join(store, name)
			cut := bytes.Replace(data, []byte("100,"), []byte("90,"), 1)
			if bytes.Equal(cut, data) {
				t.Fatalf("%s", data)
			}
			if err := os.WriteFile(meta, cut, 0o666); err != nil {
				t.Fatal(err)
			}
		case bytes.Equal(data, f.frame):
			chunk = filepath.Join(store, name)
		case strings.HasSuffix(name, ".zmetadata"):
			if err := os.Remove(filepath.Join(store, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	name, o := filepath.Join(dir, "B"), transfer.ImportOptions{Chunk: []int{32, 16}, Codec: "zstd:1"}
	if _, err := transfer.Import(t.Context(), name, o, store); err != nil {
		t.Fatal(err)
	}
	a, err := drx.Open(name, drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if frame, _, err := a.ReadFrame([]int{1, 1}, nil); err != nil || !bytes.Equal(frame, f.frame) {
		t.Errorf("no chunk was taken, %v", err)
	}
	if written, err := a.Written(0); written || err != nil {
		t.Errorf("a chunk that is missing was written, %v", err)
	}
	if _, err := a.Extend(0, 10); err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(f.want[:90*50], slices.Repeat([]int32{-7}, 10*50))
	if got, err := drx.Read[int32](a, nil); err != nil || !slices.Equal(got, want) {
		t.Errorf("other elements, %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(f.frame)
	clear(damaged[len(damaged)/2:])
	if err := os.WriteFile(chunk, damaged, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := transfer.Import(t.Context(), filepath.Join(dir, "C"), o, store); err == nil || !strings.Contains(err.Error(), "chunk [1 1]") {
		t.Errorf("a damaged chunk: %v", err)
	}
}
