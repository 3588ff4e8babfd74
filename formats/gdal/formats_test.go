//go:build gdal && cgo

package gdal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
	"drx/formats/formattest"
)

// raster writes a GeoTIFF file in degrees, with distinct elements, and returns its path.
func raster(t *testing.T, name string, typ dtype.DType, shape []int, attrs map[string]any) string {
	t.Helper()
	world, _ := bridgetest.Get(t, worldFile(t), formats.Options{Format: "geotiff"})
	info := formats.Info{DType: typ, Shape: shape, Attrs: map[string]any{"crs_wkt": world.Attrs["crs_wkt"], "geotransform": []any{0.0, 0.5, 0.0, 6.0, 0.0, -0.5}}}
	for key, value := range attrs {
		info.Attrs[key] = value
	}
	path := filepath.Join(t.TempDir(), name)
	writers, err := formats.CreateFile(path, "geotiff", formats.Content{Vars: []formats.Info{info}})
	if err != nil {
		t.Fatal(err)
	}
	n, _ := info.Bytes()
	var data []byte
	for i := 0; len(data) < n; i++ {
		element, err := typ.EncodeValue(i * 5 % 251)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, element...)
	}
	if err := writers[0].WriteSection(nil, data); err != nil {
		t.Fatal(err)
	}
	if err := writers[0].Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// plainBytes returns the elements of a file, which gdal_translate writes as the plain bytes of
// ENVI.
func plainBytes(t *testing.T, path string, more ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "plain.img")
	tool(t, append(append([]string{"gdal_translate", "-q", "-of", "ENVI", "-co", "INTERLEAVE=BSQ"}, more...), path, out)...)
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Files that gdal_translate writes must be read as it reads them: GRIB, JPEG 2000 and NITF,
// recognised by their first bytes and by their extension, all interleavings of ENVI, and BigTIFF
// and cloud-optimised TIFF files.
func TestOtherFormats(t *testing.T) {
	floats := raster(t, "floats.tif", dtype.Float64, []int{2, 12, 20}, nil)
	single := raster(t, "single.tif", dtype.Float64, []int{12, 20}, nil)
	small := raster(t, "small.tif", dtype.Uint8, []int{3, 40, 50}, nil)
	large := raster(t, "large.tif", dtype.Uint16, []int{130, 150}, nil)
	lossless := []string{"-co", "QUALITY=100", "-co", "REVERSIBLE=YES"}
	for name, c := range map[string]struct {
		from, driver, format string
		options              []string
		typ                  dtype.DType
	}{
		"ieee.grb2":    {floats, "GRIB", "grib", []string{"-co", "DATA_ENCODING=IEEE_FLOATING_POINT"}, dtype.Float64},
		"simple.grib2": {single, "GRIB", "grib", []string{"-co", "DATA_ENCODING=SIMPLE_PACKING"}, dtype.Float64},
		"complex.grib": {single, "GRIB", "grib", []string{"-co", "DATA_ENCODING=COMPLEX_PACKING"}, dtype.Float64},
		"png.grb":      {single, "GRIB", "grib", []string{"-co", "DATA_ENCODING=PNG"}, dtype.Float64},
		"a.jp2":        {small, "JP2OpenJPEG", "jp2", lossless, dtype.Uint8},
		"a.j2k":        {small, "JP2OpenJPEG", "jp2", append([]string{"-co", "CODEC=J2K"}, lossless...), dtype.Uint8},
		"b.jp2":        {large, "JP2OpenJPEG", "jp2", append([]string{"-co", "BLOCKXSIZE=64", "-co", "BLOCKYSIZE=64"}, lossless...), dtype.Uint16},
		"lossy.jp2":    {large, "JP2OpenJPEG", "jp2", []string{"-co", "QUALITY=20"}, dtype.Uint16},
		"a.ntf":        {small, "NITF", "nitf", nil, dtype.Uint8},
		"c.ntf":        {large, "NITF", "nitf", []string{"-co", "IC=C8"}, dtype.Uint16},
		"a.bil":        {small, "ENVI", "envi", []string{"-co", "INTERLEAVE=BIL"}, dtype.Uint8},
		"a.bip":        {floats, "ENVI", "envi", []string{"-co", "INTERLEAVE=BIP"}, dtype.Float64},
		"a.bsq":        {small, "ENVI", "envi", []string{"-co", "INTERLEAVE=BSQ"}, dtype.Uint8},
		"b.bil":        {large, "EHdr", "envi", nil, dtype.Uint16},
		"big.tif":      {large, "GTiff", "geotiff", []string{"-co", "BIGTIFF=YES", "-co", "TILED=YES", "-co", "BLOCKXSIZE=32", "-co", "BLOCKYSIZE=48", "-co", "COMPRESS=LZW"}, dtype.Uint16},
		"cog.tif":      {large, "COG", "geotiff", []string{"-co", "BLOCKSIZE=128", "-co", "OVERVIEW_COUNT=1"}, dtype.Uint16},
		"strips.tif":   {floats, "GTiff", "geotiff", []string{"-co", "INTERLEAVE=PIXEL", "-co", "COMPRESS=DEFLATE", "-co", "PREDICTOR=3"}, dtype.Float64},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			tool(t, append(append([]string{"gdal_translate", "-q", "-of", c.driver}, c.options...), c.from, path)...)
			elements := plainBytes(t, path)
			found := c.format != "geotiff" // these are read as pictures by package formats
			names := []string{c.format, "gdal"}
			if found {
				names = append(names, "")
			}
			for _, format := range names {
				o := formats.Options{Format: format}
				info, got := bridgetest.Get(t, path, o)
				if info.DType != c.typ || !bytes.Equal(got, elements) {
					t.Errorf("format %q: %v %v, other elements than gdal_translate writes", format, info.DType, info.Shape)
				}
				formattest.Reader(t, func() (formats.Reader, error) { return formats.Open(path, o) }, info, elements)
			}
			if !found || c.format == "envi" {
				return
			}
			bare := filepath.Join(t.TempDir(), "noextension")
			if err := os.Rename(path, bare); err != nil {
				t.Fatal(err)
			}
			if _, got := bridgetest.Get(t, bare, formats.Options{}); !bytes.Equal(got, elements) {
				t.Error("its first bytes do not tell the format")
			}
		})
	}
}

