//go:build gdal && cgo

package gdal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/convert"
	"drx/dtype"
	"drx/nd"
)

// A file that leads to other files or to a network is not opened, whatever its name.
func TestOtherDrivers(t *testing.T) {
	world := worldFile(t)
	vrt := `<VRTDataset rasterXSize="4" rasterYSize="4"><VRTRasterBand dataType="Byte" band="1"><SimpleSource><SourceFilename>` + world + `</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>`
	wms := `<GDAL_WMS><Service name="TMS"><ServerUrl>http://127.0.0.1/${z}/${x}/${y}.png</ServerUrl></Service></GDAL_WMS>`
	for name, text := range map[string]string{"a.vrt": vrt, "a.tif": vrt, "b.tif": wms, "A.TOC": "RPFTOC", "empty.tif": "", "short.tif": "II*\x00"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := convert.Open(path, convert.Options{Format: "gdal"})
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if info, _ := get(t, world, convert.Options{Format: "gdal"}); info.DType != dtype.Uint8 {
		t.Errorf("%+v", info)
	}
}

// A file that is cut or damaged is an error in one line, or has other values.
func TestDamagedFiles(t *testing.T) {
	whole, err := os.ReadFile(worldFile(t))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.tif")
	for at := range len(whole) {
		for _, data := range [][]byte{whole[:at], damaged(whole, at)} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := convert.Open(path, convert.Options{Format: "geotiff", Memory: 8 << 20})
			if err == nil {
				if n, errSize := r.Info().Bytes(); errSize == nil && n < 1<<20 {
					err = r.ReadSection(nil, make([]byte, n))
				}
				_ = r.Close()
			}
			if err != nil && (strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path)) {
				t.Fatalf("byte %d: %v", at, err)
			}
		}
	}
}

func damaged(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 0x55
	return data
}

// A block that does not fit into the memory is refused.
func TestTooLittleMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tif")
	tool(t, "gdal_create", "-q", "-of", "GTiff", "-outsize", "3000", "3000", "-bands", "1", "-burn", "7", "-co", "TILED=YES", "-co", "BLOCKXSIZE=2048", "-co", "BLOCKYSIZE=2048", path)
	if _, err := convert.Open(path, convert.Options{Format: "geotiff", Memory: 1 << 20}); !errors.Is(err, convert.ErrMemory) || !strings.Contains(err.Error(), "2048") {
		t.Error(err)
	}
	r, err := convert.Open(path, convert.Options{Format: "geotiff", Memory: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.ReadSection(nd.Sec(nd.At(2999), nd.All), make([]byte, 3000)), r.Close()); err != nil {
		t.Error(err)
	}
}

// What a raster cannot have is an error that says what to do, and leaves no file.
func TestNotWritten(t *testing.T) {
	two := convert.Info{DType: dtype.Uint8, Shape: []int{2, 2}}
	for _, c := range []struct {
		format, text string
		is           error
		vars         []convert.Info
	}{
		{"geotiff", "copy the array to uint8 first", convert.ErrType, []convert.Info{{DType: dtype.Bool, Shape: []int{2, 2}}}},
		{"geotiff", "float32", convert.ErrType, []convert.Info{{DType: dtype.Float16, Shape: []int{2, 2}}}},
		{"envi", "float64", convert.ErrType, []convert.Info{{DType: dtype.Int64, Shape: []int{2, 2}}}},
		{"envi", "int16", convert.ErrType, []convert.Info{{DType: dtype.Int8, Shape: []int{2, 2}}}},
		{"geotiff", "rows and columns", nd.ErrRank, []convert.Info{{DType: dtype.Uint8, Shape: []int{2}}}},
		{"geotiff", "at least one element", convert.ErrSize, []convert.Info{{DType: dtype.Uint8, Shape: []int{0, 2}}}},
		{"geotiff", "2 variables", convert.ErrType, []convert.Info{two, two}},
		{"geotiff", "strings", convert.ErrType, []convert.Info{{DType: dtype.Uint8, Shape: []int{2, 2}, Labels: []string{"a"}}}},
	} {
		path := filepath.Join(t.TempDir(), "a.tif")
		_, err := convert.CreateFile(path, c.format, convert.Content{Vars: c.vars})
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v; want %q", err, c.text)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file is left: %v", err)
		}
	}
}
