//go:build hdf5 && netcdf && fits && gdal && matio

package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A georeference is a coordinate system, in a form that GDAL accepts, with a transform.
type georeference struct {
	crs       string
	transform [6]float64
	cf        bool // CF's attributes alone describe the system, too
}

var georeferences = map[string]georeference{
	"utm":      {"EPSG:32633", [6]float64{500000, 30, 0, 4100000, 0, -30}, true},
	"degrees":  {"EPSG:4326", [6]float64{-10.1, 0.1, 0, 50, 0, -0.1}, true},
	"south-up": {"EPSG:3035", [6]float64{4321000, 1000, 0, 3210000, 0, 1000}, true},
	"lambert":  {"EPSG:2154", [6]float64{700000.5, 12.5, 0, 6600000.25, 0, -25}, true},
	"albers":   {"EPSG:5070", [6]float64{-96000, 30, 0, 23000, 0, -30}, true},
	"south":    {"EPSG:3031", [6]float64{-1000, 25000. / 3, 0, 2000, 0, -25000. / 3}, true},
	"north":    {"EPSG:32661", [6]float64{2000000, 500, 0, 2000000, 0, -500}, true},
	"oblique":  {"EPSG:28992", [6]float64{155000, 10, 0, 463000, 0, -10}, false},
	"mercator": {"EPSG:3395", [6]float64{0, 10, 0, 0, 0, -10}, true},
	"web":      {"EPSG:3857", [6]float64{1, 10, 0, 50, 0, -10}, false},
	"feet":     {"EPSG:2263", [6]float64{984250, 10, 0, 1000, 0, -10}, false}, // metres in GDAL
	"grads":    {"EPSG:4807", [6]float64{1, 0.1, 0, 50, 0, -0.1}, false},
	"compound": {"EPSG:7415", [6]float64{155000, 463, 0, 463000, 0, -463}, false},
	"own":      {"+proj=lcc +lat_1=40 +lat_2=50 +lat_0=45 +lon_0=7 +x_0=3 +y_0=4 +R=6371200 +units=m", [6]float64{1000, 463, 0, 5000, 0, -463}, true},
	"no name":  {"+proj=sinu +lon_0=0 +R=6371007.181 +units=m", [6]float64{1000, 463.3127, 0, 5000, 0, -463.3127}, false},
	"unknown":  {"", [6]float64{1.5, 1, 0, 2.5, 0, -1}, false},
	"rotated":  {"EPSG:32633", [6]float64{500000, 30, 5, 4100000, 4, -30}, true},
}

// make makes a GeoTIFF file of 5 rows and 7 columns.
func (g georeference) make(t *testing.T, path string) {
	t.Helper()
	grid, text := filepath.Join(filepath.Dir(path), "grid.asc"), "ncols 7\nnrows 5\nxllcorner 0\nyllcorner 0\ncellsize 1\n"
	for i := range 35 {
		text += fmt.Sprintf("%d.5 ", i)
	}
	vrt := `<VRTDataset rasterXSize="7" rasterYSize="5"><SRS>` + g.crs + `</SRS><GeoTransform>` + strings.Trim(strings.ReplaceAll(fmt.Sprint(g.transform), " ", ","), "[]") +
		`</GeoTransform><VRTRasterBand dataType="Float32" band="1"><SimpleSource><SourceFilename>` + grid + `</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>`
	for name, text := range map[string]string{grid: text, path + ".vrt": vrt} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	succeed(t, "gdal_translate", "-q", path+".vrt", path)
}

// succeed runs a program and returns what it prints.
func succeed(t *testing.T, program string, args ...string) string {
	t.Helper()
	var said strings.Builder
	cmd := exec.Command(program, args...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(program), strings.Join(args, " "), err, out, said.String())
	}
	return string(out) + said.String()
}

// A placed is a raster as read by GDAL.
type placed struct {
	transform []float64
	crs       string    // in PROJ's words
	values    []float64 // in rows from the north to the south or, if southUp, as in the file
}

// placedOf reads a raster with GDAL.
func placedOf(t *testing.T, name string) (p placed) {
	t.Helper()
	var info struct {
		GeoTransform     []float64
		CoordinateSystem struct{ Wkt string }
	}
	if err := json.Unmarshal([]byte(succeed(t, "gdalinfo", "-json", name)), &info); err != nil {
		t.Fatal(name, err)
	}
	p.transform = info.GeoTransform
	if info.CoordinateSystem.Wkt != "" {
		p.crs = strings.TrimSpace(succeed(t, "gdalsrsinfo", "-o", "proj4", info.CoordinateSystem.Wkt))
	}
	raw := filepath.Join(t.TempDir(), "values.img")
	succeed(t, "gdal_translate", "-q", "-of", "ENVI", "-ot", "Float64", "-a_ullr", "0", "1", "1", "0", name, raw)
	elements, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	for ; len(elements) > 0; elements = elements[8:] {
		p.values = append(p.values, math.Float64frombits(binary.LittleEndian.Uint64(elements)))
	}
	return p
}

