package npy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"drx/dtype"
)

// Elements can be read at any offset, in any order of calls, and independently of Read.
func TestReadAt(t *testing.T) {
	for _, g := range goldens(t) {
		data, err := os.ReadFile(g.path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		size := g.header.DType.Size()
		for off := len(g.want) - size; off >= 0; off -= size {
			got := make([]byte, min(3*size, len(g.want)-off))
			if n, err := r.ReadAt(got, int64(off)); n != len(got) || err != nil || !bytes.Equal(got, g.want[off:off+n]) {
				t.Errorf("%s: % x, %v at byte %d, want % x", g.path, got[:n], err, off, g.want[off:])
			}
		}
		if _, err := r.ReadAt(make([]byte, size), int64(len(g.want))); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: after the last element: %v", g.path, err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, g.want) {
			t.Errorf("%s: % x, %v", g.path, got, err)
		}
	}
}

func TestReadAtRefuses(t *testing.T) {
	data := file("{'descr': '|b1', 'fortran_order': False, 'shape': (4,)}", 1, 0, 7, 1)
	r, err := NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.ReadAt(make([]byte, 3), 1); n != 1 || !errors.Is(err, ErrFormat) || err.Error() != "npy: element 2: bool 7 is neither 0 nor 1" {
		t.Errorf("%d, %v", n, err)
	}
	if r, err = NewReader(pipe{bytes.NewReader(data)}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadAt(make([]byte, 1), 0); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

// The elements may be written from the last to the first: the file must be that of NumPy.
func TestWriteAt(t *testing.T) {
	for _, g := range rewritten(t) {
		f, err := os.Create(filepath.Join(t.TempDir(), "a.npy"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w, err := NewWriter(f, g.header)
		if err != nil {
			t.Fatal(err)
		}
		size := g.header.DType.Size()
		for off := len(g.want) - size; off >= 0; off -= size {
			if err := w.Close(); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: close before byte %d was written: %v", g.path, off, err)
			}
			if n, err := w.WriteAt(g.want[off:off+size], int64(off)); n != size || err != nil {
				t.Errorf("%s: %d, %v", g.path, n, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Errorf("%s: %v", g.path, err)
		}
		if got, err := os.ReadFile(f.Name()); err != nil || !bytes.Equal(got, g.file) {
			t.Errorf("%s: wrote\n%q, want\n%q", g.path, got, g.file)
		}
		if n, err := w.WriteAt(make([]byte, size), int64(len(g.want))); n != 0 || !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: after the last element: %d, %v", g.path, n, err)
		}
	}
	w, err := NewWriter(new(bytes.Buffer), Header{DType: dtype.Int8, Shape: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteAt([]byte{1}, 1); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}
