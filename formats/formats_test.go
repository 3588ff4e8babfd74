package formats_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/formattest"
	"drx/formats/npy"
	"drx/formats/raster"
	"drx/nd"
)

// fortran returns a column-major .npy file of shape (2, 3).
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

// refused checks that reading a file with that name and content gives an error that contains text
// and names the file once.
func refused(t *testing.T, name string, data []byte, text string) {
	t.Helper()
	path := write(t, name, data)
	if err := readAll(path); err == nil || !strings.Contains(err.Error(), text) || strings.Count(err.Error(), path) != 1 {
		t.Errorf("%q: %v, want %s", data, err, text)
	}
}

// seeds adds the files whose names match a pattern to the seeds of a fuzz test. There must be at
// least least of them.
func seeds(f *testing.F, pattern string, least int) {
	f.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) < least {
		f.Fatalf("%s: %d files, %v", pattern, len(paths), err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

// feed makes data the standard input, through a pipe, until the test ends.
func feed(t *testing.T, data []byte) {
	t.Helper()
	feeding(t, func(w io.Writer) { w.Write(data) })
}

// feeding makes the output of a function the standard input.
func feeding(t *testing.T, write func(w io.Writer)) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = r
	t.Cleanup(func() { os.Stdin = stdin; r.Close() })
	go func() {
		write(w)
		w.Close()
	}()
}

// The content must determine the format, whatever the name, for files and streams.
func TestOpen(t *testing.T) {
	grey := []byte("P5 2 1 255 ab")
	row := formats.Info{DType: dtype.Uint8, Shape: []int{1, 2}}
	col := formats.Info{DType: dtype.Uint8, Shape: []int{2, 3}, Order: nd.ColMajor(2)}
	for _, c := range []struct {
		name     string
		data     []byte
		want     formats.Info
		elements []byte
	}{
		{"a.npy", fortran(t), col, []byte{1, 2, 3, 4, 5, 6}},
		{"a.png", fortran(t), col, []byte{1, 2, 3, 4, 5, 6}},
		{"a", fortran(t), col, []byte{1, 2, 3, 4, 5, 6}},
		{"a.pgm", grey, row, []byte("ab")},
		{"a.npy", grey, row, []byte("ab")},
	} {
		path := write(t, c.name, c.data)
		formattest.Reader(t, func() (formats.Reader, error) { return formats.Open(path, formats.Options{}) }, c.want, c.elements)
		formattest.Reader(t, piped(t, "", c.data), c.want, c.elements)
	}
}

// piped opens data as standard input, repeatedly.
func piped(t *testing.T, path string, data []byte) func() (formats.Reader, error) {
	var o formats.Options
	if isText(path) {
		o.Format = "csv"
	}
	return func() (formats.Reader, error) {
		feed(t, data)
		return formats.Open("-", o)
	}
}

// Errors must name the file once, and list what would have been understood.
func TestOpenErrors(t *testing.T) {
	whole := fortran(t)
	for _, c := range []struct {
		name string
		data []byte
		is   error
		text string
	}{
		{"a.npy", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 5\n"), formats.ErrFormat, "is a pointer of Git LFS"},
		{"a.h5", []byte("version https://git-lfs.github.com/spec/v1\n"), formats.ErrFormat, "is a pointer of Git LFS"},
		{"a.dat", []byte("1 2 3"), formats.ErrFormat, `starts with "1 2 3": unknown format`},
		{"a.csv", []byte("a,b\n1,x"), formats.ErrTable, `line 2, column 2: "x" is not a number`},
		{"a", nil, formats.ErrFormat, "the file is empty"},
		{"a.npy", []byte("1 2 3 4 5"), npy.ErrFormat, "not a .npy file: begins with"},
		{"a.NPY", []byte("1 2"), npy.ErrFormat, `not a .npy file: begins with "1 2"`},
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
		{[]byte("1 2 3"), formats.ErrFormat},
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
	r, err := formats.Open(path, formats.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	n, err := r.Info().Bytes()
	if err != nil {
		return err
	}
	return r.ReadSection(nil, make([]byte, n))
}
