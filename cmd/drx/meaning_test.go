package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats/pipe/pipetest"
)

// Appended elements must mean in the dataset what they mean in the file, or be refused with an
// error that says what differs.
func TestImportAppendKeepsMeaning(t *testing.T) {
	file := func(hour string, attrs map[string]string, lat []float64, fill int16, elements ...int16) (pipetest.File, [][]byte) {
		f := pipetest.File{Vars: []pipetest.Var{
			{Name: "time", DType: "int32", Shape: []int{1}, Dims: []string{"time"}, Attrs: raw("units", fmt.Sprintf("%q", hour)), Fill: []byte{157, 255, 255, 255}},
			{Name: "lat", DType: "float64", Shape: []int{len(lat)}, Dims: []string{"lat"}},
			{Name: "t", DType: "int16", Shape: []int{1, len(lat)}, Dims: []string{"time", "lat"}, Attrs: raw(), Fill: dtype.Bytes([]int16{fill})},
		}}
		for name, value := range attrs {
			f.Vars[2].Attrs[name] = []byte(value)
		}
		return f, [][]byte{dtype.Bytes([]int32{24}), dtype.Bytes(lat), dtype.Bytes(elements)}
	}
	const first, later = "hours since 2024-01-01", "hours since 2024-01-02"
	packed := func(scale, units string) map[string]string {
		return map[string]string{"scale_factor": scale, "units": fmt.Sprintf("%q", units)}
	}
	lat := []float64{50, 60}
	for name, c := range map[string]struct {
		hour  string
		attrs map[string]string
		lat   []float64
		fill  int16
		in    []int16
		want  string // the appended row, or a part of the error
		flags string
	}{
		"same":            {later, packed("0.01", "K"), lat, -9, []int16{100, -9}, "100,-9", ""},
		"other packing":   {later, packed("0.02", "K"), lat, -1, []int16{100, -1}, "200,-9", ""},
		"does not fit":    {later, packed("20", "K"), lat, -1, []int16{100, -1}, "does not fit", ""},
		"degC":            {later, packed("0.01", "degC"), lat, -1, []int16{100, -1}, "27415,-9", ""},
		"as stored":       {later, packed("0.02", "degC"), lat, -1, []int16{100, -1}, "100,-1", "--as-stored"},
		"other dimension": {later, packed("0.01", "m"), lat, -9, []int16{100, -9}, `units is "m", that of`, ""},
		"no time":         {"2", packed("0.01", "K"), lat, -9, []int16{100, -9}, `units is "2"`, ""},
		"months":          {"months since 2024-01-01", packed("0.01", "K"), lat, -9, []int16{100, -9}, "the length of a month varies", ""},
		"reversed":        {later, packed("0.01", "K"), []float64{60, 50}, -9, []int16{100, -9}, "coordinate lat: is reversed", ""},
		"shifted":         {later, packed("0.01", "K"), []float64{50.5, 60.5}, -9, []int16{100, -9}, "coordinate lat: is shifted by 0.5", ""},
		"last digit":      {later, packed("0.01", "K"), []float64{50.00000000000001, 60}, -9, []int16{100, -9}, "100,-9", ""},
		"twice":           {first, packed("0.01", "K"), lat, -9, []int16{100, -9}, "in", ""},
	} {
		dir := t.TempDir()
		f, elements := file(first, packed("0.01", "K"), lat, -9, 1, 2)
		makeFileOf(t, filepath.Join(dir, "a.hdf5"), f, elements...)
		mustRun(t, dir, "import @/a.hdf5 @/W")
		f, elements = file(c.hour, c.attrs, c.lat, c.fill, c.in...)
		makeFileOf(t, filepath.Join(dir, "b.hdf5"), f, elements...)
		code, text := tryRun(dir, "import @/b.hdf5 @/W --append time "+c.flags)
		if code == 0 {
			text = output(t, dir, "read @/W/t --section 1,: --csv")
			if lines := strings.Split(strings.TrimSpace(text), "\n"); !strings.HasSuffix(lines[len(lines)-1], ","+c.want) {
				t.Errorf("%s: got %s, want %s", name, text, c.want)
			}
		} else if !strings.Contains(text, c.want) {
			t.Errorf("%s: exit %d, %s", name, code, text)
		}
	}
	// A missing time has no position.
	dir := t.TempDir()
	f, elements := file(first, packed("0.01", "K"), lat, -9, 1, 2)
	makeFileOf(t, filepath.Join(dir, "a.hdf5"), f, elements...)
	mustRun(t, dir, "import @/a.hdf5 @/W")
	elements[0] = dtype.Bytes([]int32{-99})
	makeFileOf(t, filepath.Join(dir, "b.hdf5"), f, elements...)
	if code, text := tryRun(dir, "import @/b.hdf5 @/W --append time"); code == 0 || !strings.Contains(text, "value 0 is missing (-99)") {
		t.Errorf("a missing time: exit %d, %s", code, text)
	}
}