// northUp reverses the rows of a raster whose first row is the southern one, as GDAL does for
// NetCDF.
func (p placed) northUp() placed {
	if len(p.transform) == 6 && p.transform[5] > 0 {
		p.transform = slices.Clone(p.transform)
		p.transform[3], p.transform[5] = p.transform[3]+5*p.transform[5], -p.transform[5]
		var rows []float64
		for r := range slices.Backward(p.values[:5]) {
			rows = append(rows, p.values[7*r:][:7]...)
		}
		p.values = rows
	}
	return p
}

// compare compares two georeferences: the transform to a thousandth of a pixel.
func (p placed) compare(t *testing.T, what string, want placed) {
	t.Helper()
	same := len(p.transform) == 6
	for i := range p.transform {
		same = same && math.Abs(p.transform[i]-want.transform[i]) <= 1e-3*math.Abs(want.transform[1])
	}
	if !same {
		t.Errorf("%s: transform %v, want %v", what, p.transform, want.transform)
	}
	if p.crs != want.crs {
		t.Errorf("%s: coordinate system %s, want %s", what, p.crs, want.crs)
	}
	if !slices.Equal(p.values, want.values) {
		t.Errorf("%s: values %v, want %v", what, p.values, want.values)
	}
}

// A raster keeps its georeference from GeoTIFF to formats with coordinates, where GDAL finds it,
// and back, as a whole and in part.
func TestPlaceFromGeoTIFFAndBack(t *testing.T) {
	program := buildPrograms(t)
	for turn, name := range slices.Sorted(maps.Keys(georeferences)) {
		g := georeferences[name]
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			at := func(name string) string { return filepath.Join(dir, name) }
			g.make(t, at("a.tif"))
			want := placedOf(t, at("a.tif"))
			succeed(t, program, "import", at("a.tif"), at("a"))
			formats := []string{"netcdf3", "hdf5", "zarr2", "zarr3"}
			for _, format := range []string{"netcdf", formats[turn%len(formats)]} {
				file, back := at("b."+format), at(format)
				said := succeed(t, program, "export", at("a"), file, "--format", format)
				if rotated := g.transform[2] != 0; strings.Contains(said, "rotated") != rotated {
					t.Errorf("%s: it says %s", format, said)
				}
				if format == "netcdf" || format == "netcdf3" || format == "hdf5" { // GDAL's driver of Zarr knows no grid mappings
					placedOf(t, "NETCDF:"+file+":a").compare(t, format, want.northUp())
				}
				succeed(t, program, "import", file, back)
				succeed(t, program, "export", back, back+".tif")
				p := placedOf(t, back+".tif")
				p.compare(t, "back from "+format, want)
				if !slices.Equal(p.transform, want.transform) {
					t.Errorf("back from %s: transform %v, want exactly %v", format, p.transform, want.transform)
				}
			}
		})
	}
}

// A part of a raster keeps its georeference, cut before the export to a file with coordinates, or
// after importing such a file, and with another step.
func TestPlaceOfParts(t *testing.T) {
	program := buildPrograms(t)
	for _, name := range []string{"south-up", "rotated"} {
		g, dir := georeferences[name], t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		g.make(t, at("a.tif"))
		run := func(args ...string) { t.Helper(); succeed(t, program, args...) }
		run("import", at("a.tif"), at("a"))
		run("export", at("a"), at("whole.nc"))
		run("import", at("whole.nc"), at("whole"))
		run("export", at("a"), at("1.nc"), "--at", "y=2:5,x=3:7")
		run("export", at("whole"), at("2.zarr"), "--at", "y=2:5,x=3:7")
		for i, file := range []string{"1.nc", "2.zarr"} {
			run("import", at(file), at(fmt.Sprint(i)))
			run("export", at(fmt.Sprint(i)), at(file+".tif"))
		}
		run("export", at("whole"), at("3.tif"), "--at", "y=2:5,x=3:7")
		x := g.transform
		for _, file := range []string{"1.nc.tif", "2.zarr.tif", "3.tif"} {
			p := placedOf(t, at(file))
			for i, want := range []float64{x[0] + 3*x[1] + 2*x[2], x[1], x[2], x[3] + 3*x[4] + 2*x[5], x[4], x[5]} {
				if math.Abs(p.transform[i]-want) > 1e-6 {
					t.Errorf("%s %s: transform %v", name, file, p.transform)
					break
				}
			}
			if p.values[0] != 17.5 || len(p.values) != 12 {
				t.Errorf("%s %s: values %v", name, file, p.values)
			}
		}
	}
}