// Metadata of a GRIB file describe each band: attributes must be lists if bands differ, and single
// values if not.
func TestBandMetadata(t *testing.T) {
	source := raster(t, "a.tif", dtype.Float64, []int{2, 12, 20}, map[string]any{"KIND": []any{"rain", "snow"}, "SAME": []any{"x", "x"}, "GAP": []any{"", "y"}})
	info, _ := bridgetest.Get(t, source, formats.Options{Format: "geotiff"})
	want := map[string]any{"KIND": []any{"rain", "snow"}, "SAME": "x", "GAP": []any{"", "y"}}
	for name, value := range want {
		if !reflect.DeepEqual(info.Attrs[name], value) {
			t.Errorf("%s is %v, want %v", name, info.Attrs[name], value)
		}
	}
	path := filepath.Join(t.TempDir(), "a.grb2")
	tool(t, "gdal_translate", "-q", "-of", "GRIB", "-co", "DATA_ENCODING=IEEE_FLOATING_POINT",
		"-co", "BAND_1_PDS_PDTN=0", "-co", "BAND_1_PDS_TEMPLATE_NUMBERS=0 0 2 0 0 0 0 0 1 0 0 0 6 1 0 0 0 0 0 255 0 0 0 0 0", source, path)
	info, _ = bridgetest.Get(t, path, formats.Options{})
	for _, name := range []string{"GRIB_ELEMENT", "GRIB_VALID_TIME", "GRIB_UNIT", "GRIB_SHORT_NAME"} {
		if info.Attrs[name] == nil {
			t.Errorf("no %s in %v", name, info.Attrs)
		}
	}
	if list, ok := info.Attrs["GRIB_SHORT_NAME"].([]any); !ok || len(list) != 2 || list[0] == list[1] {
		t.Errorf("GRIB_SHORT_NAME is %v", info.Attrs["GRIB_SHORT_NAME"])
	}
}