// read, sum and view must leave out the elements that the attributes mark, and treat unsigned
// elements as such.
func TestSumKnowsMissingAndUnsigned(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, dir, "create @/A --dtype int16 --shape 4")
	mustRun(t, dir, "attr @/A missing_value=[-999,-998] scale_factor=0.5")
	mustRun(t, dir, "fill @/A --value 4")
	mustRun(t, dir, "fill @/A --section 1 --value=-999")
	mustRun(t, dir, "fill @/A --section 2 --value=-998")
	if text := output(t, dir, "sum @/A --quiet"); !strings.HasSuffix(strings.TrimSpace(text), "\n4") {
		t.Errorf("the sum is %s, want 4", text)
	}
	mustRun(t, dir, "create @/U --dtype int8 --shape 2")
	mustRun(t, dir, "attr @/U _Unsigned=true")
	mustRun(t, dir, "fill @/U --value=-1")
	if text := output(t, dir, "sum @/U --quiet"); !strings.HasSuffix(strings.TrimSpace(text), "\n510") {
		t.Errorf("the sum is %s, want 510", text)
	}
	mustRun(t, dir, "create @/Z --dtype int8 --shape 3")
	mustRun(t, dir, "attr @/Z _FillValue=0")
	mustRun(t, dir, "fill @/Z --section 1 --value 6")
	if text := output(t, dir, "sum @/Z --mean --quiet"); !strings.HasSuffix(strings.TrimSpace(text), "\n6") {
		t.Errorf("the mean is %s, want 6: zeros are missing", text)
	}
}

// Every verb must refuse numbers of another quantity with the same units: a mean is not a maximum.
func TestOtherQuantitiesAreRefused(t *testing.T) {
	write := func(path string, hour int32, attrs map[string]string) {
		f := pipetest.File{Vars: []pipetest.Var{
			{Name: "time", DType: "int32", Shape: []int{1}, Dims: []string{"time"}, Attrs: raw("units", `"hours since 2024-01-01"`, "standard_name", `"time"`)},
			{Name: "t", DType: "int16", Shape: []int{1, 2}, Dims: []string{"time", "x"}, Attrs: raw("units", `"K"`)},
		}}
		for name, value := range attrs {
			f.Vars[1].Attrs[name] = fmt.Appendf(nil, "%q", value)
		}
		makeFileOf(t, path, f, dtype.Bytes([]int32{hour}), dtype.Bytes([]int16{7, 8}))
	}
	dir := t.TempDir()
	first := map[string]string{"standard_name": "air_temperature", "cell_methods": "time: mean", "positive": "up"}
	write(filepath.Join(dir, "a.hdf5"), 1, first)
	for _, name := range []string{"standard_name", "cell_methods", "positive", "long_name"} {
		other := maps.Clone(first)
		other[name] = map[string]string{"standard_name": "sea_surface_temperature", "cell_methods": "time: maximum", "positive": "down", "long_name": "?"}[name]
		write(filepath.Join(dir, "b.hdf5"), 1, other)
		write(filepath.Join(dir, "c.hdf5"), 2, other)
		for _, verb := range []string{
			"import @/c.hdf5 @/W --append time", "append @/W/t --dim time --var t @/c.hdf5", "reserve @/W/t --dim time --var t @/c.hdf5",
			"write @/W @/b.hdf5", "write @/W/t --var t @/b.hdf5", "append @/created --dim time --var t @/c.hdf5",
		} {
			mustRun(t, dir, "import @/a.hdf5 @/W")
			mustRun(t, dir, "append @/created --dim time --var t --create @/a.hdf5")
			code, text := tryRun(dir, verb)
			want := fmt.Sprintf("%s is %q, that of", name, other[name])
			if name != "cell_methods" {
				want = strings.ReplaceAll(want, `"`, "")
			}
			switch refused := strings.Contains(text, want) && strings.Contains(text, "--as-stored takes the numbers as they are"); {
			case name == "long_name" && code != 0, name != "long_name" && (code == 0 || !refused):
				t.Errorf("%s, %s: exit %d, %s", name, verb, code, text)
			case name != "long_name":
				mustRun(t, dir, verb+" --as-stored")
			}
			mustRun(t, dir, "rm @/W")
			mustRun(t, dir, "rm @/created")
		}
	}
}

