package transfer_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"drx"
	"drx/dtype"
	"drx/formats"
	"drx/formats/transfer"
	"drx/nd"
)

// storedPart makes a store with rows of numbers in chunks of chunkRows x 16, at a codec level that
// arrays do not use by default.
func storedPart(t *testing.T, dir, name string, rows, chunkRows int, codec string) (store string, want []int32) {
	t.Helper()
	store, want = filepath.Join(dir, name+".zarr"), slope(rows*48)
	for i := range want {
		want[i] += int32(len(name))
	}
	writers, err := formats.CreateFile(store, "", formats.Content{Vars: []formats.Info{{
		Name: "v", DType: dtype.Int32, Shape: []int{rows, 48}, Dims: []string{"y", "x"}, Chunk: []int{chunkRows, 16}, Codec: parsed(t, codec),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	buf := bytes.Clone(dtype.Bytes(want))
	dtype.Int32.ToLittle(buf)
	if err := writers[0].WriteSection(nil, buf); err != nil {
		t.Fatal(err)
	}
	if err := writers[0].Close(); err != nil {
		t.Fatal(err)
	}
	return store, want
}

func parsed(t *testing.T, codec string) formats.CodecSpec {
	t.Helper()
	c, err := formats.ParseCodec(codec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// keptFrames returns the number of chunks that are stored in the array as in a store.
func keptFrames(t *testing.T, a *drx.Array, store string) (kept int) {
	t.Helper()
	files := storeFiles(t, store)
	index := make([]int, a.Rank())
	for q := range a.Grid().Chunks() {
		a.Grid().Index(q, index)
		if frame, _, err := a.ReadFrame(index, nil); err == nil && frame != nil && has(files, frame) {
			kept++
		}
	}
	return kept
}

// Appending to an array, and writing over a part of it, must copy chunks of a store unchanged where
// they coincide with chunks of the array. The elements must be right in any case.
func TestFramesAppended(t *testing.T) {
	dir := t.TempDir()
	const own = "zstd:1"
	for name, c := range map[string]struct {
		first, second int // rows of the files
		codec         string
		chunkRows     int
		kept          int // unchanged chunks of the second file, 3 in a row
	}{
		"whole":             {64, 64, "zstd:19", 32, 6},
		"with a part":       {64, 50, "zstd:19", 32, 6},
		"behind a part":     {50, 64, "zstd:19", 32, 0},
		"another codec":     {64, 64, "blosc:zstd:9", 32, 0},
		"another chunk":     {64, 64, "zstd:19", 16, 0},
		"of another level":  {32, 32, "zstd:3", 32, 3},
		"less than a chunk": {64, 20, "zstd:19", 32, 3},
	} {
		folder := filepath.Join(dir, name)
		one, first := storedPart(t, dir, name+"1", c.first, 32, own)
		two, second := storedPart(t, dir, name+"2", c.second, c.chunkRows, c.codec)
		o := transfer.ImportOptions{Append: "y", Chunk: []int{32, 16}, Codec: own}
		if _, err := transfer.Import(t.Context(), folder, o, one, two); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		a, err := drx.Open(filepath.Join(folder), drx.Options{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Concat(first, second)
		if got, err := drx.Read[int32](a, nil); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: other elements, %v", name, err)
		}
		if kept := keptFrames(t, a, two); kept != c.kept {
			t.Errorf("%s: %d chunks of the second file are as they were, want %d", name, kept, c.kept)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// CopyFrames must copy chunks to their positions, at negative indices and as a slice along a
// dimension that the file lacks, and must copy nothing if no chunk fits.
func TestCopyFrames(t *testing.T) {
	dir := t.TempDir()
	store, want := storedPart(t, dir, "a", 64, 32, "zstd:19")
	for name, c := range map[string]struct {
		lo, shape, chunk, at, own []int
		kept                      int
	}{
		"at its place":      {[]int{0, 0}, []int{64, 48}, []int{32, 16}, []int{0, 0}, []int{0, 1}, 6},
		"in the middle":     {[]int{-64, -16}, []int{200, 100}, []int{32, 16}, []int{-32, 16}, []int{0, 1}, 6},
		"between chunks":    {[]int{-64, -16}, []int{200, 100}, []int{32, 16}, []int{-31, 16}, []int{0, 1}, -1},
		"as a slice":        {[]int{-1, 0, 0}, []int{3, 64, 48}, []int{1, 32, 16}, []int{1, 0, 0}, []int{1, 2}, 6},
		"as the last slice": {[]int{0, 0, 0}, []int{64, 48, 3}, []int{32, 16, 1}, []int{0, 0, 2}, []int{0, 1}, 6},
		"of thick frames":   {[]int{0, 0, 0}, []int{3, 64, 48}, []int{2, 32, 16}, []int{1, 0, 0}, []int{1, 2}, -1},
	} {
		a, err := drx.Create(filepath.Join(dir, name), drx.Spec{DType: dtype.Int32, Lo: c.lo, Shape: c.shape, ChunkShape: c.chunk, Codec: "zstd:1", FillValue: -9})
		if err != nil {
			t.Fatal(err)
		}
		all := nd.Sec()
		for range c.shape {
			all = append(all, nd.All)
		}
		n, _ := nd.Product(c.shape...)
		if err := drx.Write(a, all, slices.Repeat([]int32{5}, n)); err != nil { // to be replaced
			t.Fatal(err)
		}
		r, err := formats.Open(store, formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		bytes := 0
		done, err := transfer.CopyFrames(t.Context(), r, a, c.at, c.own, func(n int) { bytes += n })
		if err != nil || done != (c.kept >= 0) || done && bytes != 4*len(want) {
			t.Errorf("%s: %v, %v, %d bytes", name, done, err, bytes)
		}
		if kept := keptFrames(t, a, store); kept != max(c.kept, 0) {
			t.Errorf("%s: %d chunks are as they were, want %d", name, kept, c.kept)
		}
		part := nd.Section{}
		for d, at := range c.at {
			if i := slices.Index(c.own, d); i >= 0 {
				part = append(part, nd.Span(at, at+[]int{64, 48}[i]))
			} else {
				part = append(part, nd.At(at))
			}
		}
		expect := want
		if !done {
			expect = slices.Repeat([]int32{5}, len(want))
		}
		if got, err := drx.Read[int32](a, part); err != nil || !slices.Equal(got, expect) {
			t.Errorf("%s: other elements, %v", name, err)
		}
		got, err := drx.Read[int32](a, nil)
		fives := 0
		for _, v := range got {
			if v == 5 {
				fives++
			}
		}
		inside := 0
		for _, v := range expect {
			if v == 5 {
				inside++
			}
		}
		if err != nil || fives != n-len(want)+inside {
			t.Errorf("%s: %d elements beside the file are as they were, want %d, %v", name, fives-inside, n-len(want), err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// storedDataset makes a store with maps at several times, and returns the maps.
func storedDataset(t *testing.T, store string, first, times int) []int32 {
	t.Helper()
	const side = 256 // a chunk of 256 KiB, which an import keeps
	v := slope(times * side * side)
	for i := range v {
		v[i] += int32(first)
	}
	at := make([]int32, times)
	for i := range at {
		at[i] = int32(first + i)
	}
	writers, err := formats.CreateFile(store, "", formats.Content{Vars: []formats.Info{
		{Name: "time", DType: dtype.Int32, Shape: []int{times}, Dims: []string{"time"}},
		{Name: "v", DType: dtype.Int32, Shape: []int{times, side, side}, Dims: []string{"time", "y", "x"}, Chunk: []int{1, side, side}, Codec: parsed(t, "zstd:19")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i, values := range [][]int32{at, v} {
		buf := bytes.Clone(dtype.Bytes(values))
		dtype.Int32.ToLittle(buf)
		if err := writers[i].WriteSection(nil, buf); err != nil {
			t.Fatal(err)
		}
		if err := writers[i].Close(); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// A dataset must copy chunks of stores unchanged when it is made, when it grows, and when a part of
// it is written again.
func TestFramesOfDatasets(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "W")
	stores := []string{filepath.Join(dir, "1.zarr"), filepath.Join(dir, "2.zarr"), filepath.Join(dir, "3.zarr")}
	want := slices.Concat(storedDataset(t, stores[0], 0, 3), storedDataset(t, stores[1], 3, 2))
	again := storedDataset(t, stores[2], 2, 2)
	check := func(kept map[string]int) {
		t.Helper()
		a, err := drx.Open(filepath.Join(folder, "v"), drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if got, err := drx.Read[int32](a, nil); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: other elements, %v", kept, err)
		}
		for store, n := range kept {
			if got := keptFrames(t, a, store); got != n {
				t.Errorf("%d chunks are as %s has them, want %d", got, store, n)
			}
		}
	}
	o := transfer.ImportOptions{Append: "time"}
	if _, err := transfer.Import(t.Context(), folder, o, stores[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := transfer.Import(t.Context(), folder, o, stores[1]); err != nil {
		t.Fatal(err)
	}
	check(map[string]int{stores[0]: 3, stores[1]: 2})
	if _, err := transfer.Write(t.Context(), folder, transfer.WriteOptions{}, stores[2]); err != nil {
		t.Fatal(err)
	}
	copy(want[2*256*256:], again)
	check(map[string]int{stores[0]: 2, stores[1]: 1, stores[2]: 2})
}
