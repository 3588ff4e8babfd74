package drx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
)

// grownBeforehand returns the name of an array with a hundred extensions by a chunk of 128 KiB, each committed.
// The last chunk is written.
func grownBeforehand(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), named(t, "a"))
	a, err := Create(name, Spec{
		DType: dtype.Float64, Shape: []int{128, 128}, ChunkShape: []int{128, 128}, Options: Options{Durability: DurabilityNone},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if _, err := a.Extend(i%2, 128); err != nil {
			t.Fatal(err)
		}
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	last := a.Bounds()
	for d := range last {
		last[d].Lo = last[d].Hi - 128
	}
	if err := Fill(a, last, 1.5); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// An array from which only one element is read is not mapped for that; one from which more is read is mapped.
func TestReopenWithoutMapping(t *testing.T) {
	name := grownBeforehand(t)
	a, err := Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	last := a.Shape()
	for d := range last {
		last[d]--
	}
	for i, want := range []bool{false, true} {
		reads := 1 + 99*i
		for range reads {
			if v, err := At[float64](a, last...); err != nil || v != 1.5 {
				t.Fatal(v, err)
			}
		}
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skip("the system does not tell what is mapped")
		}
		if got := strings.Contains(string(maps), name+dataExt); got != want {
			t.Errorf("after %d elements: mapped %v, want %v", reads, got, want)
		}
	}
}

// BenchmarkReopen opens an array after a hundred extensions and reads one element.
func BenchmarkReopen(b *testing.B) {
	name := grownBeforehand(b)
	b.ReportAllocs()
	for b.Loop() {
		a, err := Open(name, Options{})
		if err != nil {
			b.Fatal(err)
		}
		last := a.Shape()
		for d := range last {
			last[d]--
		}
		if v, err := At[float64](a, last...); err != nil || v != 1.5 {
			b.Fatal(v, err)
		}
		if err := a.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
