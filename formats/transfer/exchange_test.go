package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/dataset"
	"drx/dtype"
	"drx/formats"
	"drx/formats/pipe"
	"drx/formats/transfer"
	"drx/nd"
	"drx/optionerr"
)

// elementsOf reads an array.
func elementsOf(t *testing.T, name string) []int32 {
	t.Helper()
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	values, err := drx.Read[int32](a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// An import whose context ends must leave a valid array, and continue with its original options.
// The progress must reach the total.
func TestInterruptedImportResumes(t *testing.T) {
	dir := t.TempDir()
	in, name := filepath.Join(dir, "in.npy"), filepath.Join(dir, "A")
	elements := make([]int32, 1000*500)
	for i := range elements {
		elements[i] = int32(i)
	}
	makeNPY(in, []int{1000, 500}, dtype.Bytes(elements))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := transfer.ImportOptions{Memory: 1 << 20, Chunk: []int{100, 100}, Progress: func(done, total int64) {
		if done > total/3 {
			cancel()
		}
	}}
	_, err := transfer.Import(ctx, name, o, in)
	var incomplete *transfer.IncompleteError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &incomplete) || incomplete.Hint.String() != "the import is not complete; continue with option resume" {
		t.Fatalf("%v", err)
	}
	if got := elementsOf(t, name); slices.Equal(got, elements) || !slices.Equal(got[:1000], elements[:1000]) {
		t.Error("nothing was imported, or all of it")
	}
	if _, err := transfer.Import(t.Context(), name, transfer.ImportOptions{}, in); !errors.Is(err, fs.ErrExist) {
		t.Errorf("without Resume: %v", err)
	}
	if _, err := transfer.Import(t.Context(), name, transfer.ImportOptions{Resume: true, Chunk: []int{10, 10}}, in); !errors.Is(err, optionerr.ErrOption) {
		t.Errorf("other options: %v", err)
	}
	last, whole := int64(-1), int64(0)
	made, err := transfer.Import(t.Context(), name, transfer.ImportOptions{Resume: true, Progress: func(done, total int64) {
		if done < last {
			t.Errorf("progress from %d to %d", last, done)
		}
		last, whole = done, total
	}}, in)
	if err != nil || !slices.Equal(made.Vars[0].Chunk, []int{100, 100}) || !slices.Equal(elementsOf(t, name), elements) {
		t.Errorf("%+v, %v", made, err)
	}
	if last <= 0 || last > whole {
		t.Errorf("progress ends at %d of %d", last, whole)
	}
}

// Wrong options must give an optionerr.ErrOption that names them, and nothing may be made.
func TestWrongOptions(t *testing.T) {
	dir := t.TempDir()
	in, name := filepath.Join(dir, "in.npy"), filepath.Join(dir, "A")
	makeNPY(in, []int{2, 2}, dtype.Bytes([]int32{1, 2, 3, 4}))
	if _, err := transfer.Import(t.Context(), filepath.Join(dir, "B"), transfer.ImportOptions{}, in); err != nil {
		t.Fatal(err)
	}
	for says, o := range map[string]transfer.ImportOptions{
		"no such element type":                   {As: "int3"},
		"import: option clip needs option as":    {Clip: true},
		"import: option low needs option append": {Low: true},
		"option coordinate needs":                {Coordinate: "x"},
		"want extents of at least 1":             {Chunk: []int{0, 1}},
		"more than 64MiB, a quarter":             {Chunk: []int{4096, 4097}},
		"more than 1MiB, a quarter":              {Chunk: []int{1 << 20, 1 << 20}, Memory: 1 << 20},
		"no such format":                         {Format: "nmpy"},
		`option codec: codec "gzip"`:             {Codec: "gzip"},
		"want rgb or rgba":                       {Expand: "cmyk"},
		"option memory=-1: want bytes":           {Memory: -1},
		"no such variable":                       {Vars: []string{"x"}},
		"no variable of":                         {Chunk: []int{1}},
	} {
		if _, err := transfer.Import(t.Context(), name, o, in); !errors.Is(err, optionerr.ErrOption) || !strings.Contains(err.Error(), says) {
			t.Errorf("want %s: %v", says, err)
		}
	}
	if _, err := transfer.Import(t.Context(), name, transfer.ImportOptions{As: "bool"}, in); err == nil || !strings.Contains(err.Error(), "in.npy: section 0:2,0:2: value 2") {
		t.Errorf("a variable without a name: %v", err)
	}
	if _, err := drx.Open(name, drx.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was made: %v", err)
	}
	if _, err := transfer.Import(t.Context(), name, transfer.ImportOptions{}); !errors.Is(err, optionerr.ErrOption) {
		t.Errorf("no files: %v", err)
	}
	for says, o := range map[string]transfer.ExportOptions{
		"no such element type":           {As: "int3"},
		"option deflate=10: want 0 to 9": {Deflate: 10},
		"has no codec zstd":              {Codec: "zstd"},
		"exclude each other":             {Codec: "zstd", Deflate: 1},
		"no such format":                 {Format: "nmpy"},
		"cannot grow":                    {Append: "x"},
		"option var chooses":             {Vars: []string{"x"}},
		"option memory=-1: want bytes":   {Memory: -1},
		"reaches outside 0:2":            {Select: transfer.Conditions{Section: nd.Section{nd.Span(0, 3), nd.All}}},
		"no dimension":                   {Select: transfer.Conditions{Sel: []string{"time=1"}}},
	} {
		if _, err := transfer.Export(t.Context(), filepath.Join(dir, "B"), filepath.Join(dir, "out.npy"), o); !errors.Is(err, optionerr.ErrOption) || !strings.Contains(err.Error(), says) {
			t.Errorf("want %s: %v", says, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 5 { // in.npy and the files of B
		t.Errorf("left %s", left)
	}
}

// Conditions choose from all variables of a dataset that have the dimension. Section chooses from
// an array, and its coordinates follow.
func TestExportConditions(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "W")
	d, err := dataset.Create(folder, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	specs := map[string]drx.Spec{
		"time": {DType: dtype.Int32, Shape: []int{4}, Dims: []string{"time"}, ChunkShape: []int{4}},
		"rain": {DType: dtype.Int32, Shape: []int{4, 2}, Dims: []string{"time", "x"}, ChunkShape: []int{4, 2}},
	}
	err = d.CreateAll(nil, specs, func(_ string, a *drx.Array) error {
		n, _ := nd.Product(a.Shape()...)
		values := make([]int32, n)
		for i := range values {
			values[i] = int32(10 * i)
		}
		return drx.Write(a, nil, values)
	})
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	var notes []string
	done, err := transfer.Export(t.Context(), folder, filepath.Join(dir, "out.zarr3"), transfer.ExportOptions{
		Select: transfer.Conditions{Sel: []string{"time=10..20"}}, Note: func(text string) { notes = append(notes, text) },
	})
	if err != nil || len(done.Vars) != 2 || notes != nil {
		t.Fatalf("%+v, %v, %q", done, err, notes)
	}
	r, err := formats.Open(filepath.Join(dir, "out.zarr3"), formats.Options{Variable: "rain"})
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 16)
	if err := errors.Join(r.ReadSection(nil, buf), r.Close()); err != nil || !slices.Equal(buf, dtype.Bytes([]int32{20, 30, 40, 50})) {
		t.Errorf("%v, %v", buf, err)
	}
	rain := filepath.Join(folder, "rain")
	section := transfer.Conditions{Section: nd.Section{nd.At(3), nd.All}}
	if _, err := transfer.Export(t.Context(), folder, filepath.Join(dir, "x.npy"), transfer.ExportOptions{Select: section}); !errors.Is(err, optionerr.ErrOption) {
		t.Errorf("a section of a dataset: %v", err)
	}
	if done, err := transfer.Export(t.Context(), rain, filepath.Join(dir, "x.zarr3"), transfer.ExportOptions{Select: section}); err != nil || len(done.Vars) != 2 {
		t.Errorf("a section of an array of a dataset: %+v, %v", done, err)
	}
	if r, err = formats.Open(filepath.Join(dir, "x.zarr3"), formats.Options{Variable: "time"}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.ReadSection(nil, buf[:4]), r.Close()); err != nil || !slices.Equal(buf[:4], dtype.Bytes([]int32{30})) {
		t.Errorf("%v, %v", buf, err)
	}
	if _, err := transfer.Export(t.Context(), rain, filepath.Join(dir, "x.npy"), transfer.ExportOptions{Select: section, Alone: true}); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "x.npy")); err != nil || !slices.Equal(got[len(got)-8:], dtype.Bytes([]int32{60, 70})) {
		t.Errorf("%v, %v", got, err)
	}
	// One array per file: the coordinate is left out, with a note.
	_, err = transfer.Export(t.Context(), folder, filepath.Join(dir, "y.npy"), transfer.ExportOptions{Vars: []string{"rain"}, Note: func(text string) { notes = append(notes, text) }})
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "time") {
		t.Errorf("%v, %q", err, notes)
	}
}