// From attributes of CF without well-known text, as other programs write them, GDAL and an import
// get the same coordinate system.
func TestPlaceByCFAlone(t *testing.T) {
	program, dir := buildPrograms(t), t.TempDir()
	files := []string{}
	for name, g := range georeferences {
		if !g.cf || g.transform[2] != 0 {
			continue
		}
		file := filepath.Join(dir, name)
		g.make(t, file+".tif")
		succeed(t, program, "import", file+".tif", file)
		succeed(t, program, "export", file, file+".nc")
		files = append(files, file)
	}
	if len(files) < 8 {
		t.Fatal(files)
	}
	succeed(t, "/usr/bin/python3", append([]string{"-c", `import sys, netCDF4
for name in sys.argv[1:]:
    with netCDF4.Dataset(name + ".nc", "a") as f:
        for attr in "crs_wkt", "spatial_ref", "GeoTransform":
            f["spatial_ref"].delncattr(attr)
`}, files...)...)
	for _, file := range files {
		want := placedOf(t, file+".tif")
		// The name of the datum is not among CF's attributes.
		want.crs = withoutDatum(want.crs)
		got := placedOf(t, "NETCDF:"+file+".nc:"+filepath.Base(file))
		got.crs = withoutDatum(got.crs)
		got.compare(t, "GDAL", want.northUp())
		succeed(t, program, "import", file+".nc", file+"2")
		succeed(t, program, "export", file+"2", file+"2.tif")
		got = placedOf(t, file+"2.tif")
		got.crs = withoutDatum(got.crs)
		got.compare(t, filepath.Base(file), want)
	}
}

// withoutDatum removes words about a datum from PROJ's words, and writes its ellipsoid as numbers.
func withoutDatum(crs string) string {
	var kept []string
	for word := range strings.FieldsSeq(crs) {
		switch name, value, _ := strings.Cut(word, "="); {
		case name == "+datum" && value == "WGS84", name == "+ellps" && value == "WGS84":
			kept = append(kept, "+ellps=WGS84")
		case name == "+datum" && value == "NAD83", name == "+ellps" && value == "GRS80":
			kept = append(kept, "+ellps=GRS80")
		case name == "+k" && value == "1", name == "+type", name == "+towgs84":
		default:
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

// Rasters without an affine georeference cause a note or an error, and so does a coordinate that
// contradicts the transform.
func TestPlaceNotes(t *testing.T) {
	program, dir := buildPrograms(t), t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	run := func(args ...string) (string, error) {
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		said, err := cmd.CombinedOutput()
		return string(said), err
	}
	for _, line := range []string{
		"create d --dataset", "create d/lat --dtype float64 --shape 3 --dims lat", "create d/lon --dtype float64 --shape 4 --dims lon",
		"create d/v --dtype float32 --shape 3,4 --dims lat,lon", "create d/w --dtype float32 --shape 4,3 --dims lon,lat", "fill d/v --value 1", "fill d/w --value 1",
		"write d/lat lat.csv", "write d/lon lon.csv", "attr d/v geotransform=[9.5,1.0,0.0,50.5,0.0,-1.0]",
	} {
		if err := os.WriteFile(at("lat.csv"), []byte("50\n49\n48\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at("lon.csv"), []byte("10\n11\n12\n13\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if said, err := run(strings.Fields(line)...); err != nil {
			t.Fatal(line, said)
		}
	}
	for _, test := range []struct{ line, want string }{
		{"export d ok.nc", ""},
		{"export d ok.tif --var v", ""},
		{"export d w.tif --var w", "with its dimensions permuted"},
		{"attr d/v geotransform=[9.0,1.0,0.0,50.5,0.0,-1.0]", ""},
		{"export d wrong.nc", "the attribute geotransform says 9.5"},
		{"attr d/v --delete geotransform", ""},
		{"export d regular.tif --var v", ""},
		{"fill d/lat --at lat=1 --value 49.25", ""},
		{"export d irregular.tif --var v", "is not evenly spaced, as value 1, 49.25, shows"},
		{"export d one.tif --var v --at lat=0:1", "does not say how large pixels are"},
	} {
		said, err := run(strings.Fields(test.line)...)
		refused := strings.Contains(test.want, "permuted") || strings.Contains(test.want, "geotransform says")
		if (err != nil) != refused || !strings.Contains(said, test.want) {
			t.Errorf("%s: %v\n%s", test.line, err, said)
		}
	}
	if p := placedOf(t, at("regular.tif")); !slices.Equal(p.transform, []float64{9.5, 1, 0, 50.5, 0, -1}) {
		t.Errorf("transform %v", p.transform)
	}
}
