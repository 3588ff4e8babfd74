//go:build gdal && cgo

package gdal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
	"drx/formats/formattest"
)

// tool runs a program of gdal-bin that writes no files beside those that it reads.
func tool(t *testing.T, args ...string) []byte {
	t.Helper()
	t.Setenv("GDAL_PAM_ENABLED", "NO")
	return bridgetest.Tool(t, "gdal-bin", args...)
}

// samples returns real files and the formats that read them.
func samples(t *testing.T) map[string]string {
	paths := map[string]string{}
	for pattern, format := range map[string]string{
		"formats/geotiff/*.tif": "geotiff", "formats/nitf/*.[nN]*": "nitf", "formats/nitf/*.GN3": "rpf", "hyperspectral/*.hdr": "envi",
	} {
		for _, path := range bridgetest.Data(t, pattern) {
			paths[path] = format
		}
	}
	return paths
}

// Every real file must be listed, and read with the values that gdal_translate writes or refused
// with a reason.
func TestDataFiles(t *testing.T) {
	equal, parts := 0, 0
	for path, format := range samples(t) {
		c, err := formats.List(path, formats.Options{Format: format})
		if err != nil {
			t.Logf("%s: %v", filepath.Base(path), err)
			if strings.Contains(err.Error(), "\n") || exec.Command("gdalinfo", path).Run() == nil {
				t.Errorf("gdalinfo reads it: %v", err)
			}
			continue
		}
		for _, v := range c.Vars {
			if v.Refused != "" {
				t.Errorf("%s: %s: %s", path, v.Name, v.Refused)
				continue
			}
			compare(t, path, format, v)
			equal++
			if part := newPart(t, path, format, v.Name); part.mask || part.band > 0 {
				parts++
			}
		}
	}
	t.Logf("%d rasters are equal, %d of them bands and masks", equal, parts)
	if equal < 34 || parts < 2 {
		t.Error("want at least 34 and 2")
	}
}

// A part describes the part of a file that a variable is, in the terms of gdal_translate.
type part struct {
	source string // the file, or the name of one of its images
	band   int    // the band, from 1; 0 is all bands
	mask   bool   // the mask of the first band
}

// newPart returns the part for a variable. Its name is image, band or mask, with numbers, or
// image2_band3.
func newPart(t *testing.T, path, format, name string) part {
	t.Helper()
	p := part{source: path}
	if format == "envi" {
		p.source = strings.TrimSuffix(path, ".hdr") + ".img"
	}
	for word := range strings.SplitSeq(name, "_") {
		number := strings.TrimLeft(word, "abcdefghijklmnopqrstuvwxyz")
		switch {
		case word == "mask":
			p.mask = true
		case strings.HasPrefix(word, "band"):
			p.band, _ = strconv.Atoi(number) // 0 is no band, so the comparison fails
		case number != "":
			var said struct{ Metadata map[string]map[string]string }
			if err := json.Unmarshal(tool(t, "gdalinfo", "-json", path), &said); err != nil {
				t.Fatal(err)
			}
			p.source = said.Metadata["SUBDATASETS"]["SUBDATASET_"+number+"_NAME"]
		}
	}
	return p
}

// choose returns the options with which gdal_translate selects the bands.
func (p part) choose() []string {
	switch {
	case p.mask:
		return []string{"-b", "mask"}
	case p.band > 0:
		return []string{"-b", strconv.Itoa(p.band)}
	}
	return nil
}

// compare compares a variable with the output of gdal_translate: the plain bytes of an ENVI file.
func compare(t *testing.T, path, format string, v formats.Info) {
	t.Helper()
	if filepath.Base(path) == "rgb.ntf" { // it is truncated
		r, err := formats.Open(path, formats.Options{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if err := r.ReadSection(nil, make([]byte, 3*50*50)); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", path, err)
		}
		return
	}
	p, plain := newPart(t, path, format, v.Name), filepath.Join(t.TempDir(), "a.img")
	info, elements := bridgetest.Get(t, path, formats.Options{Format: format, Variable: v.Name})
	args := append([]string{"gdal_translate", "-q", "-of", "ENVI", "-co", "INTERLEAVE=BSQ", "-a_ullr", "0", "1", "1", "0"}, p.choose()...)
	tool(t, append(args, p.source, plain)...)
	want, err := os.ReadFile(plain)
	if err != nil || !bytes.Equal(want, elements) {
		t.Errorf("%s: %s %v %v: other elements than gdal_translate writes, %v", path, v.Name, info.DType, info.Shape, err)
	}
	if p.mask {
		return // gdalinfo reports nothing else about a mask
	}
	compareInfo(t, path, p, info)
}

// compareInfo compares the description of a variable with the output of gdalinfo.
func compareInfo(t *testing.T, path string, p part, info formats.Info) {
	t.Helper()
	var said struct {
		Size         []int
		GeoTransform []float64
		Bands        []struct {
			Block       []int
			NoDataValue any
			ColorTable  *struct{ Count int }
		}
	}
	text := bytes.ReplaceAll(tool(t, "gdalinfo", "-json", p.source), []byte(":NaN"), []byte(`:"NaN"`))
	text = bytes.ReplaceAll(text, []byte(": NaN"), []byte(`:"NaN"`))
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatal(err)
	}
	n := len(info.Shape)
	if !slices.Equal(info.Shape[n-2:], []int{said.Size[1], said.Size[0]}) || n == 3 && info.Shape[0] != len(said.Bands) {
		t.Errorf("%s: shape %v, gdalinfo has %v, %d bands", path, info.Shape, said.Size, len(said.Bands))
	}
	if first := said.Bands[max(0, p.band-1)]; (first.NoDataValue != nil) != (info.Attrs["nodata"] != nil) || (first.ColorTable != nil) != (info.Attrs["palette"] != nil) {
		t.Errorf("%s: attributes %v, gdalinfo has %+v", path, info.Attrs, first)
	}
	if got := floats(info.Attrs["geotransform"]); len(got) != len(said.GeoTransform) && said.GeoTransform != nil {
		t.Errorf("%s: geotransform %v, gdalinfo has %v", path, got, said.GeoTransform)
	} else {
		for i := range said.GeoTransform {
			if math.Abs(got[i]-said.GeoTransform[i]) > 1e-9*math.Abs(got[i]) {
				t.Errorf("%s: geotransform %v, gdalinfo has %v", path, got, said.GeoTransform)
			}
		}
	}
}

