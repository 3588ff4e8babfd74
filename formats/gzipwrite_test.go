package formats_test

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/formattest"
)

// Tables and .npy files must survive writing through gzip, in the order of a stream.
func TestGzipWriter(t *testing.T) {
	for _, name := range []string{"x.npy.gz", "x.csv.gz", "X.TSV.GZ"} {
		for _, deflate := range []int{0, 9} {
			info := formats.Info{DType: dtype.Float64, Shape: []int{7, 3}}
			path := filepath.Join(t.TempDir(), name)
			elements := formattest.Writer(t, func() (formats.Writer, error) {
				_ = os.Remove(path) // the file of the previous case
				writers, err := formats.CreateFile(path, "", formats.Content{Vars: []formats.Info{info}, Deflate: deflate})
				if err != nil {
					return nil, err
				}
				return writers[0], nil
			}, info, true)
			formattest.Reader(t, func() (formats.Reader, error) { return formats.Open(path, formats.Options{}) }, info, elements)
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			z, err := gzip.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(z)
			if err := errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
			if begin := map[string]string{"x.npy.gz": "\x93NUMPY", "x.csv.gz": "7.29", "X.TSV.GZ": "7.29"}[name]; !strings.HasPrefix(string(text), begin) {
				t.Errorf("%s: %q", name, text)
			}
			if separator := map[string]string{"x.csv.gz": ",", "X.TSV.GZ": "\t"}[name]; strings.Count(string(text), separator) < 14 {
				t.Errorf("%s: %q", name, text)
			}
		}
	}
}

// Tabs must separate the columns of .tsv files.
func TestTSVWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tsv")
	info := formats.Info{DType: dtype.Int8, Shape: []int{2, 2}, Attrs: map[string]any{"columns": []string{"a", "b c"}}}
	writers, err := formats.CreateFile(path, "", formats.Content{Vars: []formats.Info{info}})
	if err == nil {
		err = errors.Join(writers[0].WriteSection(nil, []byte{1, 2, 3, 255}), writers[0].Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "a\t\"b c\"\n1\t2\n3\t-1\n" {
		t.Errorf("%q, %v", text, err)
	}
	if got, err := formats.ReadAll[float64](path); err != nil || got.Data()[3] != -1 {
		t.Errorf("%v, %v", got, err)
	}
}

// Only tables and .npy files can be written through gzip; the error must suggest a name for the
// file.
func TestGzipMistakes(t *testing.T) {
	dir := t.TempDir()
	one := formats.Info{DType: dtype.Int8, Shape: []int{2}}
	for name, vars := range map[string][]formats.Info{"a.png.gz": {one}, "a.gz": {one}, "a.npz.gz": {one}, "a.csv.gz": {one, one}} {
		_, err := formats.CreateFile(filepath.Join(dir, name), "", formats.Content{Vars: vars})
		if err == nil || len(vars) == 1 && (!errors.Is(err, formats.ErrNotWritten) || !strings.Contains(err.Error(), ".csv.gz")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := formats.CreateFile(filepath.Join(dir, "a.csv.gz"), "", formats.Content{Vars: []formats.Info{one}, Deflate: 77}); err == nil {
		t.Error("level 77")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left %v, %v", entries, err)
	}
}
