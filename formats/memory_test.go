package formats_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/npy"
	"drx/nd"
)

// An array that is read from a pipe must take the memory of its sections, whatever its size.
func TestMemoryOfPipe(t *testing.T) {
	const rows, columns = 64, 1 << 20
	buf, sent := make([]byte, columns), make([]byte, columns)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	feeding(t, func(w io.Writer) {
		out, err := npy.NewWriter(w, npy.Header{DType: dtype.Uint8, Shape: []int{rows, columns}})
		for i := 0; i < rows && err == nil; i++ {
			_, err = out.Write(sent)
		}
	})
	in, err := formats.Open("-", formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for i := range rows {
		if err := in.ReadSection(nd.Sec(nd.At(i), nd.All), buf); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes were allocated for an array of %d", n, rows*columns)
	}
}

// A row of a table with very many columns must be refused before memory for them is allocated,
// whatever separates the columns; a row with a hundred thousand columns must be read.
func TestMemoryOfColumns(t *testing.T) {
	const memory = 64 << 20
	for _, sep := range []string{",", ";", "\t", " "} {
		for columns, want := range map[int]error{100_000: nil, 4_000_000: formats.ErrMemory} {
			path := filepath.Join(t.TempDir(), "a.csv")
			if err := os.WriteFile(path, []byte(strings.Repeat("1"+sep, columns-1)+"1\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			in, err := formats.Open(path, formats.Options{Memory: memory})
			if err == nil {
				err = in.Close()
			}
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, want) || n > memory {
				t.Errorf("%d columns, %q between them: %d bytes were allocated, %v", columns, sep, n, err)
			}
		}
	}
}