// append, reserve and write must report the units in which they have compared the coordinates of a
// file, as import does.
func TestComparedUnitsAreNoted(t *testing.T) {
	for _, narrow := range []bool{false, true} { // float32 is compared with float64
		write := func(path string, hour int32, units string, x ...float64) {
			f := pipetest.File{Vars: []pipetest.Var{
				{Name: "time", DType: "int32", Shape: []int{1}, Dims: []string{"time"}, Attrs: raw("units", `"hours since 2024-01-01"`)},
				{Name: "x", DType: "float64", Shape: []int{2}, Dims: []string{"x"}, Attrs: raw("units", `"`+units+`"`)},
				{Name: "t", DType: "int16", Shape: []int{1, 2}, Dims: []string{"time", "x"}, Attrs: raw("units", `"K"`)},
			}}
			elements := dtype.Bytes(x)
			if narrow && units == "m" {
				f.Vars[1].DType, elements = "float32", dtype.Bytes([]float32{float32(x[0]), float32(x[1])})
			}
			makeFileOf(t, path, f, dtype.Bytes([]int32{hour}), elements, dtype.Bytes([]int16{7, 8}))
		}
		dir := t.TempDir()
		write(filepath.Join(dir, "a.hdf5"), 1, "km", 1, 2)
		write(filepath.Join(dir, "b.hdf5"), 1, "m", 1000, 2000)
		write(filepath.Join(dir, "c.hdf5"), 2, "m", 1000, 2000)
		for _, line := range []string{
			"import @/c.hdf5 @/W --append time", "append @/W/t --dim time --var t @/c.hdf5", "reserve @/W/t --dim time --var t @/c.hdf5",
			"write @/W @/b.hdf5", "write @/W/t --var t @/b.hdf5",
		} {
			mustRun(t, dir, "import @/a.hdf5 @/W")
			code, text := tryRun(dir, line)
			if note := `values in "m" become those in "km"`; code != 0 || strings.Count(text, note) != 1 {
				t.Errorf("%s: exit %d, %s, want one note %s", line, code, text, note)
			}
			mustRun(t, dir, "rm @/W")
		}
	}
}

