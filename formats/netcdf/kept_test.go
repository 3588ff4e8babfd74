//go:build netcdf && cgo

package netcdf

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"drx/dtype"
	"drx/formats"
)

// writeMany writes a file with many variables of one element each, which count from first.
func writeMany(t *testing.T, path string, first int) {
	t.Helper()
	var c formats.Content
	for i := range manyVars + 20 {
		c.Vars = append(c.Vars, formats.Info{Name: fmt.Sprintf("v%d", i), DType: dtype.Uint8, Shape: []int{1}, Chunk: []int{1}})
	}
	writers, err := formats.CreateFile(path, "netcdf", c)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range writers {
		if err := w.WriteSection(nil, []byte{byte(first + i)}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// checkMany reads the variables of such a file, each while the previous one is still open.
func checkMany(t *testing.T, path string, first int) {
	t.Helper()
	var before formats.Reader
	for i := range manyVars + 20 {
		r, err := formats.Open(path, formats.Options{Variable: fmt.Sprintf("v%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		if before != nil && before.Close() != nil {
			t.Fatal("close")
		}
		got := []byte{0}
		if err := r.ReadSection(nil, got); err != nil || got[0] != byte(first+i) {
			t.Fatalf("v%d is %d, want %d, %v", i, got[0], first+i, err)
		}
		before = r
	}
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
}

// keptFile returns the file that is kept open.
func keptFile() *file {
	defer enter()()
	return kept
}

// A file with many variables must be opened only once, unless it has been replaced meanwhile.
func TestManyVariables(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a.nc"), filepath.Join(dir, "b.nc")
	writeMany(t, path, 0)
	checkMany(t, path, 0)
	first := keptFile()
	checkMany(t, path, 0)
	if now := keptFile(); now != first || now == nil {
		t.Errorf("the file was opened again")
	}
	writeMany(t, other, 100)
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	checkMany(t, path, 100)
	if keptFile() == first {
		t.Errorf("the replaced file is still open")
	}
}
