//go:build netcdf && cgo

package netcdf

import (
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
)

// Writing and reading must take the memory of a row of chunks, and each chunk must be decoded once.
func TestMemory(t *testing.T) { bridgetest.Memory(t, "a.nc") }

// Chunks that are never written or read as a whole must not be kept beyond the limit.
func TestEdgeMemory(t *testing.T) { bridgetest.EdgeMemory(t, "a.nc") }

// A chunk, strings, a header or attributes that need more memory than allowed must be refused.
func TestTooLittleMemory(t *testing.T) {
	dir := t.TempDir()
	chunk, texts, classic, short := filepath.Join(dir, "a.nc"), filepath.Join(dir, "b.nc"), filepath.Join(dir, "c.nc"), filepath.Join(dir, "d.nc")
	writeContent(t, chunk, "netcdf", formats.Content{Vars: []formats.Info{{DType: dtype.Int8, Shape: []int{1 << 20}, Chunk: []int{1 << 20}}}})
	c := formats.Content{
		Attrs: map[string]any{"long": strings.Repeat("x", 5000)},
		Vars:  []formats.Info{{DType: dtype.Uint8, Shape: []int{1 << 10}, Labels: []string{strings.Repeat("a", 1000), strings.Repeat("b", 1000)}}},
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
		last.Forget() // so that this memory limit counts, not that of the previous case
		bridgetest.NotOpened(t, c.path, formats.Options{Memory: c.memory}, c.text, formats.ErrMemory)
	}
	if r, err := formats.Open(chunk, formats.Options{Memory: 3 << 20}); err != nil || r.Close() != nil {
		t.Error(err)
	}
}