// Frames and rasters of indices must get the colours that gdal_translate -expand writes.
func TestExpanded(t *testing.T) {
	var colours []any
	for i := range 256 {
		colours = append(colours, []any{int64(i), int64(255 - i), int64(i * 7 % 256), int64(255 - 5*(i%2))})
	}
	indices := raster(t, "indices.tif", dtype.Uint8, []int{40, 50}, map[string]any{"palette": colours})
	png, ntf := filepath.Join(t.TempDir(), "a.png"), filepath.Join(t.TempDir(), "a.ntf")
	tool(t, "gdal_translate", "-q", "-of", "PNG", indices, png)
	tool(t, "gdal_translate", "-q", "-of", "NITF", indices, ntf)
	paths := map[string]string{indices: "geotiff", png: "gdal", ntf: "nitf"}
	for path, format := range realFrames() {
		paths[path] = format
	}
	for path, format := range paths {
		for how, channels := range formats.Expansions {
			r, err := formats.Open(path, formats.Options{Format: format})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Info().HasPalette() {
				t.Fatalf("%s: has no colour table: %v", path, r.Info().Attrs["palette"])
			}
			e, err := formats.Expand(r, channels)
			if err != nil {
				t.Fatal(err)
			}
			n, _ := e.Info().Bytes()
			got := make([]byte, n)
			if err := e.ReadSection(nil, got); err != nil {
				t.Fatal(err)
			}
			if want := plainBytes(t, path, "-expand", how); !bytes.Equal(got, want) {
				t.Errorf("%s: --expand %s: other colours than gdal_translate writes", path, how)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if os.Getenv("DRX_DATA") != "" && len(paths) < 4 {
		t.Errorf("only %d files", len(paths))
	}
}

// realFrames returns real files of indices, and the formats that read them.
func realFrames() map[string]string {
	found := map[string]string{}
	root := os.Getenv("DRX_DATA")
	if root == "" {
		return found
	}
	paths, _ := filepath.Glob(filepath.Join(root, "formats/nitf/*")) // the pattern is valid
	for _, path := range paths {
		c, err := formats.List(path, formats.Options{Format: "rpf"})
		if err == nil && len(c.Vars) == 1 && c.Vars[0].HasPalette() {
			found[path] = "rpf"
		}
	}
	return found
}

// Damaged files of these formats must give an error in one line, or other values.
func TestDamagedFormats(t *testing.T) {
	source := raster(t, "a.tif", dtype.Uint8, []int{12, 20}, nil)
	for driver, name := range map[string]string{"GRIB": "a.grb2", "JP2OpenJPEG": "a.jp2", "NITF": "a.ntf"} {
		path := filepath.Join(t.TempDir(), name)
		tool(t, "gdal_translate", "-q", "-of", driver, source, path)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(whole); at += 1 + len(whole)/150 {
			for _, data := range [][]byte{whole[:at], bridgetest.Flip(whole, at, 0x55)} {
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := readSmall(path); err != nil && !bridgetest.Names(err, path) {
					t.Fatalf("%s, byte %d: %v", name, at, err)
				}
			}
		}
	}
}

// readSmall reads a file, unless its description says that it is large.
func readSmall(path string) (err error) {
	c, err := formats.List(path, formats.Options{Memory: 16 << 20})
	if err != nil {
		return err
	}
	for _, v := range c.Vars {
		r, err := formats.Open(path, formats.Options{Memory: 16 << 20, Variable: v.Name})
		if err != nil {
			return err
		}
		if n, sizeErr := v.Bytes(); sizeErr == nil && n < 1<<20 {
			err = r.ReadSection(nil, make([]byte, n))
		}
		if closeErr := r.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
	}
	return nil
}

// The fields of ENVI's header must survive: texts, and lists in braces. The description must not
// become the name of the file.
func TestENVIHeader(t *testing.T) {
	attrs := map[string]any{
		"wavelength": []any{"0.4", "0.5"}, "sensor_type": "none", "description": "a text", "default bands": []any{int64(2), int64(1)}, "lines": "9",
	}
	info := formats.Info{DType: dtype.Uint8, Shape: []int{2, 3, 4}, Attrs: attrs}
	path := filepath.Join(t.TempDir(), "a.img")
	for _, with := range []bool{true, false} {
		if !with {
			info.Attrs, path = nil, filepath.Join(t.TempDir(), "b.img")
		}
		writers, err := formats.CreateFile(path, "envi", formats.Content{Vars: []formats.Info{info}})
		if err != nil {
			t.Fatal(err)
		}
		if err := writers[0].WriteSection(nil, make([]byte, 24)); err != nil {
			t.Fatal(err)
		}
		if err := writers[0].Close(); err != nil {
			t.Fatal(err)
		}
		got, _ := bridgetest.Get(t, path, formats.Options{Format: "envi"})
		if with && (!reflect.DeepEqual(got.Attrs["wavelength"], attrs["wavelength"]) || got.Attrs["sensor_type"] != "none" ||
			got.Attrs["description"] != "{a text}" || got.Attrs["default_bands"] != "{2, 1}" || got.Attrs["lines"] != nil) {
			t.Errorf("%v", got.Attrs)
		}
		header, err := os.ReadFile(strings.TrimSuffix(path, ".img") + ".hdr")
		if err != nil || strings.Contains(string(header), path) {
			t.Errorf("%s, %v", header, err)
		}
	}
}
