//go:build gdal && cgo

package gdal

import (
	"path/filepath"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
	"drx/nd"
)

// Writing tiles, half of which extend beyond the edge, must take the memory of some of them,
// compressed or not.
func TestMemory(t *testing.T) {
	if !bridgetest.Alone(t) {
		return
	}
	const rows = 512
	info := formats.Info{DType: dtype.Uint8, Shape: []int{40 * rows, 4100}, Chunk: []int{rows, 4096}}
	strip := make([]byte, rows*info.Shape[1])
	for i := range strip {
		strip[i] = byte(i * i >> 7)
	}
	for _, deflate := range []int{0, 1} {
		before, most := bridgetest.Resident(t), 0
		path := filepath.Join(t.TempDir(), "a.tif")
		w, err := formats.CreateFile(path, "geotiff", formats.Content{Vars: []formats.Info{info}, Deflate: deflate, Memory: 16 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for lo := 0; lo < info.Shape[0]; lo += rows {
			if err := w[0].WriteSection(nd.Sec(nd.Span(lo, lo+rows), nd.All), strip); err != nil {
				t.Fatal(err)
			}
			most = max(most, bridgetest.Resident(t))
		}
		if err := w[0].Close(); err != nil {
			t.Fatal(err)
		}
		if grown := most - before; grown > 64<<20 {
			t.Errorf("deflate %d: memory grew by %d MiB within a limit of 16 MiB", deflate, grown>>20)
		}
		r, err := formats.Open(path, formats.Options{Format: "geotiff", Memory: 64 << 20})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, info.Shape[1])
		if err := r.ReadSection(nd.Sec(nd.At(20*rows+1), nd.All), got); err != nil || string(got) != string(strip[len(got):2*len(got)]) {
			t.Errorf("deflate %d: %v, or other elements", deflate, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
