package zarr

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/formattest"
	"drx/nd"
)

// A ZIP file of either version must contain the same as a folder, whatever the order of sections
// and the codec, and zarr-python must read version 2.
func TestZipWriter(t *testing.T) {
	var paths []string
	want := map[string]string{}
	dir := t.TempDir()
	for i, c := range []struct {
		version int
		info    formats.Info
		with    Compressor
	}{
		{2, formats.Info{DType: dtype.Float32, Shape: []int{9, 7}, Chunk: []int{2, 3}}, Compressor{}},
		{2, formats.Info{DType: dtype.Int16, Shape: []int{5, 4, 3}, Chunk: []int{2, 2, 2}, Fill: []byte{7, 0}}, Compressor{Name: "blosc", Level: 5, Shuffle: 1}},
		{2, formats.Info{DType: dtype.Uint8, Shape: []int{}}, Compressor{Name: "zstd", Level: 3}},
		{3, formats.Info{DType: dtype.Complex128, Shape: []int{6, 5}, Chunk: []int{4, 4}, Dims: []string{"y", "x"}}, Compressor{Name: "gzip", Level: 1}},
		{3, formats.Info{DType: dtype.Float16, Shape: []int{0, 5}}, Compressor{}},
	} {
		c.info.Name = "g/v"
		path := filepath.Join(dir, string(rune('a'+i))+".zip")
		create := func() (formats.Writer, error) {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			writers, err := Create(path, formats.Content{Vars: []formats.Info{c.info}, Attrs: map[string]any{"title": "x"}}, Options{Version: c.version, Compressor: c.with, Zip: true})
			if err != nil {
				return nil, err
			}
			return writers[0], nil
		}
		elements := formattest.Writer(t, create, c.info, false)
		info := c.info
		if info.Chunk == nil {
			info.Chunk = slices.Clone(info.Shape)
			for d := range info.Chunk {
				info.Chunk[d] = max(1, info.Chunk[d])
			}
		}
		info.Fill = nil
		formattest.Reader(t, func() (formats.Reader, error) { return formats.Open(path, formats.Options{}) }, info, elements)
		if got, err := formats.List(path, formats.Options{}); err != nil || got.Attrs["title"] != "x" || len(got.Vars) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
		if c.version == 2 {
			paths = append(paths, path)
			want[path+"/g/v"] = hex.EncodeToString(elements)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 5 {
		t.Errorf("left %v, %v", entries, err)
	}
	for name, got := range python(t, zarrReads, paths...) {
		if got.Hex != want[name] {
			t.Errorf("%s: zarr-python reads %s, want %s", name, got.Hex, want[name])
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("zarr-python does not find %v", want)
	}
}

// If there are too many incomplete chunks, they wait in a folder beside the ZIP file. The folder
// must be gone in the end.
func TestZipSpills(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.zip")
	info := formats.Info{Name: "v", DType: dtype.Uint8, Shape: []int{2, 80 << 20}, Chunk: []int{2, 1 << 20}}
	writers, err := formats.CreateFile(path, "", formats.Content{Vars: []formats.Info{info}})
	if err != nil {
		t.Fatal(err)
	}
	row := bytes.Repeat([]byte{1, 2}, 40<<20)
	for y := range 2 {
		if err := writers[0].WriteSection(nd.Sec(nd.At(y), nd.All), row); err != nil {
			t.Fatal(err)
		}
	}
	if err := writers[0].Close(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left %v, %v", entries, err)
	}
	r, err := formats.Open(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := make([]byte, len(row))
	if err := r.ReadSection(nd.Sec(nd.At(1), nd.All), got); err != nil || !bytes.Equal(got, row) {
		t.Errorf("other elements, %v", err)
	}
}

// A store that cannot be written must leave nothing behind.
func TestZipMistakes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.zip")
	two := formats.Info{Name: "a", DType: dtype.Uint8, Shape: []int{2}}
	if _, err := formats.CreateFile(path, "", formats.Content{Vars: []formats.Info{two, two}}); !errors.Is(err, formats.ErrVariable) {
		t.Error(err)
	}
	if _, err := Create(filepath.Join(dir, "none", "a.zip"), formats.Content{}, Options{Zip: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Create(path, formats.Content{Attrs: map[string]any{"x": func() {}}}, Options{Zip: true}); err == nil {
		t.Error("an attribute that is a function")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left %v, %v", entries, err)
	}
	if writers, err := Create(path, formats.Content{Attrs: map[string]any{"x": 1}}, Options{Zip: true}); err != nil || len(writers) != 0 {
		t.Error(err)
	}
	if c, err := formats.List(path, formats.Options{}); err != nil || len(c.Attrs) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}
