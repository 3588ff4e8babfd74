//go:build netcdf && cgo

package netcdf

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
	path := filepath.Join(t.TempDir(), "a.nc")
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

// A chunk, strings, a header or attributes that need more memory than allowed are refused.
func TestTooLittleMemory(t *testing.T) {
	dir := t.TempDir()
	chunk, texts, classic, short := filepath.Join(dir, "a.nc"), filepath.Join(dir, "b.nc"), filepath.Join(dir, "c.nc"), filepath.Join(dir, "d.nc")
	writeContent(t, chunk, "netcdf", convert.Content{Vars: []convert.Info{{DType: dtype.Int8, Shape: []int{1 << 20}, Chunk: []int{1 << 20}}}})
	c := convert.Content{
		Attrs: map[string]any{"long": strings.Repeat("x", 5000)},
		Vars:  []convert.Info{{DType: dtype.Uint8, Shape: []int{1 << 10}, Labels: []string{strings.Repeat("a", 1000), strings.Repeat("b", 1000)}}},
	}
	writeContent(t, texts, "netcdf", c)
	writeContent(t, classic, "netcdf3", c)
	c.Attrs = nil
	writeContent(t, short, "netcdf3", c)
	for _, c := range []struct {
		path, text string
		memory     int64
	}{
		{chunk, "data: chunk [1048576] has 1048576 bytes, and decoding needs three times as much", 3<<20 - 1},
		{texts, `attribute "long": the attributes of the file together`, 4999},
		{short, "data: 1 different strings: ", 1500},
		{classic, "header: it has more than 5000 bytes", 5000},
		{short, "data: one element has 1000 bytes", 999},
	} {
		last.catalog = nil // so that the memory counts, not that of the test before
		_, err := convert.Open(c.path, convert.Options{Memory: c.memory})
		if err == nil || !errors.Is(err, convert.ErrMemory) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v; want %q", err, c.text)
		}
	}
	if r, err := convert.Open(chunk, convert.Options{Memory: 3 << 20}); err != nil || r.Close() != nil {
		t.Error(err)
	}
}
