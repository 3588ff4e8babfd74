package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drx"
	"drx/dtype"
	"drx/formats"
)

// append and write must copy the compressed chunks of a store unchanged; the level of the store is
// not one that arrays use by default.
func TestAppendAndWriteFrames(t *testing.T) {
	dir := t.TempDir()
	store := func(name string, rows, first int) (path string, values []int32) {
		path, values = filepath.Join(dir, name), make([]int32, rows*48)
		for i := range values {
			values[i] = int32(first + i/7%50 + i%3)
		}
		info := formats.Info{Name: "v", DType: dtype.Int32, Shape: []int{rows, 48}, Chunk: []int{32, 16}, Codec: formats.CodecSpec{Name: "zstd", Level: 19}}
		writers, err := formats.CreateFile(path, "", formats.Content{Vars: []formats.Info{info}})
		if err == nil {
			err = writers[0].WriteSection(nil, dtype.Int32.Little(slices.Clone(dtype.Bytes(values))))
		}
		if err == nil {
			err = writers[0].Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return path, values
	}
	kept := func(path string) (n int) {
		a, err := drx.Open(filepath.Join(dir, "A"), drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		chunks, err := filepath.Glob(filepath.Join(path, "v", "*.*"))
		if err != nil || len(chunks) == 0 {
			t.Fatal(chunks, err)
		}
		for i := range 3 * 8 {
			frame, _, err := a.ReadFrame([]int{i / 3, i % 3}, nil)
			if err == nil && frame != nil && slices.ContainsFunc(chunks, func(name string) bool {
				data, err := os.ReadFile(name)
				return err == nil && string(data) == string(frame)
			}) {
				n++
			}
		}
		return n
	}
	_, one := store("1.zarr", 64, 1)
	second, two := store("2.zarr", 64, 1000)
	third, three := store("3.zarr", 40, 2000)
	mustRun(t, dir, "import @/1.zarr @/A --chunk 32,16 --codec zstd:1")
	mustRun(t, dir, "append @/A @/2.zarr @/3.zarr --dim 0")
	if n, m := kept(second), kept(third); n != 6 || m != 6 {
		t.Errorf("append: %d and %d chunks are as the stores have them, want 6 and 6", n, m)
	}
	mustRun(t, dir, "write @/A @/2.zarr --at 0,0")
	if n := kept(second); n != 12 {
		t.Errorf("write: %d chunks are as the store has them, want 12", n)
	}
	mustRun(t, dir, "write @/A @/3.zarr --at 1,0") // between chunks
	want := slices.Concat(one, two, three)
	copy(want, two)
	copy(want[48:], three)
	a, err := drx.Open(filepath.Join(dir, "A"), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if got, err := drx.Read[int32](a, nil); err != nil || !slices.Equal(got, want) {
		t.Errorf("other elements, %v", err)
	}
}

// Chunks whose elements are to be rounded must not be copied unchanged.
func TestAppendedFramesAreRounded(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"1.zarr", "2.zarr"} {
		values := make([]float32, 32*16)
		for i := range values {
			values[i] = 1 / float32(i+3)
		}
		info := formats.Info{Name: "v", DType: dtype.Float32, Shape: []int{32, 16}, Chunk: []int{32, 16}, Codec: formats.CodecSpec{Name: "zstd", Level: 1}}
		writers, err := formats.CreateFile(filepath.Join(dir, name), "", formats.Content{Vars: []formats.Info{info}})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(writers[0].WriteSection(nil, dtype.Float32.Little(dtype.Bytes(values))), writers[0].Close()); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, dir, "import @/1.zarr @/A --chunk 32,16 --codec zstd:1 --digits 3")
	mustRun(t, dir, "append @/A @/2.zarr --dim 0 --digits 3")
	a, err := drx.Open(filepath.Join(dir, "A"), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	got, err := drx.Read[float32](a, nil)
	if err != nil || len(got) != 2*32*16 {
		t.Fatal(len(got), err)
	}
	for i, x := range got {
		if math.Float32bits(x)&0xff != 0 {
			t.Fatalf("element %d is %v: it was not rounded", i, x)
		}
	}
}