// Sections of a few real files must equal those of the whole raster.
func TestSections(t *testing.T) {
	for path, format := range samples(t) {
		switch filepath.Base(path) {
		case "byte.tif", "float.tif", "rgb16.ntf", "RGBA.uint16.tif", "0000M033.GN3":
			o := formats.Options{Format: format}
			info, elements := bridgetest.Get(t, path, o)
			formattest.Reader(t, func() (formats.Reader, error) { return formats.Open(path, o) }, info, elements)
		}
	}
}

// A written raster of any type and shape must be read unchanged, here and by gdal_translate.
func TestWriters(t *testing.T) {
	for _, format := range []string{"geotiff", "envi"} {
		for typ := range codes {
			if checkInfo(&formats.Info{DType: typ, Shape: []int{1, 1}}, map[string]string{"geotiff": "GTiff", "envi": "ENVI"}[format]) != nil {
				continue
			}
			for i, shape := range [][]int{{1, 1}, {40, 70}, {3, 33, 20}} {
				for _, deflate := range []int{0, 6} {
					info := formats.Info{DType: typ, Shape: shape, Chunk: slices.Repeat([]int{16}, len(shape))}
					path := filepath.Join(t.TempDir(), fmt.Sprintf("a%d.%s", i, map[string]string{"geotiff": "tif", "envi": "img"}[format]))
					bridgetest.WritesBack(t, bridgetest.RoundTrip{Path: path, Format: format, Read: format, Info: info, Deflate: deflate})
				}
			}
		}
	}
}

// The georeference, fill value, colours, names of bands and metadata must survive.
func TestContent(t *testing.T) {
	attrs := map[string]any{
		"geotransform": []any{10.5, 0.25, 0.0, 50.0, 0.0, -0.25}, "palette": []any{[]any{int64(0), int64(0), int64(0), int64(255)}, []any{int64(255), int64(9), int64(1), int64(255)}},
		"band_names": []any{"landcover"}, "Title": "map", "units": "m",
	}
	wkt, _ := bridgetest.Get(t, worldFile(t), formats.Options{Format: "geotiff"})
	attrs["crs_wkt"] = wkt.Attrs["crs_wkt"]
	info := formats.Info{DType: dtype.Uint8, Shape: []int{20, 30}, Fill: []byte{255}, Attrs: attrs}
	path := filepath.Join(t.TempDir(), "a.tif")
	bridgetest.Write(t, path, "geotiff", formats.Content{Vars: []formats.Info{info}, Deflate: 9}, bridgetest.SmallNumbers)
	got, _ := bridgetest.Get(t, path, formats.Options{Format: "geotiff"})
	if !bytes.Equal(got.Fill, []byte{255}) {
		t.Errorf("fill %v", got.Fill)
	}
	for name, want := range attrs {
		a, _ := json.Marshal(got.Attrs[name])
		b, _ := json.Marshal(want)
		if name == "palette" {
			a = a[:min(len(a), len(b)-1)] // the file has 256 colours
			b = b[:len(b)-1]
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s is %s, want %s", name, a, b)
		}
	}
}

// A list of units must give each band its unit.
func TestUnitsOfBands(t *testing.T) {
	info := formats.Info{DType: dtype.Uint8, Shape: []int{2, 3, 4}, Attrs: map[string]any{"units": []any{"K", "m"}}}
	path := filepath.Join(t.TempDir(), "a.tif")
	bridgetest.Write(t, path, "geotiff", formats.Content{Vars: []formats.Info{info}}, bridgetest.SmallNumbers)
	got, _ := bridgetest.Get(t, path, formats.Options{Format: "geotiff"})
	if a, _ := json.Marshal(got.Attrs["units"]); string(a) != `["K","m"]` {
		t.Errorf("units %s", a)
	}
}

// worldFile makes a small file in degrees.
func worldFile(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "world.tif")
	tool(t, "gdal_create", "-q", "-of", "GTiff", "-outsize", "4", "4", "-bands", "1", "-burn", "7", "-a_srs", "EPSG:4326", "-a_ullr", "0", "1", "1", "0", path)
	return path
}

// A mask inside of a BigTIFF file must become a variable of its own.
func TestMask(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tif")
	tool(t, "gdal_translate", "-q", "-of", "GTiff", "-mask", "1", "--config", "GDAL_TIFF_INTERNAL_MASK", "YES", "-co", "BIGTIFF=YES", worldFile(t), path)
	c, err := formats.List(path, formats.Options{Format: "geotiff"})
	if err != nil || len(c.Vars) != 2 || c.Vars[1].Name != "mask" {
		t.Fatalf("%+v %v", c, err)
	}
	_, elements := bridgetest.Get(t, path, formats.Options{Format: "geotiff"})
	if _, mask := bridgetest.Get(t, path, formats.Options{Format: "geotiff", Variable: "mask"}); !bytes.Equal(mask, bytes.Repeat([]byte{255}, 16)) || !bytes.Equal(elements, bytes.Repeat([]byte{7}, 16)) {
		t.Errorf("mask %v, image %v", mask, elements)
	}
}