// UseHelper must determine the program that reads HDF5.
func TestUseHelper(t *testing.T) {
	defer transfer.UseHelper("")
	dir := t.TempDir()
	in := filepath.Join(dir, "in.h5")
	if err := os.WriteFile(in, []byte("\x89HDF\r\n\x1a\n0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(dir, "nowhere")
	transfer.UseHelper(nowhere)
	if _, err := transfer.Import(t.Context(), filepath.Join(dir, "A"), transfer.ImportOptions{}, in); !errors.Is(err, pipe.ErrMissing) || !strings.Contains(err.Error(), nowhere) {
		t.Errorf("%v", err)
	}
}

// New arrays must get the codec of the options, also when the first of several files makes them; an
// existing array must keep its codec.
func TestImportWithCodec(t *testing.T) {
	dir := t.TempDir()
	in, name := filepath.Join(dir, "in.npy"), filepath.Join(dir, "A")
	elements := make([]int32, 200*300)
	for i := range elements {
		elements[i] = int32(i / 100)
	}
	makeNPY(in, []int{200, 300}, dtype.Bytes(elements))
	if _, err := transfer.Import(t.Context(), name, transfer.ImportOptions{Append: "time", Codec: "blosc:zstd"}, in, in); err != nil {
		t.Fatal(err)
	}
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	u, err := a.Usage()
	if c := a.Layout().Codec; c != "blosc:zstd:5:shuffle" || err != nil || u.StoredBytes > u.WrittenBytes/2 {
		t.Errorf("codec %s, %d of %d bytes stored, %v", c, u.StoredBytes, u.WrittenBytes, err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got := elementsOf(t, name); !slices.Equal(got, slices.Concat(elements, elements)) {
		t.Error("other elements")
	}
	for codec, refused := range map[string]bool{"": false, "blosc:zstd:5": false, "none": true, "blosc:zstd:6": true, "auto": false} {
		_, err := transfer.Import(t.Context(), name, transfer.ImportOptions{Append: "time", Codec: codec}, in)
		if errors.Is(err, optionerr.ErrOption) != refused || !refused && err != nil {
			t.Errorf("codec %q: %v", codec, err)
		}
	}
	if got := elementsOf(t, name); len(got) != 5*len(elements) {
		t.Errorf("%d elements", len(got))
	}
}

// A codec must be chosen for each variable from its converted elements, and a note must name it.
func TestImportChoosesCodecs(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	noise, smooth := make([]byte, 300*400*4), make([]int32, 300*400)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	for i := range smooth {
		smooth[i] = int32(i / 100)
	}
	codecs := map[string]string{}
	for name, elements := range map[string][]byte{"noise": noise, "smooth": dtype.Bytes(smooth)} {
		in := filepath.Join(dir, name+".npy")
		makeNPY(in, []int{300, 400}, elements)
		for _, as := range []string{"", "int64"} {
			var notes []string
			o := transfer.ImportOptions{Codec: drx.AutoCodec, As: as, Append: "time", Chunk: []int{1, 100, 200}, Note: func(text string) { notes = append(notes, text) }}
			to := filepath.Join(dir, name+as)
			if _, err := transfer.Import(t.Context(), to, o, in, in); err != nil {
				t.Fatal(err)
			}
			a, err := drx.Open(to, drx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			codecs[name+as] = a.Layout().Codec
			again, err := a.ChooseCodec()
			if err := errors.Join(err, a.Close()); err != nil || again.Codec != codecs[name+as] {
				t.Errorf("%s as %q: %s, of the array %s, %v", name, as, codecs[name+as], again.Codec, err)
			}
			if want := fmt.Sprintf("codec %s, ", codecs[name+as]); !strings.Contains(strings.Join(notes, "\n"), want) {
				t.Errorf("%s as %q: %q", name, as, notes)
			}
		}
	}
	if codecs["noise"] != "none" || codecs["noiseint64"] == "none" || codecs["smooth"] == "none" {
		t.Error(codecs)
	}
}
