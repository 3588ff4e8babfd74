package formats_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/formattest"
	"drx/formats/npy"
	"drx/nd"
)

// samples are files of every registered format, with the least number of them. The array in a file
// is that of a .npy file: the file itself, or the file of the same name with that extension added.
var samples = map[string]struct {
	pattern string
	least   int
	array   string
	name    string // of the variable
}{
	"npy":     {"npy/testdata/*.npy", 60, "", ""},
	"npz":     {"testdata/npz/*.npz", 7, ".npy", "a"},
	"png":     {"raster/testdata/*.png", 8, ".npy", ""},
	"picture": {"raster/testdata/*.??[gmf]", 35, ".npy", ""},
	"csv":     {"testdata/csv/*.[ct][sx][vt]", 7, ".npy", ""},
	"tsv":     {"testdata/csv/*.tsv", 1, ".npy", ""},
	"gzip":    {"testdata/gzip/*.gz", 3, ".npy", ""},
}

// array reads a .npy file from front to back.
func array(t *testing.T, path string) (info formats.Info, elements []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := npy.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if elements, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	info = formats.Info{DType: r.DType, Shape: r.Shape}
	if r.ColMajor {
		info.Order = nd.ColMajor(len(r.Shape))
	}
	return info, elements
}

// eachSample calls f for every sample of every format that can be read.
func eachSample(t *testing.T, f func(t *testing.T, path string, info formats.Info, elements []byte)) {
	for _, format := range formats.Formats() {
		if format.Open == nil {
			continue
		}
		t.Run(format.Name, func(t *testing.T) {
			s := samples[format.Name]
			paths, err := filepath.Glob(s.pattern)
			if err != nil || len(paths) < max(1, s.least) {
				t.Fatalf("%d samples, %v", len(paths), err)
			}
			for _, path := range paths {
				info, elements := array(t, path+s.array)
				info.Name = s.name
				if isText(path) {
					info = namedAs(t, path, info)
				}
				f(t, path, info, elements)
			}
		})
	}
}

// namedAs adds to a table the names that it has; TestTableNames checks these.
func namedAs(t *testing.T, path string, info formats.Info) formats.Info {
	t.Helper()
	c, err := formats.List(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	info.Name, info.Dims = c.Vars[0].Name, c.Vars[0].Dims
	return info
}

// Every format must read any section, from files and from pipes.
func TestReaders(t *testing.T) {
	eachSample(t, func(t *testing.T, path string, info formats.Info, elements []byte) {
		formattest.Reader(t, func() (formats.Reader, error) { return formats.Open(path, formats.Options{}) }, info, elements)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		named := info
		if info.Name != "" && isText(path) {
			named.Name = "data"
		}
		formattest.Reader(t, piped(t, path, data), named, elements)
		c, err := formats.List(path, formats.Options{})
		if err != nil || len(c.Vars) != 1 && !isText(path) || fmt.Sprint(c.Vars[0].Shape) != fmt.Sprint(info.Shape) {
			t.Errorf("%s: %+v, %v", path, c, err)
		}
	})
}

// A truncated file must give an error that names the file, and not a smaller array.
func TestCutFiles(t *testing.T) {
	eachSample(t, func(t *testing.T, path string, _ formats.Info, elements []byte) {
		if isText(path) {
			return // a table may end after any line
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for eighths := range 7 {
			part := data[:len(data)*eighths/8]
			cut := write(t, filepath.Base(path), part)
			err := readAll(cut)
			if err == nil || strings.Count(err.Error(), cut) != 1 || strings.Contains(err.Error(), "\n") {
				t.Errorf("%d of %d bytes of %s: %v", len(part), len(data), path, err)
			}
			feed(t, part)
			if err := readAll("-"); err == nil || strings.Count(err.Error(), "standard input") != 1 {
				t.Errorf("%d of %d bytes of %s by a pipe: %v", len(part), len(data), path, err)
			}
		}
	})
}

// isText reports whether a file is a table, which has no magic bytes.
func isText(path string) bool {
	return strings.HasPrefix(path, "testdata/csv/")
}

// A damaged byte must give an error or another value, and nothing worse.
func TestDamagedFiles(t *testing.T) {
	eachSample(t, func(t *testing.T, path string, info formats.Info, elements []byte) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(data); at += 1 + len(data)/50 {
			bad := bytes.Clone(data)
			bad[at] ^= 0x55
			if err := readAll(write(t, filepath.Base(path), bad)); err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("byte %d of %s: %v", at, path, err)
			}
		}
	})
}

// Every format that can be written must return what was written, whatever the type, the order and
// the shape.
func TestWriters(t *testing.T) {
	for _, format := range formats.Formats() {
		if format.Create == nil || format.Name == "csv" || format.Name == "tsv" || format.Name == "png" { // tested elsewhere
			continue
		}
		for _, typ := range dtype.All() {
			for _, shape := range [][]int{{}, {0}, {5}, {4, 7}, {3, 0, 2}, {1, 4, 1}, {5, 3, 4}} {
				for _, order := range []nd.Order{nil, nd.ColMajor(len(shape))} {
					writesBack(t, format, formats.Info{DType: typ, Shape: shape, Order: order})
				}
			}
		}
	}
}

// writesBack writes an array to a file and to a stream, and reads both.
func writesBack(t *testing.T, format formats.Format, info formats.Info) {
	t.Helper()
	path := write(t, "x"+format.Extensions[0], nil)
	elements := formattest.Writer(t, creating(t, path, info), info, false)
	var stream bytes.Buffer
	formattest.Writer(t, func() (formats.Writer, error) {
		stream.Reset()
		return formats.Create(&stream, format.Name, info)
	}, info, true)
	if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, stream.Bytes()) {
		t.Errorf("%+v: the file and the stream differ, %v", info, err)
	}
	r, err := formats.Open(path, formats.Options{Format: format.Name})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := make([]byte, len(elements))
	if err := r.ReadSection(nil, got); err != nil || !bytes.Equal(got, elements) {
		t.Errorf("%+v: wrote % x, read % x, %v", info, elements, got, err)
	}
}

// creating returns a function that creates the file at path anew.
func creating(t *testing.T, path string, info formats.Info) func() (formats.Writer, error) {
	return func() (formats.Writer, error) {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return formats.Create(f, path, info)
	}
}

// A file may become shorter while it is read.
func TestFileShrinks(t *testing.T) {
	data := fortran(t)
	path := write(t, "a.npy", data)
	r, err := formats.Open(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Truncate(path, int64(len(data))-3); err != nil {
		t.Fatal(err)
	}
	if err := r.ReadSection(nd.Sec(nd.All, nd.At(0)), make([]byte, 2)); err != nil {
		t.Error(err)
	}
	err = r.ReadSection(nd.Sec(nd.All, nd.At(2)), make([]byte, 2))
	if !errors.Is(err, io.ErrUnexpectedEOF) || strings.Count(err.Error(), path) != 1 {
		t.Error(err)
	}
}
