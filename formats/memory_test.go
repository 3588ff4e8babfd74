package formats_test

import (
	"io"
	"runtime"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/npy"
	"drx/nd"
)

// An array that comes through a pipe takes as much memory as its sections, whatever its size.
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
