//go:build hdf5 && cgo

package hdf5

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"drx/convert"
	"drx/dtype"
	"drx/nd"
)

// resident returns the memory of this process in bytes.
func resident(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, text, _ := strings.Cut(string(data), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(text)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

// tall is an array of which a row of chunks has 4 MiB: eight chunks of 64 x 2048 float32.
var tall = convert.Info{DType: dtype.Float32, Shape: []int{4096, 8 * 2048}, Chunk: []int{64, 2048}}

// writeTall writes 256 MiB, a few rows at a time.
func writeTall(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "a.h5")
	writers, err := convert.CreateFile(path, "", convert.Content{Vars: []convert.Info{tall}, Deflate: 1})
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]byte, 16*4*tall.Shape[1])
	for lo := 0; lo < tall.Shape[0]; lo += 16 {
		rows[lo] = 1
		if err := writers[0].WriteSection(nd.Sec(nd.Span(lo, lo+16), nd.All), rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := writers[0].Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Writing and reading take memory for a row of chunks, not for the array, and each chunk is decoded once although each section has
// a part of it.
func TestMemory(t *testing.T) {
	before := resident(t)
	start := time.Now()
	path := writeTall(t)
	writing := time.Since(start)
	r, err := convert.Open(path, convert.Options{Memory: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	row, most := make([]byte, 4*tall.Shape[1]), 0
	start = time.Now()
	for i := range tall.Shape[0] {
		if err := r.ReadSection(nd.Sec(nd.At(i), nd.All), row); err != nil {
			t.Fatal(err)
		}
		if i%512 == 0 {
			most = max(most, resident(t))
		}
	}
	reading := time.Since(start)
	if grown := most - before; grown > 48<<20 {
		t.Errorf("memory grew by %d MiB for an array of 256 MiB", grown>>20)
	}
	// 64 times as much decoding would take longer than the encoding did.
	if reading > 5*writing {
		t.Errorf("reading by rows took %v, writing by 16 rows %v", reading, writing)
	}
	t.Logf("memory grew by %d MiB; %v to write, %v to read", (most-before)>>20, writing, reading)
}

// A chunk, an element or strings that need more memory than allowed are refused.
func TestTooLittleMemory(t *testing.T) {
	dir := files(t)
	path := filepath.Join(t.TempDir(), "a.h5")
	writers, err := convert.CreateFile(path, "", convert.Content{Vars: []convert.Info{{DType: dtype.Int8, Shape: []int{1 << 20}, Chunk: []int{1 << 20}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writers[0].WriteSection(nil, make([]byte, 1<<20)), writers[0].Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, variable, text string
		memory               int64
	}{
		{path, "", "data: chunk [1048576] has 1048576 bytes, and decoding needs three times as much", 3<<20 - 1},
		{filepath.Join(dir, "compounds.h5"), "vectors", "vectors: one element has 24 bytes", 20},
		{filepath.Join(dir, "attributes.h5"), "d", "the attributes of the file together", 100},
		{filepath.Join(dir, "strings.h5"), "many", "many: ", 10_000},
		{filepath.Join(dir, "strings.h5"), "manyvariable", "manyvariable: ", 10_000},
	} {
		_, err := convert.Open(c.path, convert.Options{Variable: c.variable, Memory: c.memory})
		if err == nil || !strings.Contains(err.Error(), c.text) || c.variable != "manyvariable" && !errors.Is(err, convert.ErrMemory) {
			t.Errorf("%v; want %q", err, c.text)
		}
	}
	if r, err := convert.Open(path, convert.Options{Memory: 3 << 20}); err != nil || r.Close() != nil {
		t.Error(err)
	}
}
