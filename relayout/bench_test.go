package relayout

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// changes are changes of layout of 512 MiB of float64 (64 MiB with -short), with source and target
// in the page cache.
var changes = []struct {
	name     string
	shape    []int
	src, dst []int
}{
	{"rows_to_blocks", []int{8192, 8192}, []int{1, 8192}, []int{256, 256}},
	{"bands_to_blocks", []int{2048, 32768}, []int{4, 32768}, []int{512, 256}},
	{"rows_to_columns", []int{8192, 8192}, []int{1, 8192}, []int{8192, 1}},
}

// BenchmarkCopy copies to a new array each time. BenchmarkLimit only reads and writes the same
// bytes.
func BenchmarkCopy(b *testing.B) {
	for _, c := range changes {
		b.Run(c.name, func(b *testing.B) {
			shape := benchShape(b, c.shape)
			dir := b.TempDir()
			src := benchSource(b, filepath.Join(dir, "src"), shape, c.src)
			least := 16 * volume(shape)
			b.SetBytes(int64(least))
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				dst := benchArray(b, filepath.Join(dir, fmt.Sprint("dst", i)), shape, c.dst)
				b.StartTimer()
				stats, err := Copy(b.Context(), dst, src, Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				b.ReportMetric(float64(stats.Cost.Bytes())/float64(least), "moved/least")
				b.ReportMetric(float64(len(stats.Plan.Passes)), "passes")
				removeArray(b, dst)
				b.StartTimer()
			}
			if err := src.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// benchSource makes a source, a row of chunks at a time, and opens it anew.
func benchSource(b *testing.B, name string, shape, chunk []int) *drx.Array {
	a := benchArray(b, name, shape, chunk)
	row := make([]float64, shape[1]*chunk[0])
	for i := range row {
		row[i] = float64(i)
	}
	for y := 0; y < shape[0]; y += chunk[0] {
		if err := drx.Write(a, nd.Sec(nd.Span(y, y+chunk[0]), nd.All), row); err != nil {
			b.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
	a, err := drx.Open(name, drx.Options{Cache: ArrayCache})
	if err != nil {
		b.Fatal(err)
	}
	return a
}

// removeArray closes an array and removes its files.
func removeArray(b *testing.B, a *drx.Array) {
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
	removeFiles(b, a.Name())
}

func removeFiles(b *testing.B, name string) {
	for _, ext := range []string{".xmd", ".xta", ".xck", ".xpm"} {
		if err := os.Remove(name + ext); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLimit reads a file and writes another, a MiB at a time.
func BenchmarkLimit(b *testing.B) {
	dir := b.TempDir()
	bytes := 8 * volume(benchShape(b, changes[0].shape))
	buf := make([]byte, 1<<20)
	write := func(name string, fill func(at int64)) {
		f, err := os.Create(name)
		if err != nil {
			b.Fatal(err)
		}
		for at := 0; at < bytes; at += len(buf) {
			fill(int64(at))
			if _, err := f.Write(buf); err != nil {
				b.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	write(filepath.Join(dir, "src"), func(int64) {})
	src, err := os.Open(filepath.Join(dir, "src"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(2 * int64(bytes))
	for b.Loop() {
		write(filepath.Join(dir, "dst"), func(at int64) {
			if _, err := src.ReadAt(buf, at); err != nil {
				b.Fatal(err)
			}
		})
		b.StopTimer()
		if err := os.Remove(filepath.Join(dir, "dst")); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	if err := src.Close(); err != nil {
		b.Fatal(err)
	}
}

func benchShape(b *testing.B, shape []int) []int {
	if !testing.Short() {
		return shape
	}
	b.Log("an eighth of the rows")
	return []int{shape[0] / 8, shape[1]}
}

func benchArray(b *testing.B, name string, shape, chunk []int) *drx.Array {
	a, err := drx.Create(name, drx.Spec{
		DType: dtype.Float64, Shape: shape, ChunkShape: chunk,
		Options: drx.Options{Cache: ArrayCache, Durability: drx.DurabilityNone},
	})
	if err != nil {
		b.Fatal(err)
	}
	return a
}
