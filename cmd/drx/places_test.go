package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
	"drx/formats/pipe/pipetest"
)

// Every verb must refuse images of another position, resolution or coordinate system, and stations
// in another order, and join those of the same position.
func TestPlacesOfWhatIsJoined(t *testing.T) {
	image := func(place, wkt string) pipetest.File {
		return pipetest.File{Vars: []pipetest.Var{{
			Name: "m", DType: "int16", Shape: []int{2, 3}, Dims: []string{"y", "x"},
			Attrs: raw("geotransform", place, "crs_wkt", `"`+wkt+`"`),
		}}}
	}
	const here = "[500.0,30.0,0.0,400.0,0.0,-30.0]"
	dir := t.TempDir()
	pixels := dtype.Bytes([]int16{1, 2, 3, 4, 5, 6})
	make := func(name string, f pipetest.File, elements ...[]byte) {
		t.Helper()
		makeFileOf(t, filepath.Join(dir, name+".hdf5"), f, elements...)
	}
	make("here", image(here, "UTM32"), pixels)
	make("below", image("[500.0,30.0,0.0,340.0,0.0,-30.0]", "UTM32"), pixels)
	mustRun(t, dir, "import @/here.hdf5 @/maps --append time")
	mustRun(t, dir, "import @/here.hdf5 @/map")
	for _, line := range []string{
		"import @/here.hdf5 @/maps --append time", "append @/maps --dim time @/here.hdf5", "reserve @/maps --dim time @/here.hdf5",
		"write @/maps @/here.hdf5", "write @/maps --at 2,0,0 @/here.hdf5", "append @/map --dim y @/below.hdf5", "write @/map @/here.hdf5 --at 0,0",
		"write @/map @/below.hdf5 --at 2,0",
	} {
		mustRun(t, dir, line)
	}
	for name, c := range map[string]struct{ place, wkt, says string }{
		"beside":     {"[590.0,30.0,0.0,400.0,0.0,-30.0]", "UTM32", "lies 3 pixels away"},
		"between":    {"[510.0,30.0,0.0,400.0,0.0,-30.0]", "UTM32", "do not lie on each other"},
		"finer":      {"[500.0,10.0,0.0,400.0,0.0,-10.0]", "UTM32", "do not lie on each other"},
		"turned":     {"[500.0,30.0,0.0,340.0,0.0,30.0]", "UTM32", "do not lie on each other"},
		"other zone": {here, "UTM33", `coordinate system is "UTM33"`},
	} {
		make("other", image(c.place, c.wkt), pixels)
		for _, line := range []string{
			"import @/other.hdf5 @/maps --append time", "append @/maps --dim time @/other.hdf5", "reserve @/maps --dim time @/other.hdf5",
			"write @/maps @/other.hdf5", "write @/map @/other.hdf5",
		} {
			if code, text := tryRun(dir, line); code == 0 || !strings.Contains(text, c.says) || !strings.Contains(text, "stored") {
				t.Errorf("%s: %s: exit %d, %s", name, line, code, text)
			}
		}
		mustRun(t, dir, "write @/map @/other.hdf5 --as-stored")
	}
	for _, line := range []string{"append @/map --dim y @/below.hdf5", "write @/map @/below.hdf5 --at 1,0", "import @/below.hdf5 @/map --append y"} {
		if code, text := tryRun(dir, line); code == 0 || !strings.Contains(text, "geotransform is [500 30 0 340 0 -30]") {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
	}

	table := func(day int32, stations []string, meridian string) (pipetest.File, [][]byte) {
		return pipetest.File{Vars: []pipetest.Var{
			{Name: "time", DType: "int32", Shape: []int{1}, Dims: []string{"time"}, Attrs: raw("units", `"days since 2000-01-01"`)},
			{Name: "station", DType: "uint8", Shape: []int{2}, Dims: []string{"station"}, Labels: stations},
			{Name: "crs", DType: "int32", Attrs: raw("grid_mapping_name", `"transverse_mercator"`, "longitude_of_central_meridian", meridian, "long_name", `"`+meridian+`"`)},
			{Name: "r", DType: "int16", Shape: []int{1, 2}, Dims: []string{"time", "station"}, Attrs: raw("grid_mapping", `"crs"`)},
		}}, [][]byte{dtype.Bytes([]int32{day}), {0, 1}, dtype.Bytes([]int32{0}), dtype.Bytes([]int16{1, 2})}
	}
	f, elements := table(0, []string{"Oslo", "Bergen"}, "9.0")
	make("a", f, elements...)
	mustRun(t, dir, "import @/a.hdf5 @/W")
	for _, c := range []struct {
		stations       []string
		meridian, says string
	}{
		{[]string{"Bergen", "Oslo"}, "9.0", "coordinate station: is permuted: value 0 is Bergen"},
		{[]string{"Oslo", "Rome"}, "9.0", "coordinate station: value 1 is Rome"},
		{[]string{"Oslo", "Bergen"}, "15.0", "grid mapping crs: longitude_of_central_meridian is 15"},
		{[]string{"Oslo", "Bergen"}, "9.0000000001", ""},
	} {
		for i, line := range []string{
			"import @/b.hdf5 @/W --append time", "append @/W/r --dim time --var r @/b.hdf5", "reserve @/W/r --dim time --var r @/b.hdf5",
			"write @/W @/b.hdf5", "write @/W/r --var r @/b.hdf5",
		} {
			f, elements := table(map[bool]int32{true: 1, false: 0}[i < 3], c.stations, c.meridian)
			make("b", f, elements...)
			if i == 1 || i == 2 {
				mustRun(t, dir, "rm @/W")
				mustRun(t, dir, "import @/a.hdf5 @/W")
			}
			if code, text := tryRun(dir, line); (code == 0) != (c.says == "") || !strings.Contains(text, c.says) {
				t.Errorf("%s: exit %d, %s, want %q", line, code, text, c.says)
			}
		}
	}
}

// Two groups have different stations, and a variable must be compared with those of its group.
func TestLabelsOfGroups(t *testing.T) {
	file := func(day int32, second ...string) (f pipetest.File, elements [][]byte) {
		f.Vars = []pipetest.Var{{Name: "time", DType: "int32", Shape: []int{1}, Dims: []string{"time"}, Attrs: raw("units", `"days since 2000-01-01"`)}}
		elements = [][]byte{dtype.Bytes([]int32{day})}
		for group, names := range [][]string{{"Oslo", "Bergen"}, second} {
			dim := fmt.Sprintf("g%d/station", group)
			f.Vars = append(f.Vars, pipetest.Var{Name: dim, DType: "uint8", Shape: []int{2}, Dims: []string{dim}, Labels: names},
				pipetest.Var{Name: fmt.Sprintf("g%d/r", group), DType: "int16", Shape: []int{1, 2}, Dims: []string{"time", dim}})
			elements = append(elements, []byte{0, 1}, dtype.Bytes([]int16{1, 2}))
		}
		return f, elements
	}
	dir := t.TempDir()
	for name, stations := range map[string][]string{"a": {"Rome", "Paris"}, "turned": {"Paris", "Rome"}} {
		f, elements := file(0, stations...)
		makeFileOf(t, filepath.Join(dir, name+".hdf5"), f, elements...)
		f, elements = file(1, stations...)
		makeFileOf(t, filepath.Join(dir, name+"1.hdf5"), f, elements...)
	}
	for _, line := range []string{"import @/%s1.hdf5 @/W --append time", "append @/W/g1/r --dim time --var g1/r @/%s1.hdf5", "write @/W @/%s.hdf5"} {
		mustRun(t, dir, "import @/a.hdf5 @/W")
		if code, text := tryRun(dir, fmt.Sprintf(line, "turned")); code == 0 || !strings.Contains(text, "coordinate station: is permuted: value 0 is Paris") {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
		mustRun(t, dir, fmt.Sprintf(line, "a"))
		mustRun(t, dir, "rm @/W")
	}
}

// New stations must get their labels at the end at which the array grows, and a file without labels
// must add none.
func TestLabelsOfNewIndices(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, stations ...string) {
		numbers, elements := []byte{}, []byte{}
		for i, station := range stations {
			numbers, elements = append(numbers, byte(i)), append(elements, station[0])
		}
		makeFileOf(t, filepath.Join(dir, name+".hdf5"), pipetest.File{Vars: []pipetest.Var{
			{Name: "station", DType: "uint8", Shape: []int{len(stations)}, Dims: []string{"station"}, Labels: append([]string{}, stations...)},
			{Name: "r", DType: "uint8", Shape: []int{len(stations)}, Dims: []string{"station"}},
		}}, numbers, elements)
	}
	file("a", "Oslo", "Bergen")
	file("b", "Rome", "Nice")
	mustRun(t, dir, "import @/a.hdf5 @/low")
	mustRun(t, dir, "import @/b.hdf5 @/low --append station --low")
	mustRun(t, dir, "import @/a.hdf5 @/high")
	mustRun(t, dir, "import @/b.hdf5 @/high --append station")
	for _, name := range []string{"low", "high"} {
		for _, station := range []string{"Oslo", "Bergen", "Rome", "Nice"} {
			sum, err := printedJSON("sum", filepath.Join(dir, name), "--sel", "station="+station)
			if err != nil || !strings.Contains(sum, fmt.Sprint(station[0])) {
				t.Errorf("%s: %s: %v, %s", name, station, err, sum)
			}
		}
	}
	mustRun(t, dir, "extend @/high --dim station --by 1")
	file("c", "Paris")
	if code, text := tryRun(dir, "import @/c.hdf5 @/high --append station"); code == 0 || !strings.Contains(text, "index 4 has no label, and Paris would follow") {
		t.Errorf("exit %d, %s", code, text)
	}
}

// Coordinates of two dimensions, and names of places, must be compared if the joined variables name
// them as coordinates.
func TestAuxiliaryCoordinates(t *testing.T) {
	file := func(day int32, shift float64, names ...string) (pipetest.File, [][]byte) {
		const ny, nx = 40, 30
		lat := []float64{}
		for i := range ny * nx {
			lat = append(lat, 50+float64(i)/7)
		}
		lat[700] += shift
		labels := make([]byte, ny)
		labels[1], labels[2] = 1, 2
		return pipetest.File{Vars: []pipetest.Var{
			{Name: "time", DType: "int32", Shape: []int{1}, Dims: []string{"time"}, Attrs: raw("units", `"days since 2000-01-01"`)},
			{Name: "lat", DType: "float64", Shape: []int{ny, nx}, Dims: []string{"y", "x"}},
			{Name: "name", DType: "uint8", Shape: []int{ny}, Dims: []string{"y"}, Labels: names},
			{Name: "run", DType: "int32", Shape: []int{}, Attrs: raw("units", `"days since 2000-01-01"`)},
			{Name: "r", DType: "int8", Shape: []int{1, ny, nx}, Dims: []string{"time", "y", "x"}, Attrs: raw("coordinates", `"lat name run"`)},
		}}, [][]byte{dtype.Bytes([]int32{day}), dtype.Bytes(lat), labels, dtype.Bytes([]int32{day}), make([]byte, ny*nx)}
	}
	dir := t.TempDir()
	f, elements := file(0, 0, "a", "b", "c")
	makeFileOf(t, filepath.Join(dir, "a.hdf5"), f, elements...)
	for _, c := range []struct {
		shift float64
		names []string
		says  string
	}{
		{0.5, []string{"a", "b", "c"}, "coordinate lat: element 23,10 is"},
		{0, []string{"a", "c", "b"}, "coordinate name: element 1 is c"},
		{3e-14, []string{"a", "b", "c"}, ""},
	} {
		for i, line := range []string{
			"import @/b.hdf5 @/W --append time", "append @/W/r --dim time --var r @/b.hdf5", "reserve @/W/r --dim time --var r @/b.hdf5", "write @/W/r --var r @/b.hdf5",
		} {
			mustRun(t, dir, "import @/a.hdf5 @/W")
			f, elements := file(map[bool]int32{true: 1, false: 0}[i < 3], c.shift, c.names...)
			makeFileOf(t, filepath.Join(dir, "b.hdf5"), f, elements...)
			if code, text := tryRun(dir, line); (code == 0) != (c.says == "") || !strings.Contains(text, c.says) {
				t.Errorf("%s: exit %d, %s, want %q", line, code, text, c.says)
			}
			mustRun(t, dir, "rm @/W")
		}
	}
}

// A coordinate system that is written in another way is the same: images in it must be joined.
func TestCoordinateSystemsOfWhatIsJoined(t *testing.T) {
	const (
		v1 = `GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]`
		v2 = `GEOGCRS["WGS 84",ENSEMBLE["World Geodetic System 1984 ensemble",ELLIPSOID["WGS 84",6378137,298.257223563]],CS[ellipsoidal,2],AXIS["lat",north],AXIS["lon",east],ANGLEUNIT["degree",0.0174532925199433],ID["EPSG",4326]]`
	)
	dir := t.TempDir()
	file := func(name, wkt string) {
		t.Helper()
		text, err := json.Marshal(wkt)
		if err != nil {
			t.Fatal(err)
		}
		makeFileOf(t, filepath.Join(dir, name+".hdf5"), pipetest.File{Vars: []pipetest.Var{{
			Name: "m", DType: "int16", Shape: []int{2, 1}, Dims: []string{"y", "x"}, Attrs: raw("geotransform", "[5.0,1.0,0.0,4.0,0.0,-1.0]", "crs_wkt", string(text)),
		}}}, dtype.Bytes([]int16{1, 2}))
	}
	file("a", v1)
	file("b", v2)
	file("c", strings.Replace(v1, `"Greenwich",0`, `"Paris",2.5969213`, 1))
	mustRun(t, dir, "import @/a.hdf5 @/maps --append time")
	mustRun(t, dir, "import @/b.hdf5 @/maps --append time")
	if code, text := tryRun(dir, "import @/c.hdf5 @/maps --append time"); code == 0 || !strings.Contains(text, `coordinate system is "WGS 84", that of`) {
		t.Errorf("exit %d, %s", code, text)
	}
	for name, attrs := range map[string][]string{
		"cf":    {"grid_mapping_name", `"latitude_longitude"`, "semi_major_axis", "6378137.0", "inverse_flattening", "298.257223563", "long_name", `"of CF"`},
		"gdal":  {"spatial_ref", strconv.Quote(v2), "crs_wkt", strconv.Quote(v2), "grid_mapping_name", `"latitude_longitude"`, "long_name", `"of GDAL"`},
		"other": {"grid_mapping_name", `"latitude_longitude"`, "semi_major_axis", "6378137.0", "inverse_flattening", "299.0"},
	} {
		day := map[string]int32{"cf": 0, "gdal": 1, "other": 2}[name]
		makeFileOf(t, filepath.Join(dir, name+".hdf5"), pipetest.File{Vars: []pipetest.Var{
			{Name: "time", DType: "int32", Shape: []int{1}, Dims: []string{"time"}, Attrs: raw("units", `"days since 2000-01-01"`)},
			{Name: "crs", DType: "int32", Attrs: raw(attrs...)},
			{Name: "r", DType: "int16", Shape: []int{1, 2}, Dims: []string{"time", "x"}, Attrs: raw("grid_mapping", `"crs"`)},
		}}, dtype.Bytes([]int32{day}), dtype.Bytes([]int32{0}), dtype.Bytes([]int16{1, 2}))
	}
	mustRun(t, dir, "import @/cf.hdf5 @/W")
	mustRun(t, dir, "import @/gdal.hdf5 @/W --append time")
	if code, text := tryRun(dir, "import @/other.hdf5 @/W --append time"); code == 0 || !strings.Contains(text, "grid mapping crs: its coordinate system is") {
		t.Errorf("exit %d, %s", code, text)
	}
}

// The attributes of a file, and of the group of its only variable, must become those of the array;
// a note must name those that cannot.
func TestAttributesOfFile(t *testing.T) {
	dir := t.TempDir()
	makeFileOf(t, filepath.Join(dir, "a.hdf5"), pipetest.File{
		Attrs:  raw("title", `"of the file"`, "history", `"of the file"`, "units", `"K"`, "scale_factor", "2.0", "Conventions", `"CF-1.8"`),
		Groups: map[string]map[string]json.RawMessage{"g": raw("title", `"of the group"`, "who", `"me"`)},
		Vars:   []pipetest.Var{{Name: "g/v", DType: "int16", Shape: []int{2}, Dims: []string{"x"}, Attrs: raw("history", `"its own"`, "Conventions", `"CF-1.6"`)}},
	}, dtype.Bytes([]int16{1, 2}))
	code, text := tryRun(dir, "import @/a.hdf5 @/v")
	if code != 0 || !strings.Contains(text, "without the attributes history, scale_factor, title, units of the file as a whole") {
		t.Errorf("exit %d, %s", code, text)
	}
	a, err := drx.Open(filepath.Join(dir, "v"), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if got := fmt.Sprintf("%s", a.Attrs()); !strings.Contains(got, `"of the group"`) || !strings.Contains(got, `"me"`) || strings.Contains(got, "scale_factor") {
		t.Error(got)
	}
}

// printedJSON runs the program in this process and returns its output as JSON.
func printedJSON(args ...string) (string, error) {
	var out, errs bytes.Buffer
	if code := run(context.Background(), append(args, "--json"), strings.NewReader(""), &out, &errs); code != 0 {
		return "", fmt.Errorf("%s: exit %d: %s", strings.Join(args, " "), code, &errs)
	}
	return out.String(), nil
}
