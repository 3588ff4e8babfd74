package relayout

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// compressedPair makes a compressed array of 300 x 300 elements, one corner of which was never
// written and which grew on its low side, and a target for a copy of it.
func compressedPair(t *testing.T, codec string) (dst, src *drx.Array) {
	t.Helper()
	dir := t.TempDir()
	spec := drx.Spec{DType: dtype.Int32, Shape: []int{300, 280}, ChunkShape: []int{64, 64}, Codec: codec}
	src, err := drx.Create(filepath.Join(dir, "src"), spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := src.ExtendLow(1, 20); err != nil {
		t.Fatal(err)
	}
	data := make([]int32, 300*200)
	for i := range data {
		data[i] = int32(i / 5)
	}
	if err := errors.Join(drx.Write(src, nd.Sec(nd.Span(0, 300), nd.Span(-20, 180)), data), src.Sync()); err != nil {
		t.Fatal(err)
	}
	spec.Lo, spec.Shape, spec.Incomplete = []int{0, -20}, []int{300, 300}, true
	if dst, err = drx.Create(filepath.Join(dir, "dst.drx"), spec); err != nil {
		t.Fatal(err)
	}
	return dst, src
}

func wantCopy(t *testing.T, dst, src *drx.Array) {
	t.Helper()
	want, err := drx.Read[int32](src, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := drx.Read[int32](dst, nil)
	if err != nil || !slices.Equal(got, want) || Incomplete(dst) {
		t.Errorf("other elements, incomplete %v, %v", Incomplete(dst), err)
	}
	if r, err := dst.Verify(context.Background(), nil); err != nil || !r.Good() {
		t.Errorf("%+v, %v", r, err)
	}
}

// Between arrays that store chunks alike, a copy must move the stored bytes, leave unwritten chunks
// unwritten, and resume where it was interrupted.
func TestCopyOfStoredChunks(t *testing.T) {
	for _, codec := range []string{"zstd:3", "lz4", "blosc:lz4:5:shuffle"} {
		dst, src := compressedPair(t, codec)
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		_, err := Copy(ctx, dst, src, Options{CommitBytes: 1, Progress: func(_, _ int64) {
			if calls++; calls == 8 {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || !Incomplete(dst) {
			t.Fatalf("%s: %v, incomplete %v", codec, err, Incomplete(dst))
		}
		if err := dst.Discard(); err != nil {
			t.Fatal(err)
		}
		if dst, err = drx.Open(dst.Name(), drx.Options{Write: true, Incomplete: true}); err != nil {
			t.Fatal(err)
		}
		stats, err := Copy(context.Background(), dst, src, Options{Resume: true})
		if err != nil || stats.Skipped.Writes == 0 || stats.Cost.Writes+stats.Skipped.Writes != stats.Plan.Cost().Writes {
			t.Fatalf("%s: %+v, %v", codec, stats, err)
		}
		wantCopy(t, dst, src)
		from, err := src.Usage()
		if err != nil {
			t.Fatal(err)
		}
		if to, err := dst.Usage(); err != nil || to.Written != from.Written || to.StoredBytes != from.StoredBytes {
			t.Errorf("%s: %+v became %+v, %v", codec, from, to, err)
		}
		if err := errors.Join(dst.Close(), src.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// Sections, arrays with other bounds, and targets that have elements must be copied by elements,
// and damage of the source must give an error.
func TestCopyOfStoredChunksInPart(t *testing.T) {
	dst, src := compressedPair(t, "zstd:3")
	if err := drx.Set[int32](dst, 77, 299, 279); err != nil { // src has never written it
		t.Fatal(err)
	}
	if _, err := Copy(context.Background(), dst, src, Options{}); err != nil {
		t.Fatal(err)
	}
	wantCopy(t, dst, src)
	part, err := drx.Create(filepath.Join(t.TempDir(), "part"), drx.Spec{
		DType: dtype.Int32, Lo: []int{10, 0}, Shape: []int{200, 190}, ChunkShape: []int{64, 64}, Codec: "zstd:3",
	})
	if err != nil {
		t.Fatal(err)
	}
	sec := nd.Sec(nd.Span(10, 210), nd.Span(0, 190))
	if _, err := Copy(context.Background(), part, src, Options{Section: sec}); err != nil {
		t.Fatal(err)
	}
	want, err := drx.Read[int32](src, sec)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := drx.Read[int32](part, nil); err != nil || !slices.Equal(got, want) {
		t.Errorf("other elements of a section, %v", err)
	}
	if err := errors.Join(dst.Close(), part.Close(), src.Close()); err != nil {
		t.Fatal(err)
	}
}
