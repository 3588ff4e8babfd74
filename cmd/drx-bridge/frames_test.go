//go:build hdf5 && netcdf && fits && gdal && matio

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
	"drx/formats"
	"drx/formats/transfer"
	"drx/internal/codectest"
	"drx/nd"
)

// makesFramed is a script that makes an HDF5 file whose datasets have the same numbers and filters
// of all kinds: blosc and lz4 by the plugins of libhdf5, zstd by libzstd. The first chunk is
// missing.
const makesFramed = `
import sys, h5py, numcodecs, numpy
BLOSC, LZ4, ZSTD = 32001, 32004, 32015
n = numpy.arange(700 * 600, dtype="i4").reshape(700, 600) // 5 + numpy.random.default_rng(2).integers(0, 20, (700, 600), dtype="i4")
n[:256, :256] = 3
zstd = numcodecs.Zstd(11)
shuffled = lambda b: numpy.frombuffer(b, "u1").reshape(-1, 4).T.tobytes()
with h5py.File(sys.argv[1], "w", track_order=True) as f:
    for name, kind, filters, encode in [
        ("lz4_shuffle", "<i4", [(BLOSC, 0, 0, 0, 0, 3, 1, 1)], None), ("zstd_bits", "<i4", [(BLOSC, 0, 0, 0, 0, 8, 2, 5)], None),
        ("hc", "<i4", [(BLOSC, 0, 0, 0, 0, 9, 0, 2)], None), ("blosclz", "<i4", [(BLOSC, 0, 0, 0, 0, 5, 1, 0)], None),
        ("zlib", "<i4", [(BLOSC, 0, 0, 0, 0, 1, 1, 4)], None), ("bare", "<i4", [(BLOSC,)], None), ("big", ">i4", [(BLOSC, 0, 0, 0, 0, 3, 1, 1)], None),
        ("lz4", "<i4", [(LZ4,)], None), ("lz4_blocks", "<i4", [(LZ4, 4096)], None), ("lz4_sum", "<i4", [(LZ4,), (3,)], None),
        ("two", "<i4", [(LZ4,), (BLOSC,)], None), ("zstd", "<i4", [(ZSTD, 11)], lambda b, i: (0, zstd.encode(b))),
        ("zstd_masked", "<i4", [(ZSTD, 11)], lambda b, i: (i % 2, b if i % 2 else zstd.encode(b))),
        ("shuffle_zstd", "<i4", [(2,), (ZSTD, 11)], lambda b, i: (0, zstd.encode(shuffled(b)))), ("gzip", "<i4", [(1, 4)], None),
    ]:
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk((256, 256))
        plan.set_fill_value(numpy.array(3, kind))
        for number, *options in filters:
            if number < 4:
                {1: lambda: plan.set_deflate(4), 2: plan.set_shuffle, 3: plan.set_fletcher32}[number]()
            else:
                plan.set_filter(number, h5py.h5z.FLAG_OPTIONAL, tuple(options))
        h5py.h5d.create(f.id, name.encode(), h5py.h5t.py_create(numpy.dtype(kind)), h5py.h5s.create_simple(n.shape), plan)
        d = f[name]
        for i in range(1, 9):
            at = (i // 3 * 256, i % 3 * 256)
            part = numpy.full((256, 256), 3, kind)
            own = n[at[0] : at[0] + 256, at[1] : at[1] + 256]
            part[: own.shape[0], : own.shape[1]] = own
            if encode:
                mask, data = encode(part.tobytes(), i)
                d.id.write_direct_chunk(at, data, mask)
            else:
                d[at[0] : at[0] + 256, at[1] : at[1] + 256] = own
sys.stdout.buffer.write(n.tobytes())
`

// framesOf returns the frames of a variable of a file, by chunk number.
func framesOf(t *testing.T, path, name string) (frames [][]byte) {
	t.Helper()
	r, err := formats.Open(path, formats.Options{Variable: name})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	info := r.Info()
	first, end := make([]int, len(info.Shape)), make([]int, len(info.Shape))
	for d, n := range info.Shape {
		end[d] = nd.CeilDiv(n, info.Chunk[d])
	}
	index := slices.Clone(first)
	for more := true; more; more = nd.Next(index, first, end) {
		frame, err := r.(formats.FrameReader).ReadFrame(index)
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, frame)
	}
	return frames
}

