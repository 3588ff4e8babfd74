package drx

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/axial"
	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// An array that outgrows the file system must say so when it is extended, and stay as it was. One
// chunk less must fit, and be writable.
func TestExtendBeyondTheFileSystem(t *testing.T) {
	for _, o := range []Options{{}, {Shared: true}} {
		name := filepath.Join(t.TempDir(), "a")
		const edge = 1 << 17 // 1 MiB
		a, err := Create(name, Spec{DType: dtype.Float64, Shape: []int{edge}, ChunkShape: []int{edge}})
		if err != nil {
			t.Fatal(err)
		}
		limit := vfs.MaxSize(a.file)
		if limit > math.MaxInt64/2 {
			t.Skip("the file system has no limit, or does not say so")
		}
		grow := a.Extend
		if o.Shared {
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			if a, err = Open(name, o); err != nil {
				t.Fatal(err)
			}
			grow = a.Reserve
		}
		t.Cleanup(func() { _ = a.Close() })
		fit := int(limit / (8 * edge))
		if _, err := grow(0, fit*edge); !errors.Is(err, ErrOverflow) || !strings.Contains(err.Error(), "XFS") {
			t.Errorf("%+v: extension beyond %d bytes: %v, want ErrOverflow and a way out", o, limit, err)
		}
		if got := a.Grid().Chunks(); got != 1 {
			t.Errorf("%+v: after a refused extension there are %d chunks, want 1", o, got)
		}
		if _, err := grow(0, (fit-1)*edge); err != nil {
			t.Errorf("%+v: extension to %d chunks of %d bytes: %v", o, fit, 8*edge, err)
		}
		last := fit*edge - 1
		if err := Set(a, 1.0, last); err != nil {
			t.Errorf("%+v: the last element that fits: %v", o, err)
		}
		if err := a.Sync(); err != nil {
			t.Errorf("%+v: sync: %v", o, err)
		}
		if a.Grid().Chunks() != axial.Number(fit) {
			t.Errorf("%+v: %d chunks, want %d", o, a.Grid().Chunks(), fit)
		}
	}
}

// An array that was created beyond the limit, of which a few chunks are written, can change in all
// ways that add no chunk.
func TestChangeBeyondTheFileSystem(t *testing.T) {
	a, err := Create(filepath.Join(t.TempDir(), "a"), Spec{DType: dtype.Float64, Shape: []int{1 << 40, 10}, ChunkShape: []int{1 << 10, 16}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	_, extended := a.Extend(1, 1)
	_, added := a.AddDim("z")
	for i, err := range []error{a.SetAttr("units", "K"), extended, added, a.Shrink(0, 1<<39), a.Sync()} {
		if err != nil {
			t.Errorf("change %d: %v", i, err)
		}
	}
}

// An array may be created larger than its file system allows, as most of it may never be written. A
// write beyond the limit is refused before it writes anything, for whole chunks and parts of them.
func TestWriteBeyondTheFileSystem(t *testing.T) {
	for _, codec := range []string{"", "lz4"} {
		name := filepath.Join(t.TempDir(), "a")
		const edge = 1 << 17 // 1 MiB
		a, err := Create(name, Spec{DType: dtype.Float64, Shape: []int{edge << 40}, ChunkShape: []int{edge}, Codec: codec})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = a.Close() })
		limit := vfs.MaxSize(a.file)
		if limit > math.MaxInt64/2 {
			t.Skip("the file system has no limit, or does not say so")
		}
		if err := a.Fits(); !errors.Is(err, ErrOverflow) {
			t.Errorf("codec %q: Fits: %v, want ErrOverflow", codec, err)
		}
		beyond := (int(limit/(8*edge)) + 1) * edge
		for _, n := range []int{1, edge} {
			err := Write(a, nd.Section{nd.Span(beyond, beyond+n)}, make([]float64, n), nil)
			if err = errors.Join(err, a.Sync()); !errors.Is(err, ErrOverflow) || !strings.Contains(err.Error(), "XFS") {
				t.Errorf("codec %q: writing %d elements beyond %d bytes: %v, want ErrOverflow and a way out", codec, n, limit, err)
			}
		}
		if err := a.Discard(); err != nil {
			t.Error(err)
		}
		for _, file := range []string{name + ".xta", name + ".xck"} {
			if info, err := os.Stat(file); err != nil || info.Size() > 1<<20 {
				t.Errorf("codec %q: after a refused write %s: %v, %v, want a short file", codec, file, info.Size(), err)
			}
		}
	}
}
