//go:build gdal && cgo

package gdal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
	"drx/nd"
)

// A file that leads to other files or to a network must not be opened, whatever its name.
func TestOtherDrivers(t *testing.T) {
	world := worldFile(t)
	vrt := `<VRTDataset rasterXSize="4" rasterYSize="4"><VRTRasterBand dataType="Byte" band="1"><SimpleSource><SourceFilename>` + world + `</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>`
	wms := `<GDAL_WMS><Service name="TMS"><ServerUrl>http://127.0.0.1/${z}/${x}/${y}.png</ServerUrl></Service></GDAL_WMS>`
	for name, text := range map[string]string{"a.vrt": vrt, "a.tif": vrt, "b.tif": wms, "A.TOC": "RPFTOC", "empty.tif": "", "short.tif": "II*\x00"} {
		bridgetest.NotOpened(t, bridgetest.File(t, name, []byte(text)), formats.Options{Format: "gdal"}, "", nil)
	}
	if info, _ := bridgetest.Get(t, world, formats.Options{Format: "gdal"}); info.DType != dtype.Uint8 {
		t.Errorf("%+v", info)
	}
}

// A truncated or damaged file must give an error in one line, or other values.
func TestDamagedFiles(t *testing.T) {
	whole, err := os.ReadFile(worldFile(t))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.tif")
	for at := range len(whole) {
		for _, data := range [][]byte{whole[:at], bridgetest.Flip(whole, at, 0x55)} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := formats.Open(path, formats.Options{Format: "geotiff", Memory: 8 << 20})
			if err == nil {
				if n, errSize := r.Info().Bytes(); errSize == nil && n < 1<<20 {
					err = r.ReadSection(nil, make([]byte, n))
				}
				_ = r.Close()
			}
			if err != nil && !bridgetest.Names(err, path) {
				t.Fatalf("byte %d: %v", at, err)
			}
		}
	}
}

// A block that exceeds the memory must be refused.
func TestTooLittleMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tif")
	tool(t, "gdal_create", "-q", "-of", "GTiff", "-outsize", "3000", "3000", "-bands", "1", "-burn", "7", "-co", "TILED=YES", "-co", "BLOCKXSIZE=2048", "-co", "BLOCKYSIZE=2048", path)
	bridgetest.NotOpened(t, path, formats.Options{Format: "geotiff", Memory: 1 << 20}, "2048", formats.ErrMemory)
	r, err := formats.Open(path, formats.Options{Format: "geotiff", Memory: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.ReadSection(nd.Sec(nd.At(2999), nd.All), make([]byte, 3000)), r.Close()); err != nil {
		t.Error(err)
	}
}

// Content that a raster cannot represent must give an error with advice, and leave no file.
func TestNotWritten(t *testing.T) {
	two := formats.Info{DType: dtype.Uint8, Shape: []int{2, 2}}
	for _, c := range []struct {
		format, text string
		is           error
		vars         []formats.Info
	}{
		{"geotiff", "copy the array to uint8, or export it as uint8", formats.ErrType, []formats.Info{{DType: dtype.Bool, Shape: []int{2, 2}}}},
		{"geotiff", "float32", formats.ErrType, []formats.Info{{DType: dtype.Float16, Shape: []int{2, 2}}}},
		{"envi", "float64", formats.ErrType, []formats.Info{{DType: dtype.Int64, Shape: []int{2, 2}}}},
		{"envi", "int16", formats.ErrType, []formats.Info{{DType: dtype.Int8, Shape: []int{2, 2}}}},
		{"geotiff", "rows and columns", nd.ErrRank, []formats.Info{{DType: dtype.Uint8, Shape: []int{2}}}},
		{"geotiff", "at least one element", formats.ErrSize, []formats.Info{{DType: dtype.Uint8, Shape: []int{0, 2}}}},
		{"geotiff", "2 variables", formats.ErrVariable, []formats.Info{two, two}},
		{"geotiff", "strings", formats.ErrType, []formats.Info{{DType: dtype.Uint8, Shape: []int{2, 2}, Labels: []string{"a"}}}},
	} {
		bridgetest.NotWritten(t, "a.tif", c.format, formats.Content{Vars: c.vars}, c.text, c.is)
	}
}

// An ENVI file that is shorter than its header says must give an error, whatever its layout, and
// whether the file or its header is named. A longer or a compressed one must be read.
func TestShortENVI(t *testing.T) {
	for _, interleave := range []string{"bsq", "bil", "bip"} {
		for _, c := range []struct{ offset, bytes int }{{0, 239}, {0, 0}, {0, 240}, {64, 303}, {64, 304}, {0, 1000}} {
			header := bridgetest.File(t, "a.hdr", fmt.Appendf(nil, "ENVI\nsamples = 5\nlines = 4\nbands = 6\nheader offset = %d\nfile type = ENVI Standard\n"+
				"data type = 12\ninterleave = %s\nbyte order = 0\n", c.offset, interleave))
			data := strings.TrimSuffix(header, ".hdr") + ".img"
			if err := os.WriteFile(data, make([]byte, c.bytes), 0o600); err != nil {
				t.Fatal(err)
			}
			want := 240 + c.offset
			for _, path := range []string{header, data} {
				_, err := formats.List(path, formats.Options{Format: "envi"})
				if c.bytes >= want {
					if err != nil {
						t.Errorf("%s, %d of %d bytes: %v", interleave, c.bytes, want, err)
					}
					continue
				}
				if c.bytes > 0 && (!errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), fmt.Sprintf("%d bytes, the file has %d", want, c.bytes))) || err == nil {
					t.Errorf("%s, %d of %d bytes: %v", interleave, c.bytes, want, err)
				}
			}
		}
	}
}
