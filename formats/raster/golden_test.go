package raster

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats/npy"
)

// open reads the headers of the file at path, which is closed when the test ends.
func open(t *testing.T, path string) (*Reader, error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return NewReader(f, info.Size(), 0)
}

// Every picture that Pillow wrote must give the samples that Pillow reads, and every PAM and PFM
// file those that NumPy wrote. JPEG files must give the samples that they gave when they were
// compared with another decoder, see TestJPEG.
func TestGolden(t *testing.T) {
	arrays, err := filepath.Glob("testdata/*.npy")
	if err != nil || len(arrays) < 25 {
		t.Fatalf("%d files, %v", len(arrays), err)
	}
	for _, array := range arrays {
		f, err := os.Open(array)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		a, err := npy.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(a)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(array, ".npy")
		r, err := open(t, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := io.ReadAll(r)
		if err != nil || r.DType != a.DType || !slices.Equal(r.Shape, a.Shape) || !bytes.Equal(got, want) {
			t.Errorf("%s: %v %v %v\n%v\nwant %v %v\n%v", name, r.DType, r.Shape, err, got, a.DType, a.Shape, want)
		}
	}
}

// No real file may be misread silently: it must be read completely, or refused in one line.
func TestReadData(t *testing.T) {
	root := os.Getenv("DRX_DATA")
	if root == "" {
		t.Skip("DRX_DATA is not set")
	}
	refused := map[string]string{
		"RGBA.uint16.tif": "4 samples per pixel", "alpha.tif": "JPEG compression", "cogeo.tif": "YCbCr colours",
		"goes.tif": "YCbCr colours", "float.tif": "64-bit float", "float32.tif": "32-bit float", "float_nan.tif": "32-bit float",
		"rgb_deflate.tif": "separate planes", "world.rgb.tif": "separate planes",
	}
	for pattern, channels := range map[string]int{
		"growth/frames_foam/*.tif": 1, "growth/frames_bulk_water/*00.png": 4, "formats/geotiff/*.tif": 0,
	} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d files", pattern, len(paths))
		for _, path := range paths {
			r, err := open(t, path)
			if text := refused[filepath.Base(path)]; text != "" {
				if !errors.Is(err, ErrMode) || !strings.Contains(err.Error(), text) {
					t.Errorf("%s: %v; want %q", path, err, text)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			n, err := io.Copy(io.Discard, r)
			size := int64(r.DType.Size())
			for _, extent := range r.Shape {
				size *= int64(extent)
			}
			if err != nil || n != size || r.DType != dtype.Uint8 {
				t.Errorf("%s: %v %v, %d bytes, %v", path, r.DType, r.Shape, n, err)
			}
			if rank := len(r.Shape); channels == 4 && (rank != 3 || r.Shape[2] != 4) || channels == 1 && rank != 2 {
				t.Errorf("%s: shape %v", path, r.Shape)
			}
		}
	}
}
