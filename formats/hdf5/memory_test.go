//go:build hdf5 && cgo

package hdf5

import (
	"path/filepath"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
)

// Writing and reading must take the memory of a row of chunks, and each chunk must be decoded once.
func TestMemory(t *testing.T) { bridgetest.Memory(t, "a.h5") }

// Chunks that are never written or read as a whole must not be kept beyond the limit.
func TestEdgeMemory(t *testing.T) { bridgetest.EdgeMemory(t, "a.h5") }

// A chunk, an element or strings that need more memory than allowed must be refused.
func TestTooLittleMemory(t *testing.T) {
	dir := bridge.Files(t)
	path := filepath.Join(t.TempDir(), "a.h5")
	writeContent(t, path, formats.Content{Vars: []formats.Info{{DType: dtype.Int8, Shape: []int{1 << 20}, Chunk: []int{1 << 20}}}})
	for _, c := range []struct {
		path, variable, text string
		memory               int64
		is                   error
	}{
		{path, "", "data: chunk [1048576] has 1048576 bytes, and decoding needs three times as much", 3<<20 - 1, formats.ErrMemory},
		{filepath.Join(dir, "compounds.h5"), "vectors", "vectors: one element has 24 bytes", 20, formats.ErrMemory},
		{filepath.Join(dir, "attributes.h5"), "d", "the attributes of the file together", 100, formats.ErrMemory},
		{filepath.Join(dir, "strings.h5"), "many", "many: ", 10_000, formats.ErrMemory},
		{filepath.Join(dir, "strings.h5"), "manyvariable", "manyvariable: ", 10_000, nil},
	} {
		bridgetest.NotOpened(t, c.path, formats.Options{Variable: c.variable, Memory: c.memory}, c.text, c.is)
	}
	if r, err := formats.Open(path, formats.Options{Memory: 3 << 20}); err != nil || r.Close() != nil {
		t.Error(err)
	}
}
