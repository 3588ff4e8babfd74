package zarr

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// writeNumbers writes an array of 8 x 8 chunks in which each element is its own number, and returns
// its folder and its elements.
func writeNumbers(t *testing.T, c Compressor) (string, []byte) {
	t.Helper()
	info := formats.Info{DType: dtype.Uint32, Shape: []int{250, 253}, Chunk: []int{32, 32}}
	create, latest := creator(t, info, Options{Compressor: c})
	w, err := create()
	if err != nil {
		t.Fatal(err)
	}
	var elements []byte
	for i := range uint32(250 * 253) {
		elements = binary.LittleEndian.AppendUint32(elements, i)
	}
	if err := w.WriteSection(nil, elements); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return latest(), elements
}

// withProcessors runs the test with n threads.
func withProcessors(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// Several goroutines must decode the same elements as one.
func TestParallel(t *testing.T) {
	withProcessors(t, 4)
	for _, c := range compressors {
		path, elements := writeNumbers(t, c)
		for _, memory := range []int64{256 << 10, 64 << 20} {
			opened, err := formats.Open(path, formats.Options{Memory: memory})
			if err != nil {
				t.Fatal(err)
			}
			buf := make([]byte, len(elements))
			for range 2 { // the second time some are in the cache
				clear(buf)
				if err := opened.ReadSection(nil, buf); err != nil || !bytes.Equal(buf, elements) {
					t.Errorf("%+v, %d bytes: wrong elements, %v", c, memory, err)
				}
			}
			if err := opened.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// The memory determines the number of goroutines: each takes decodeTimes the bytes of a unit.
func TestWorkers(t *testing.T) {
	withProcessors(t, 4)
	const unit = 1 << 20
	for memory, want := range map[int64]int{1 << 20: 1, 2*decodeTimes*unit + 2*chunkSlack: 1, 2*2*decodeTimes*unit + 2*chunkSlack: 2, 1 << 30: 4} {
		r := &reader{unitBytes: unit, store: &store{memory: memory}}
		if n := r.workersFor(); n != want {
			t.Errorf("%d bytes: %d goroutines, want %d", memory, n, want)
		}
	}
}

// If several chunks are damaged, the error must name the first one, in whatever order the
// goroutines run.
func TestParallelErrors(t *testing.T) {
	withProcessors(t, 4)
	path, elements := writeNumbers(t, Compressor{Name: "zstd", Level: 1})
	for _, key := range []string{"0.5", "0.6", "1.2", "7.7"} {
		if err := os.WriteFile(filepath.Join(path, key), []byte("damage"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for range 50 {
		r, err := formats.Open(path, formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = r.ReadSection(nd.Sec(nd.All, nd.All), make([]byte, len(elements)))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint("chunk ", []int{0, 5}, ":")) {
			t.Fatalf("%v; want the error of chunk [0 5]", err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
