package relayout

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"drx"
	"drx/dtype"
	"drx/nd"
)

// BenchmarkTables measures the three costs of tables 2 to 4 of the paper, for 8192 x 8192
// doubles stored row by row and accesses of 1 MiB: reading everything by the access shape
// (skewed), copying to chunks of that shape (conversion), and reading that (aligned). With
// -cpu 1,2 it does so with one and two processors.
func BenchmarkTables(b *testing.B) {
	shape := benchShape(b, []int{8192, 8192})
	dir := b.TempDir()
	rows := benchArray(b, filepath.Join(dir, "rows"), shape, []int{1, shape[1]})
	line := make([]float64, shape[1])
	for y := range shape[0] {
		if err := drx.Write(rows, nd.Sec(nd.At(y), nd.All), line); err != nil {
			b.Fatal(err)
		}
	}
	n := 0
	for width := shape[1]; width >= 64; width /= 2 {
		access := []int{1 << 17 / width, width}
		b.Run(fmt.Sprintf("%dx%d", access[0], access[1]), func(b *testing.B) {
			var skewed, conversion, aligned time.Duration
			for b.Loop() {
				n++
				skewed += readAll(b, rows, access)
				blocks := benchArray(b, filepath.Join(dir, fmt.Sprint("blocks", n)), shape, access)
				start := time.Now()
				if _, err := Copy(b.Context(), blocks, rows, Options{}); err != nil {
					b.Fatal(err)
				}
				conversion += time.Since(start)
				aligned += readAll(b, blocks, access)
				removeArray(b, blocks)
			}
			for name, d := range map[string]time.Duration{"skewed-ms": skewed, "conversion-ms": conversion, "aligned-ms": aligned} {
				b.ReportMetric(float64(d.Milliseconds())/float64(b.N), name)
			}
		})
	}
	if err := rows.Close(); err != nil {
		b.Fatal(err)
	}
}

// readAll reads an array by boxes, shared among the processors, and returns how long that
// took.
func readAll(b *testing.B, a *drx.Array, access []int) time.Duration {
	b.Helper()
	lo, hi := limits(a.Bounds())
	var boxes []box
	for piece := range (box{lo, hi}).cut(func(d, x int) int { return x + access[d] }) {
		boxes = append(boxes, piece)
	}
	workers := runtime.GOMAXPROCS(0)
	buffers := make([][]byte, workers)
	for w := range buffers {
		buffers[w] = make([]byte, dtype.Float64.Size()*volume(access))
	}
	start := time.Now()
	err := parallel(b.Context(), workers, len(boxes), func(w, i int) error {
		p := boxes[i]
		return a.ReadBytes(nd.Box(p.lo, p.hi), buffers[w][:p.size(8)], nil)
	})
	if err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}
