package convert

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/convert/npy"
	"drx/convert/raster"
	"drx/dtype"
	"drx/nd"
)

// fortran is a column-major .npy file of shape (2, 3).
func fortran(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := npy.NewWriter(&b, npy.Header{DType: dtype.Uint8, Shape: []int{2, 3}, ColMajor: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte{1, 2, 3, 4, 5, 6}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// write makes a file and returns its path.
func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// feed makes data the standard input, through a pipe, until the test ends.
func feed(t *testing.T, data []byte) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = r
	t.Cleanup(func() { os.Stdin = stdin; r.Close() })
	go func() {
		w.Write(data)
		w.Close()
	}()
}

// want is what a source should hold.
type want struct {
	dtype    dtype.DType
	shape    []int
	order    nd.Order
	elements []byte
}

func check(t *testing.T, s Source, err error, w want) {
	t.Helper()
	if err != nil {
		t.Error(err)
		return
	}
	got, err := io.ReadAll(s)
	if err != nil || s.DType() != w.dtype || !slices.Equal(s.Shape(), w.shape) || !slices.Equal(s.Order(), w.order) || !bytes.Equal(got, w.elements) {
		t.Errorf("%v %v %v %v, %v; want %+v", s.DType(), s.Shape(), s.Order(), got, err, w)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The content tells the format, whatever the name is and wherever it comes from.
func TestOpen(t *testing.T) {
	grey := []byte("P5 2 1 255 ab")
	row := want{dtype.Uint8, []int{1, 2}, nd.RowMajor, []byte("ab")}
	col := want{dtype.Uint8, []int{2, 3}, nd.Order{1, 0}, []byte{1, 2, 3, 4, 5, 6}}
	for _, c := range []struct {
		name string
		data []byte
		want want
	}{
		{"a.npy", fortran(t), col},
		{"a.png", fortran(t), col},
		{"a", fortran(t), col},
		{"a.pgm", grey, row},
		{"a.npy", grey, row},
	} {
		s, err := Open(write(t, c.name, c.data), Options{})
		check(t, s, err, c.want)
		feed(t, c.data)
		s, err = Open("-", Options{})
		check(t, s, err, c.want)
	}
}

// Every picture that the reader is tested with opens by its path as well.
func TestOpenPictures(t *testing.T) {
	paths, err := filepath.Glob("raster/testdata/*.??[gmf]")
	if err != nil || len(paths) < 25 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		array, err := Open(path+".npy", Options{})
		if err != nil {
			t.Fatal(err)
		}
		elements, err := io.ReadAll(array)
		if err != nil {
			t.Fatal(err)
		}
		array.Close()
		s, err := Open(path, Options{})
		check(t, s, err, want{array.DType(), array.Shape(), nd.RowMajor, elements})
	}
}

// Errors name the file once, and say what else would have been understood.
func TestOpenErrors(t *testing.T) {
	whole := fortran(t)
	for _, c := range []struct {
		name string
		data []byte
		is   error
		text string
	}{
		{"a.txt", []byte("1 2 3"), ErrFormat, `starts with "1 2 3": unknown format: known are NumPy (.npy), picture (.png .tif`},
		{"a", nil, ErrFormat, "known are"},
		{"a.npy", []byte("1 2 3 4 5"), npy.ErrFormat, "npy: starts with"},
		{"a.NPY", []byte("1 2 3 4 5"), npy.ErrFormat, "npy: starts with"},
		{"a.tiff", []byte("1 2 3"), raster.ErrFormat, "not a valid picture"},
		{"a.npy", whole[:len(whole)-2], io.ErrUnexpectedEOF, "expected 6 bytes after the header, found 4"},
		{"a.npy", append(whole[:len(whole):len(whole)], 7), npy.ErrFormat, "expected 6 bytes after the header, found 7"},
		{"a.ppm", []byte("P3 1 1 255 1 2 x"), raster.ErrFormat, "sample 2"},
	} {
		path := write(t, c.name, c.data)
		err := readAll(path)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: %v; want %q", c.name, err, c.text)
		}
	}
	directory := t.TempDir()
	for path, is := range map[string]error{filepath.Join(directory, "missing.npy"): fs.ErrNotExist, directory: nil} {
		err := readAll(path)
		if err == nil || is != nil && !errors.Is(err, is) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestStandardInputErrors(t *testing.T) {
	whole := fortran(t)
	for _, c := range []struct {
		data []byte
		is   error
	}{
		{[]byte("1 2 3"), ErrFormat},
		{whole[:len(whole)-2], io.ErrUnexpectedEOF},
		{append(whole[:len(whole):len(whole)], 7), npy.ErrFormat},
		{[]byte("P5 2 2 255 abc"), raster.ErrFormat},
	} {
		feed(t, c.data)
		err := readAll("-")
		if !errors.Is(err, c.is) || strings.Count(err.Error(), "standard input: ") != 1 {
			t.Errorf("%q: %v", c.data, err)
		}
	}
}

// readAll opens and reads the array at path.
func readAll(path string) error {
	s, err := Open(path, Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = io.Copy(io.Discard, s)
	return err
}
