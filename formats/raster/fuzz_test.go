package raster

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"drx/nd"
)

// FuzzReader checks that no input panics, and that a picture that is read completely has as many
// samples as its shape says.
func FuzzReader(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.*")
	if err != nil || len(paths) < 50 {
		f.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		if data, err := os.ReadFile(path); err == nil && Match(data) {
			f.Add(data)
		}
	}
	f.Add([]byte("P3 1 2 999 1 2 3 # four\n4 5 6"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data), int64(len(data)), 0)
		if err != nil {
			return
		}
		count, err := nd.Product(r.Shape...)
		if err != nil || count > 1<<20 {
			return // allowed, and slow
		}
		got, err := io.ReadAll(r)
		if want := count * r.DType.Size(); err == nil && len(got) != want || len(got) > want {
			t.Errorf("shape %v of %v: %d bytes, %v", r.Shape, r.DType, len(got), err)
		}
	})
}