// keptOf returns how many chunks of an array of 3 x 3 chunks are equal to frames of a file.
func keptOf(t *testing.T, a *drx.Array, frames [][]byte) (kept int) {
	t.Helper()
	for i, theirs := range frames {
		frame, _, err := a.ReadFrame([]int{i / 3, i % 3}, nil)
		if err == nil && frame != nil && bytes.Equal(frame, theirs) {
			kept++
		}
	}
	return kept
}

// An array gets the chunks of HDF5 and NetCDF-4 files without recompression if everything agrees,
// and otherwise the same elements, in one process and in two.
func TestFramesFromHDF5(t *testing.T) {
	dir := t.TempDir()
	made, err := exec.Command("/usr/bin/python3", "-W", "ignore", "-c", makesFramed, filepath.Join(dir, "a.h5")).Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "a.h5"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "a.nc"), data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int32, 700*600)
	copy(dtype.Bytes(want), made)
	program := buildPrograms(t)
	for i, x := range []struct {
		name string
		o    transfer.ImportOptions
		kept int // chunks that are equal to those in the file
	}{
		{"zstd", transfer.ImportOptions{}, 8},
		{"lz4", transfer.ImportOptions{}, 8},
		{"lz4_shuffle", transfer.ImportOptions{}, 8},
		{"lz4_shuffle", transfer.ImportOptions{Codec: "blosc:lz4:3"}, 8},
		{"lz4_shuffle", transfer.ImportOptions{Codec: "blosc:lz4:4"}, 0},
		{"lz4_shuffle", transfer.ImportOptions{Codec: "none"}, 0},
		{"lz4_shuffle", transfer.ImportOptions{Chunk: []int{128, 128}}, 0},
		{"lz4_shuffle", transfer.ImportOptions{As: "int64"}, 0},
		{"lz4_shuffle", transfer.ImportOptions{Memory: 16 << 20}, 8},
		{"zstd_bits", transfer.ImportOptions{}, 8},
		{"hc", transfer.ImportOptions{}, 8},
		{"blosclz", transfer.ImportOptions{}, 0},
		{"bare", transfer.ImportOptions{}, 0},
		{"zlib", transfer.ImportOptions{}, 0},
		{"big", transfer.ImportOptions{}, 0},
		{"lz4_blocks", transfer.ImportOptions{}, 0},
		{"lz4_sum", transfer.ImportOptions{}, 0},
		{"two", transfer.ImportOptions{}, 0},
		{"zstd_masked", transfer.ImportOptions{}, 4},
		{"shuffle_zstd", transfer.ImportOptions{}, 0},
		{"gzip", transfer.ImportOptions{}, 0},
	} {
		for _, ext := range []string{".h5", ".nc", " by two programs"} {
			file := filepath.Join(dir, "a"+ext)
			name := filepath.Join(t.TempDir(), "A")
			x.o.Vars = []string{x.name}
			if ext == " by two programs" {
				if x.o.Codec != "" || x.o.As != "" || x.o.Chunk != nil || x.o.Memory != 0 || x.kept == 0 && i%4 > 0 && os.Getenv("DRX_SOAK") == "" {
					continue
				}
				file = filepath.Join(dir, []string{"a.h5", "a.nc"}[i%2])
				if said, err := exec.Command(program, "import", file, name, "--var", x.name).CombinedOutput(); err != nil {
					t.Errorf("%s: %v: %s", x.name, err, said)
				}
			} else if _, err := transfer.Import(t.Context(), name, x.o, file); err != nil {
				t.Fatalf("%s of %s: %v", x.name, file, err)
			}
			a, err := drx.Open(name, drx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if x.o.As == "" {
				if got, err := drx.Read[int32](a, nil); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s%s, %+v: other elements, %v", x.name, ext, x.o, err)
				}
			}
			if kept := keptOf(t, a, framesOf(t, file, x.name)); kept != x.kept {
				t.Errorf("%s%s, %+v: %d chunks are as in the file, want %d", x.name, ext, x.o, kept, x.kept)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// decodesFrames is a script that prints the elements of the variable a of files, in hexadecimal
// digits, as h5py reads them with plugins; for zstd as numcodecs and the program zstd decode its
// chunks.
const decodesFrames = `
import sys, subprocess, h5py, numcodecs, numpy
for path in sys.argv[1:]:
    with h5py.File(path) as f:
        d = f["a"]
        if "32015" not in d._filters:
            print(d[...].astype("<i4").tobytes().hex())
            continue
        a = numpy.full(d.shape, d.fillvalue, "<i4")
        for i in range(d.id.get_num_chunks()):
            info = d.id.get_chunk_info(i)
            mask, data = d.id.read_direct_chunk(info.chunk_offset)
            chunk = numcodecs.Zstd().decode(data)
            assert mask == 0 and subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=True).stdout == bytes(chunk)
            part = tuple(slice(lo, lo + n) for lo, n in zip(info.chunk_offset, d.chunks))
            cut = tuple(slice(0, n) for n in a[part].shape)
            a[part] = numpy.frombuffer(chunk, "<i4").reshape(d.chunks)[cut]
        print(a.tobytes().hex())
`

// HDF5 and NetCDF-4 files get chunks without recompression if everything agrees, and otherwise the
// same elements; other programs read them.
func TestFramesToHDF5(t *testing.T) {
	program := buildPrograms(t)
	rng := rand.New(rand.NewPCG(39, 5))
	var paths, want []string
	for i, c := range []struct{ array, foreign string }{
		{"zstd:1", "zstd:19"},
		{"blosc:lz4:1:shuffle", "blosc:lz4:9:shuffle"},
		{"blosc:zstd:1:shuffle", "blosc:zstd:9:shuffle"},
		{"blosc:lz4hc:1:bitshuffle", "blosc:lz4hc:9:bitshuffle"},
		{"lz4", "lz4"},
	} {
		name := filepath.Join(t.TempDir(), "a")
		a, err := drx.Create(name, drx.Spec{DType: dtype.Int32, Shape: []int{100, 50}, ChunkShape: []int{32, 16}, Codec: c.array, FillValue: -7})
		if err != nil {
			t.Fatal(err)
		}
		elements := make([]int32, 100*50)
		for i := range elements {
			elements[i] = int32(i/5) + rng.Int32N(20)
		}
		if err := drx.Write(a, nd.Sec(nd.Span(32, 100), nd.All), elements[32*50:]); err != nil {
			t.Fatal(err)
		}
		copy(elements, slices.Repeat([]int32{-7}, 32*50)) // the unwritten part
		chunk := make([]byte, 4*32*16)
		if err := a.ReadBytes(nd.Sec(nd.Span(32, 64), nd.Span(16, 32)), chunk, nil); err != nil {
			t.Fatal(err)
		}
		foreign := codectest.Frame(t, c.foreign, 4, chunk)
		if done, err := a.WriteFrame([]int{1, 1}, foreign); !done || err != nil {
			t.Fatal(done, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		from := func(lo, hi int) transfer.Selector {
			return transfer.Conditions{Section: nd.Sec(nd.Span(lo, hi), nd.All)}
		}
		for says, x := range map[string]struct {
			o       transfer.ExportOptions
			from    int
			kept    bool
			program bool // by two programs, too
		}{
			"the codec":     {transfer.ExportOptions{Codec: c.array}, 0, true, false},
			"keep":          {transfer.ExportOptions{Codec: transfer.KeepCodec}, 0, true, true},
			"whole chunks":  {transfer.ExportOptions{Codec: transfer.KeepCodec, Select: from(32, 96)}, 32, true, false},
			"parts":         {transfer.ExportOptions{Codec: transfer.KeepCodec, Select: from(33, 96)}, 33, false, false},
			"another codec": {transfer.ExportOptions{Codec: "blosc:zstd:2:noshuffle"}, 0, false, false},
			"the usual one": {transfer.ExportOptions{}, 0, false, false},
			"nothing":       {transfer.ExportOptions{Codec: "none"}, 0, false, false},
		} {
			for _, ext := range []string{".h5", ".nc", " by two programs"} {
				out := filepath.Join(t.TempDir(), fmt.Sprint(i)+ext)
				if ext == " by two programs" {
					if !x.program {
						continue
					}
					out = filepath.Join(t.TempDir(), fmt.Sprint(i)+[]string{".h5", ".nc"}[i%2])
					if said, err := exec.Command(program, "export", name, out, "--codec", x.o.Codec).CombinedOutput(); err != nil {
						t.Fatalf("%s, %s: %v: %s", c.array, says, err, said)
					}
				} else {
					notes := ""
					x.o.Note = func(text string) { notes += text }
					if _, err := transfer.Export(t.Context(), name, out, x.o); err != nil {
						t.Fatalf("%s, %s: %v", c.array, says, err)
					}
					if said := strings.Contains(notes, "with a plugin only"); said != (x.o.Codec != "" && x.o.Codec != "none") {
						t.Errorf("%s, %s: notes %q", c.array, says, notes)
					}
				}
				to := 100
				if x.from > 0 {
					to = 96
				}
				paths, want = append(paths, out), append(want, fmt.Sprintf("%x", dtype.Bytes(elements[50*x.from:50*to])))
				kept := slices.ContainsFunc(framesOf(t, out, "a"), func(frame []byte) bool { return bytes.Equal(frame, foreign) })
				if kept != x.kept && (c.foreign != "lz4" || x.kept) { // lz4 again: the same bytes
					t.Errorf("%s, %s, %s: a chunk is as the array has it: %v", c.array, says, ext, kept)
				}
			}
		}
	}
	if got := strings.Fields(pythonSays(t, decodesFrames, paths...)); !slices.Equal(got, want) {
		for i := range want {
			if i >= len(got) || got[i] != want[i] {
				t.Errorf("%s: other programs read other elements", paths[i])
			}
		}
	}
}

// pythonSays runs a script and returns what it prints.
func pythonSays(t *testing.T, script string, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("/usr/bin/python3", append([]string{"-W", "ignore", "-c", script}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	return string(out)
}

// A file that grows is compressed by its own filter, also in chunks that existed in part.
func TestExportAppendsToFilters(t *testing.T) {
	for _, codecs := range [][2]string{{"zstd:3", "zstd:3"}, {"lz4", "blosc:zstd:2"}, {"none", "lz4"}} {
		for _, ext := range []string{".h5", ".nc"} {
			dir := t.TempDir()
			name, out := filepath.Join(dir, "a"), filepath.Join(dir, "out"+ext)
			a, err := drx.Create(name, drx.Spec{DType: dtype.Int16, Shape: []int{50, 600}, Dims: []string{"y", "x"}, ChunkShape: []int{32, 100}, Codec: codecs[0]})
			if err != nil {
				t.Fatal(err)
			}
			want := make([]int16, 120*600)
			for i := range want {
				want[i] = int16(i / 7)
			}
			for i, rows := range []int{50, 64, 120} {
				if by := rows - a.Shape()[0]; by > 0 {
					if _, err := a.Extend(0, by); err != nil {
						t.Fatal(err)
					}
				}
				if err := drx.Write(a, nil, want[:rows*600]); err != nil {
					t.Fatal(err)
				}
				if err := a.Sync(); err != nil {
					t.Fatal(err)
				}
				if _, err := transfer.Export(t.Context(), name, out, transfer.ExportOptions{Append: "y", Codec: codecs[1]}); err != nil {
					t.Fatalf("%v, %s, %d: %v", codecs, ext, i, err)
				}
				r, err := formats.Open(out, formats.Options{})
				if err != nil {
					t.Fatal(err)
				}
				got := make([]int16, rows*600)
				if err := r.ReadSection(nil, dtype.Bytes(got)); err != nil || !slices.Equal(got, want[:rows*600]) {
					t.Errorf("%v, %s, %d rows: other elements, %v", codecs, ext, rows, err)
				}
				if c := r.Info().Codec; !strings.HasPrefix(c.String(), codecs[1]) {
					t.Errorf("%v, %s: the file has codec %s", codecs, ext, c)
				}
				if err := r.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
