package zarr

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
)

// unpack unpacks the stores of other implementations that are in DRX_DATA.
func unpack(t *testing.T) (folder string) {
	t.Helper()
	data := os.Getenv("DRX_DATA")
	if data == "" {
		t.Skip("DRX_DATA is not set")
	}
	folder = t.TempDir()
	archives, err := filepath.Glob(filepath.Join(data, "formats/zarr/*.tar.gz"))
	if err != nil || len(archives) < 2 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, path := range archives {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		for r := tar.NewReader(z); ; {
			h, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if h.Typeflag != tar.TypeReg {
				continue
			}
			to := filepath.Join(folder, filepath.Clean("/"+h.Name))
			content, err := io.ReadAll(r)
			if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, content, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		f.Close()
	}
	return folder
}

// Every store of the examples of zarr-python, zarrs and zarr-java must be read, or refused for an
// unknown codec.
func TestRealStores(t *testing.T) {
	folder := unpack(t)
	var stores []string
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && (d.IsDir() && (isStore(path) || strings.HasSuffix(path, ".zarr")) || strings.HasSuffix(path, ".zip")) {
			stores = append(stores, path)
			if d.IsDir() {
				return filepath.SkipDir
			}
		}
		return err
	})
	if err != nil || len(stores) < 35 {
		t.Fatalf("%d stores, %v", len(stores), err)
	}
	var read, refused int
	for _, path := range stores {
		name, _ := filepath.Rel(folder, path)
		c, err := formats.List(path, formats.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, v := range c.Vars {
			if v.Refused != "" {
				refused++
				if !strings.Contains(v.Refused, ErrCodec.Error()) || !slices.ContainsFunc([]string{"zfpy", "pcodec", "draft"}, func(s string) bool { return strings.Contains(v.Refused, s) }) {
					t.Errorf("%s: %s: %s", name, v.Name, v.Refused)
				}
				continue
			}
			r, err := formats.Open(path, formats.Options{Variable: v.Name})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			data, text, err := elementsOf(r)
			if err != nil {
				t.Errorf("%s: %s: %v", name, v.Name, err)
			}
			read++
			checkReal(t, folder, name+"/"+v.Name, r.Info(), data, text)
			r.Close()
		}
	}
	t.Logf("%d stores, %d arrays read, %d refused", len(stores), read, refused)
	if read < 35 {
		t.Errorf("%d arrays were read", read)
	}
}

var none = float32(math.NaN())

// writeRead are the elements of array_write_read.zarr. Its chunks are 4 x 4 plain numbers, and the
// chunk at 0, 0 is missing.
var writeRead = []float32{
	none, none, none, none, 0.1, 0.1, -0.6, 0.1,
	none, none, none, none, 0.1, 0.1, -1.6, 0.1,
	none, none, none, none, 0.1, 0.1, -2.6, 0.1,
	none, none, none, none, -3.4, -3.5, -3.6, 0.1,
	1, 1, 1, -4.3, -4.4, -4.5, -4.6, 1.1,
	1, 1, 1, -5.3, -5.4, -5.5, -5.6, 1.1,
	1, 1, 1, 1, 1.1, 1.1, -6.6, 1.1,
	1, 1, 1, 1, -7.4, -7.5, -7.6, -7.7,
}

// checkReal checks the values of the arrays for which it is known what their authors wrote.
func checkReal(t *testing.T, folder, name string, info formats.Info, data []byte, text []string) {
	t.Helper()
	row, size := rowMajor(info, data), info.DType.Size()
	var want func(i int) float64
	switch {
	case strings.Contains(name, "/array_") && info.DType == dtype.Float32 && info.Shape[0] == 10,
		strings.Contains(name, "fletcher32"), strings.Contains(name, "sharded"):
		want = func(i int) float64 { return float64(i) }
	case strings.HasSuffix(name, "zarr.zip/foo"):
		want = func(int) float64 { return 42 }
	case strings.Contains(name, "zarr.zr"):
		picture, err := formats.ReadAll[uint8](filepath.Join(folder, "data/reference_image.png"))
		if err != nil {
			t.Fatal(err)
		}
		pixels := picture.Data()
		want = func(i int) float64 { return float64(pixels[i]) }
	case strings.Contains(name, "cities"):
		if len(text) != 47868 || text[0] != "Tokyo" || text[47867] != "Charlotte Amalie" {
			t.Errorf("%s: %d strings, %q to %q", name, len(text), text[0], text[len(text)-1])
		}
		return
	case strings.Contains(name, "str_v2"):
		if !slices.Equal(text, []string{"a", "bb", "", "", ""}) {
			t.Errorf("%s: %q", name, text)
		}
		return
	case strings.Contains(name, "hierarchy"): // it has no chunks
		want = func(int) float64 { return math.NaN() }
	case strings.Contains(name, "array_write_read"):
		want = func(i int) float64 { return float64(writeRead[i]) }
	default:
		t.Errorf("%s is not checked", name)
		return
	}
	for i := 0; i < len(row)/size; i++ {
		if got, w := info.DType.Float64(row[i*size:]), want(i); got != w && !(math.IsNaN(got) && math.IsNaN(w)) {
			t.Errorf("%s: element %d: %v, want %v", name, i, got, w)
			return
		}
	}
}
