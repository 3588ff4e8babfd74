//go:build matio && cgo

package mat

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
)

// FuzzScan searches files of any content for variables: it must return, and its results must lie in
// the file.
func FuzzScan(f *testing.F) {
	for deflate := range 2 {
		path := filepath.Join(f.TempDir(), "a.mat")
		writers, err := formats.CreateFile(path, "", formats.Content{Deflate: deflate, Vars: []formats.Info{
			{Name: "a", DType: dtype.Int16, Shape: []int{2, 3}},
			{Name: "z", DType: dtype.Complex64, Shape: []int{2, 1, 2}},
			{Name: "s", DType: dtype.Uint8, Shape: []int{2}, Labels: []string{"one", "two"}},
		}})
		if err != nil {
			f.Fatal(err)
		}
		for i, n := range []int{12, 32, 2} {
			if err := writers[i].WriteSection(nil, make([]byte, n)); err != nil {
				f.Fatal(err)
			}
		}
		for _, w := range writers {
			if err := w.Close(); err != nil {
				f.Fatal(err)
			}
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(whole)
		f.Add(whole[:len(whole)-9])
	}
	f.Add([]byte("MATLAB 5.0 MAT-file"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &formats.Input{File: bytes.NewReader(data), Size: int64(len(data)), Memory: 1 << 20}
		variables, err := scan(in)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || len(data) < headerSize && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Error(err)
			}
			return
		}
		for i, v := range variables {
			if v.at < headerSize+tagSize || v.size < 0 || v.at+v.size > in.Size {
				t.Errorf("variable %d has bytes %d to %d of %d", i, v.at, v.at+v.size, in.Size)
			}
			if v.packed && v.inflated < 1<<20 {
				_ = v.checkPacked(in) // whether it is whole does not matter here
			}
		}
	})
}
