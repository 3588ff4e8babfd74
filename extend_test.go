package drx

import (
	"path/filepath"
	"testing"

	"drx/dtype"
)

// BenchmarkExtend times extensions without data or commit, of all dimensions in turns: a thousand extensions of
// a new array each, because the first ones should cost no more than the later ones.
func BenchmarkExtend(b *testing.B) {
	const extensions, chunk = 1000, 16
	for _, c := range []struct {
		name string
		edge int
	}{{"chunks=1e2", 10}, {"chunks=1e7", 3162}} {
		b.Run(c.name, func(b *testing.B) {
			shape := []int{c.edge * chunk, c.edge * chunk}
			b.ReportAllocs()
			for done := 0; done < b.N; done += extensions {
				b.StopTimer()
				a, err := Create(filepath.Join(b.TempDir(), "a"), Spec{DType: dtype.Float64, Shape: shape, ChunkShape: []int{chunk, chunk}})
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				for i := range min(extensions, b.N-done) {
					if _, err := a.Extend(i%2, chunk); err != nil {
						b.Fatal(err)
					}
				}
				b.StopTimer()
				if err := a.Discard(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Allocations are most of the cost of an extension.
func TestExtendAllocatesLittle(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates too")
	}
	a := mustCreate(t, Spec{DType: dtype.Float64, Shape: []int{64, 64}, ChunkShape: []int{16, 16}})
	i := 0
	if n := testing.AllocsPerRun(1000, func() {
		i++
		if _, err := a.Extend(i%2, 16); err != nil {
			t.Fatal(err)
		}
	}); n > 8 {
		t.Errorf("%v allocations", n)
	}
}