// If the signs of integers differ, the error must say so, and what helps.
func TestOtherSignsAreNamed(t *testing.T) {
	write := func(path, unsigned string) {
		f := pipetest.File{Vars: []pipetest.Var{{Name: "t", DType: "int8", Shape: []int{2}, Dims: []string{"x"}, Attrs: raw("_Unsigned", `"`+unsigned+`"`)}}}
		makeFileOf(t, path, f, dtype.Bytes([]int8{-7, 8}))
	}
	dir := t.TempDir()
	write(filepath.Join(dir, "a.hdf5"), "true")
	write(filepath.Join(dir, "b.hdf5"), "false")
	mustRun(t, dir, "import @/a.hdf5 @/A")
	for _, line := range []string{"append @/A --dim x @/b.hdf5", "write @/A @/b.hdf5"} {
		code, text := tryRun(dir, line)
		if code == 0 || !strings.Contains(text, "b.hdf5: holds int8, ") || !strings.Contains(text, "A holds int8 with _Unsigned: give both the same attribute _Unsigned; --as-stored takes") {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
		mustRun(t, dir, line+" --as-stored")
		mustRun(t, dir, line+" --clip")
	}
}

// The only variable of a file may have no name, such as a raster's: errors must then name only the
// file.
func TestErrorsOfVariablesWithoutNames(t *testing.T) {
	write := func(path, place string) {
		f := pipetest.File{Vars: []pipetest.Var{{DType: "int16", Shape: []int{1, 2}, Dims: []string{"y", "x"}, Attrs: raw("geotransform", place)}}}
		makeFileOf(t, path, f, dtype.Bytes([]int16{7, 8}))
	}
	dir := t.TempDir()
	write(filepath.Join(dir, "a.hdf5"), "[500.0,30.0,0.0,400.0,0.0,-30.0]")
	write(filepath.Join(dir, "b.hdf5"), "[590.0,30.0,0.0,370.0,0.0,-30.0]")
	mustRun(t, dir, "import @/a.hdf5 @/A")
	for _, line := range []string{"import @/b.hdf5 @/A --append y", "append @/A --dim y @/b.hdf5", "write @/A @/b.hdf5"} {
		if code, text := tryRun(dir, line); code == 0 || !strings.Contains(text, "b.hdf5: geotransform is [590") {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
	}
}

// The variables that the attribute coordinates names locate elements, so they must be compared, in
// their units, even scalars. Forecasts with other lengths must be joined, with a note.
func TestNamedCoordinatesAreCompared(t *testing.T) {
	write := func(path string, hour int32, c pipetest.Var, elements []byte) {
		c.Name = "c"
		makeFileOf(t, path, pipetest.File{Vars: []pipetest.Var{
			{Name: "time", DType: "int32", Shape: []int{1}, Dims: []string{"time"}, Attrs: raw("units", `"hours since 2024-01-01"`)},
			c,
			{Name: "t", DType: "int16", Shape: []int{1, 2}, Dims: []string{"time", "x"}, Attrs: raw("coordinates", `"c"`)},
		}}, dtype.Bytes([]int32{hour}), elements, dtype.Bytes([]int16{7, 8}))
	}
	numbers := func(units string) pipetest.Var { return pipetest.Var{DType: "float64", Attrs: raw("units", units)} }
	along := func(units string) pipetest.Var {
		return pipetest.Var{DType: "float64", Shape: []int{2}, Dims: []string{"x"}, Attrs: raw("units", units)}
	}
	member := func(name string) pipetest.Var { return pipetest.Var{DType: "uint8", Labels: []string{name}} }
	floats := func(x ...float64) []byte { return dtype.Bytes(x) }
	for name, c := range map[string]struct {
		first         pipetest.Var
		elements      []byte
		second        pipetest.Var
		others        []byte
		says          string // a part of the error, or of the note
		note, nothing bool
	}{
		"other height":    {numbers(`"m"`), floats(2), numbers(`"m"`), floats(10), "coordinate c: its value is 10, that of", false, false},
		"same height":     {numbers(`"m"`), floats(2), numbers(`"m"`), floats(2), "", false, true},
		"other units":     {numbers(`"hPa"`), floats(500), numbers(`"Pa"`), floats(50000), "", false, true},
		"units alone":     {numbers(`"hPa"`), floats(500), numbers(`"Pa"`), floats(500), "its value is 500 Pa, that of", false, false},
		"unknown units":   {numbers(`"m"`), floats(2), numbers(`"level"`), floats(2), `units is "level", that of`, false, false},
		"other member":    {member("r1"), []byte{0}, member("r2"), []byte{0}, "its value is r2, that of", false, false},
		"same member":     {member("r1"), []byte{0}, member("r1"), []byte{0}, "", false, true},
		"longer forecast": {numbers(`"hours"`), floats(6), numbers(`"hours"`), floats(12), "has other values; it ", true, false},
		"other places":    {along(`"km"`), floats(1, 2), along(`"m"`), floats(1, 2), "element 0 is 1 m, that of", false, false},
		"same places":     {along(`"km"`), floats(1, 2), along(`"m"`), floats(1000, 2000), "", false, true},
	} {
		dir := t.TempDir()
		write(filepath.Join(dir, "a.hdf5"), 1, c.first, c.elements)
		write(filepath.Join(dir, "b.hdf5"), 1, c.second, c.others)
		write(filepath.Join(dir, "c.hdf5"), 2, c.second, c.others)
		write(filepath.Join(dir, "d.hdf5"), 3, c.first, c.elements)
		for _, line := range []string{
			"import @/c.hdf5 @/W --append time", "append @/W/t --dim time --var t @/c.hdf5", "reserve @/W/t --dim time --var t @/c.hdf5",
			"write @/W @/b.hdf5", "write @/W/t --var t @/b.hdf5",
		} {
			mustRun(t, dir, "import @/a.hdf5 @/W")
			// Otherwise the file would have all times, and its scalar would be written, not compared.
			if strings.HasPrefix(line, "write @/W @") {
				mustRun(t, dir, "import @/d.hdf5 @/W --append time")
			}
			code, text := tryRun(dir, line)
			if (code == 0) != (c.note || c.nothing) || !strings.Contains(text, c.says) {
				t.Errorf("%s: %s: exit %d, %s, want %q", name, line, code, text, c.says)
			}
			mustRun(t, dir, "rm @/W")
		}
	}
}

// CSV contains the stored numbers, and a note must say so if some of them are missing.
func TestStoredNumbersOfCSVAreNoted(t *testing.T) {
	dir := t.TempDir()
	const note = "CSV has the numbers as they are stored, without NaN for what"
	for attrs, noted := range map[string]bool{
		"missing_value=-999": true, "_FillValue=-999": true, "nodata=-999": true, "missing_value=[-999,7]": true, "nodata=[-999,5]": true,
		"units=K": false, "missing_value=2000000": false, // int16 does not have it
	} {
		mustRun(t, dir, "create @/A --dtype int16 --shape 2,2 --dims band,x")
		mustRun(t, dir, "attr @/A "+attrs)
		for _, flag := range []string{"--csv", "--long"} {
			if _, text := tryRun(dir, "read @/A "+flag); strings.Contains(text, note) != noted {
				t.Errorf("%s %s: %s", attrs, flag, text)
			}
		}
		mustRun(t, dir, "rm @/A")
	}
	// A table has NaN for all of them.
	mustRun(t, dir, "create @/A --dtype int16 --shape 2")
	mustRun(t, dir, "attr @/A nodata=-999")
	mustRun(t, dir, "fill @/A --section 1 --value=-999")
	if text := output(t, dir, "read @/A"); !strings.Contains(text, "NaN") {
		t.Errorf("the table is %s, want NaN for nodata", text)
	}
}

// A file without attributes loses the marks of missing values. A note must say so, unless the mark
// is NaN.
func TestLostMarksAreNoted(t *testing.T) {
	dir := t.TempDir()
	const note = "have no missing values"
	for i, c := range []struct {
		dtype, attr, form string
		noted             bool
	}{
		{"float64", "_FillValue=NaN", "csv", false},
		{"float64", "missing_value=NaN", "npy", false},
		{"int16", "nodata=-999", "csv", false}, // it uses NaN
		{"int16", "nodata=-999", "npy", true},
		{"float32", "nodata=-999", "npy", true},
		{"int64", "nodata=-999", "csv", true},
		{"int64", "_FillValue=-999", "csv", true},
	} {
		name := fmt.Sprintf("A%d", i)
		mustRun(t, dir, "create @/"+name+" --dtype "+c.dtype+" --shape 2")
		mustRun(t, dir, "attr @/"+name+" "+c.attr)
		if code, text := tryRun(dir, "export @/"+name+" @/"+name+"."+c.form); code != 0 || strings.Contains(text, note) != c.noted {
			t.Errorf("%s with %s as %s: exit code %d, %s", c.dtype, c.attr, c.form, code, text)
		}
	}
}

// An exported table must have NaN for everything that attributes mark as missing, except for
// integers of 64 bits.
func TestExportedTablesHaveNaN(t *testing.T) {
	dir := t.TempDir()
	for _, dtype := range []string{"int16", "float32", "int64"} {
		for _, attr := range []string{"nodata=-999", "missing_value=-999", "_FillValue=-999"} {
			mustRun(t, dir, "create @/A --dtype "+dtype+" --shape 2")
			mustRun(t, dir, "attr @/A "+attr)
			mustRun(t, dir, "fill @/A --section 1 --value=-999")
			file := dtype + attr + ".csv"
			mustRun(t, dir, "export @/A @/"+file)
			table, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			want := "0\nNaN\n"
			if dtype == "int64" {
				want = "0\n-999\n"
			}
			if string(table) != want {
				t.Errorf("%s with %s: the table is %q, want %q", dtype, attr, table, want)
			}
			mustRun(t, dir, "rm @/A")
		}
	}
}
