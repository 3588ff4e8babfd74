package drx

import (
	"path/filepath"
	"runtime"
	"testing"

	"drx/dtype"
	"drx/nd"
)

// scaleSpec is an array whose file is 14 TiB long after 100,000 extensions by a chunk, in turns
// along both dimensions: the longest file of ext4 has 16.
var scaleSpec = Spec{DType: dtype.Float64, Shape: []int{1 << 17, 1 << 18}, ChunkShape: []int{16, 32}}

// An array of many chunks, extended 100,000 times by a chunk, in turns along both dimensions, is
// opened again, which reads only its log. The elements that were written (in the first chunks, and
// in new ones at the far end of a sparse file) can be read.
func TestHugeArray(t *testing.T) { inBothForms(t, testHugeArray) }

func testHugeArray(t *testing.T) {
	name := filepath.Join(t.TempDir(), named(t, "huge"))
	a, err := Create(name, scaleSpec)
	if err != nil {
		t.Fatal(err)
	}
	if err := Set(a, 1.5, 17, 19); err != nil {
		t.Fatal(err)
	}
	chunk := a.ChunkShape()
	for i := range 100_000 {
		if _, err := a.Extend(i%2, chunk[i%2]); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a, err = Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := after.HeapAlloc - before.HeapAlloc; held > 64<<20 {
		t.Errorf("an open array holds %d MiB", held>>20)
	}
	if n := a.Grid().Segments(); n != 100_001 {
		t.Errorf("%d segments", n)
	}
	if v, err := At[float64](a, 17, 19); err != nil || v != 1.5 {
		t.Errorf("element written before the growth: %v, %v", v, err)
	}
	last := []int{a.Shape()[0] - 1, a.Shape()[1] - 1}
	if v, err := At[float64](a, last...); err != nil || v != 0 {
		t.Errorf("last element: %v, %v", v, err)
	}
	u, err := a.Usage()
	if err != nil || u.Written != 1 || u.DataBytes > 4<<20 {
		t.Errorf("usage %+v, %v", u, err)
	}
}

// A petabyte array is extended a million times without a commit in between. The log stays short,
// because extensions in the same direction are merged.
func TestMillionExtensions(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{1 << 40, 1024}, ChunkShape: []int{1024, 1024}})
	for range 1_000_000 {
		if _, err := a.Extend(0, 1024); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	u, err := a.Usage()
	if err != nil || u.LogBytes > 1000 || a.Shape()[0] != 1<<40+1_000_000*1024 {
		t.Errorf("usage %+v, %v, shape %v", u, err, a.Shape())
	}
	if err := Write(a, nd.Sec(nd.From(1<<40+999_999*1024), nd.All), make([]uint8, 1<<20)); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkOpen times opening for different numbers of expansions and array sizes.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000} {
		b.Run(map[int]string{10: "extensions=10", 1000: "extensions=1000", 100_000: "extensions=100000"}[n], func(b *testing.B) {
			name := filepath.Join(b.TempDir(), "a")
			a, err := Create(name, scaleSpec)
			if err != nil {
				b.Fatal(err)
			}
			for i := range n {
				if _, err := a.Extend(i%2, scaleSpec.ChunkShape[i%2]); err != nil {
					b.Fatal(err)
				}
			}
			if err := a.Close(); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				a, err := Open(name, Options{})
				if err != nil {
					b.Fatal(err)
				}
				if err := a.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
