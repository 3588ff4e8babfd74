package drx

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// Discard leaves the array as it was at the last Sync, for readers and for the next writer.
func TestDiscard(t *testing.T) {
	for name, fsys := range map[string]vfs.FS{"memory": vfs.NewMem(), "system": vfs.OS} {
		t.Run(name, func(t *testing.T) {
			file := "a"
			if fsys == vfs.OS {
				file = filepath.Join(t.TempDir(), "a")
			}
			spec := Spec{DType: dtype.Int8, Shape: []int{2, 2}, ChunkShape: []int{1, 2}, Options: Options{fs: fsys, Cache: 2}}
			a, err := Create(file, spec)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(Fill(a, nil, int8(1)), a.Sync()); err != nil {
				t.Fatal(err)
			}
			// Write more than the cache holds, so that old and new chunks are in the files.
			if _, err := a.Extend(0, 7); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(Fill(a, nil, int8(2)), a.SetAttr("n", 1), a.Discard()); err != nil {
				t.Fatal(err)
			}
			for op, err := range map[string]error{"discard": a.Discard(), "close": a.Close(), "sync": a.Sync()} {
				if !errors.Is(err, ErrClosed) {
					t.Errorf("%s after discard: %v", op, err)
				}
			}
			for _, write := range []bool{false, true} {
				wantOnes(t, file, Options{fs: fsys, Write: write})
			}
		})
	}
}

// wantOnes opens the array of TestDiscard, checks that it is what was synced, and discards it.
func wantOnes(t *testing.T, file string, o Options) {
	t.Helper()
	a, err := Open(file, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read[int8](a, nil)
	if err != nil || !slices.Equal(got, []int8{1, 1, 1, 1}) || len(a.Attrs()) != 0 {
		t.Errorf("%+v: read %v, %v, attributes %v", o, got, err, a.Attrs())
	}
	if r, err := a.Verify(context.Background(), nil); err != nil || !r.Good() || r.Written != 2 {
		t.Errorf("%+v: verify: %+v, %v", o, r, err)
	}
	if err := a.Discard(); err != nil {
		t.Error(err)
	}
}

// Discard of a shared array keeps the reservation; its chunks are as if never written.
func TestDiscardReserved(t *testing.T) {
	fsys := vfs.NewMem()
	w, err := Create("a", sharedSpec(fsys))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := Open("a", Options{Shared: true, fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	sec, err := a.Reserve(0, 4)
	if err != nil {
		t.Fatal(err)
	}
	own := nd.Sec(nd.Span(0, 4), nd.Span(0, 4)) // one chunk, not shared with a later section
	if err := errors.Join(Fill(a, own, int64(7)), a.Discard()); err != nil {
		t.Fatal(err)
	}
	a, err = Open("a", Options{Write: true, fs: fsys})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read[int64](a, own)
	if err != nil || !slices.Equal(a.Bounds(), nd.Box([]int{0, 0}, []int{4, 6})) || slices.Max(got) != -1 {
		t.Errorf("reserved %v, bounds %v, read %v, %v", sec, a.Bounds(), got, err)
	}
}

// Discard gives the space of chunks back that were written within the bounds of the last commit.
func TestDiscardGivesSpaceBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	const edge = 1 << 16
	a, err := Create(file, Spec{DType: dtype.Int8, Shape: []int{16, edge}, ChunkShape: []int{1, edge}, Options: Options{Cache: 4 * edge}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Fill(a, nd.Sec(nd.At(3), nd.All), int8(1)), a.Sync()); err != nil {
		t.Fatal(err)
	}
	before, err := a.Usage()
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(a, nil, make([]int8, 16*edge)); err != nil {
		t.Fatal(err)
	}
	if during, err := a.Usage(); err != nil || during.DataBytes <= before.DataBytes {
		t.Fatalf("%d bytes, %v: nothing was written", during.DataBytes, err)
	}
	if err := a.Discard(); err != nil {
		t.Fatal(err)
	}
	if a, err = Open(file, Options{}); err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	after, err := a.Usage()
	if err != nil || after.DataBytes > before.DataBytes {
		t.Errorf("%d bytes after, %d before, %v", after.DataBytes, before.DataBytes, err)
	}
	got, err := Read[int8](a, nd.Sec(nd.At(3), nd.All))
	if err != nil || slices.Min(got) != 1 {
		t.Errorf("row 3 is not what was synced: %v", err)
	}
}
