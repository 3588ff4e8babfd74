package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats/pipe/pipetest"
)

// A grid describes a file with a variable r over times and latitudes, for tests that join files.
type grid struct {
	time []int32
	lat  []float64
	dims []string // dimensions of r
	r    []float32
}

// write makes the file.
func (g grid) write(t *testing.T, path string) {
	t.Helper()
	if g.lat == nil {
		g.lat = []float64{50.1, 60.2, 70.3}
	}
	if g.dims == nil {
		g.dims = []string{"time", "lat"}
	}
	shape := []int{len(g.time), len(g.lat)}
	if g.dims[0] == "lat" {
		shape[0], shape[1] = shape[1], shape[0]
	}
	if g.r == nil {
		for _, day := range g.time {
			for range g.lat {
				g.r = append(g.r, float32(day))
			}
		}
	}
	makeFileOf(t, path, pipetest.File{Vars: []pipetest.Var{
		{Name: "time", DType: "int32", Shape: []int{len(g.time)}, Dims: []string{"time"}, Attrs: raw("units", `"days since 2000-01-01"`), Fill: []byte{157, 255, 255, 255}},
		{Name: "lat", DType: "float64", Shape: []int{len(g.lat)}, Dims: []string{"lat"}},
		{Name: "r", DType: "float32", Shape: shape, Dims: g.dims},
	}}, dtype.Bytes(g.time), dtype.Bytes(g.lat), dtype.Bytes(g.r))
}

// grids makes files by their names, and a dataset W with the first two days.
func grids(t *testing.T, files map[string]grid) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files["a"] = grid{time: []int32{0, 1}}
	for name, g := range files {
		g.write(t, filepath.Join(dir, name+".hdf5"))
	}
	mustRun(t, dir, "import @/a.hdf5 @/W")
	return dir
}

// Every verb must refuse elements that are out of order, that exist already or that belong
// elsewhere. It must change nothing, and say what to do.
func TestOrderOfWhatIsJoined(t *testing.T) {
	dir := grids(t, map[string]grid{
		"b": {time: []int32{2, 3}}, "c": {time: []int32{4, 5}}, "early": {time: []int32{-2, -1}}, "again": {time: []int32{1, 2}},
		"turned": {time: []int32{3, 2}}, "twice": {time: []int32{2, 2}}, "mixed": {time: []int32{2, 5, 4}}, "missing": {time: []int32{2, -99}},
		"reversed": {time: []int32{2}, lat: []float64{70.3, 60.2, 50.1}}, "permuted": {time: []int32{2}, lat: []float64{60.2, 50.1, 70.3}},
		"shifted": {time: []int32{2}, lat: []float64{50.6, 60.7, 70.8}}, "transposed": {time: []int32{2}, dims: []string{"lat", "time"}},
		"longer": {time: []int32{2}, lat: []float64{50.1, 60.2, 70.3, 80.4}},
	})
	before := describeAll(t, filepath.Join(dir, "W"))
	for _, c := range []struct{ files, says string }{
		{"early", "1999-12-30 .. 1999-12-31 does not follow 2000-01-01 .. 2000-01-02"},
		{"again", "2000-01-02 is in " + filepath.Join(dir, "W/time") + " already, at index 1"},
		{"turned", "is reversed: 2000-01-04 .. 2000-01-03 descends"},
		{"twice", "value 1 is 2000-01-03, which is there twice"},
		{"mixed", "value 2 is 2000-01-05 and follows 2000-01-06"},
		{"missing", "value 1 is missing (-99)"},
		{"c b", "2000-01-03 .. 2000-01-04 does not follow 2000-01-01 .. 2000-01-06"},
		{"b b", "2000-01-03 is in " + filepath.Join(dir, "W/time") + " already, at index 2"},
		{"reversed", "coordinate lat: is reversed: value 0 is 70.3"},
		{"permuted", "coordinate lat: is permuted: value 0 is 60.2"},
		{"shifted", "coordinate lat: is shifted by 0.5: value 0 is 50.6"},
		{"transposed", "order is lat, time, that of"},
		{"longer", "lat"},
	} {
		files := " @/" + strings.Join(strings.Fields(c.files), ".hdf5 @/") + ".hdf5 "
		for _, line := range []string{
			"import" + files + "@/W --append time",
			"append @/W/r --dim time --var r" + files,
			"append @/W/time --dim time --var time" + files,
			"reserve @/W/r --dim time --var r" + files,
		} {
			ofTime := strings.Contains(c.says, "200") || strings.Contains(c.says, "value 1 is missing")
			if strings.Contains(line, "W/time") && !ofTime {
				continue
			}
			code, text := tryRun(dir, line)
			if code == 0 || !strings.Contains(text, c.says) || strings.Count(text, "\n") != 1 {
				t.Errorf("%s: exit %d, %s", line, code, text)
			}
			if ofTime && !strings.Contains(text, "--any-order") || !strings.Contains(line, "import") && !ofTime && !strings.Contains(text, "--as-stored") {
				t.Errorf("%s: does not say what to do: %s", line, text)
			}
		}
		if code, _ := tryRun(dir, "import @/a.hdf5"+files+"@/new --append time"); code == 0 || slices.Contains(filesIn(t, dir), "new") {
			t.Errorf("%s: import to a new name: exit %d, and something is left", c.files, code)
		}
	}
	if after := describeAll(t, filepath.Join(dir, "W")); after != before {
		t.Errorf("W has changed: %s", after)
	}
}

// Coordinates may have other types, because programs choose them by the values, if the type of the
// array holds each value.
func TestTypesOfCoordinates(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, typ dtype.DType, lat dtype.DType, days ...float64) {
		encode := func(t dtype.DType, values ...float64) (all []byte) {
			for _, x := range values {
				b, _ := t.EncodeValue(x)
				all = append(all, b...)
			}
			return all
		}
		makeFileOf(t, filepath.Join(dir, name+".hdf5"), pipetest.File{Vars: []pipetest.Var{
			{Name: "time", DType: typ.String(), Shape: []int{len(days)}, Dims: []string{"time"}, Attrs: raw("units", `"days since 2000-01-01"`)},
			{Name: "lat", DType: lat.String(), Shape: []int{2}, Dims: []string{"lat"}},
			{Name: "r", DType: "int8", Shape: []int{len(days), 2}, Dims: []string{"time", "lat"}},
		}}, encode(typ, days...), encode(lat, 50, 60), make([]byte, 2*len(days)))
	}
	types := []dtype.DType{dtype.Int32, dtype.Int64, dtype.Float64, dtype.Int16, dtype.Float32}
	for i, of := range types {
		other := types[(i+1)%len(types)]
		file("a", of, other, 0, 1)
		for _, in := range types {
			file("b", in, of, 2, 3)
			file("same", in, of, 0, 1)
			for _, line := range []string{
				"import @/b.hdf5 @/W --append time", "append @/W/r --dim time --var r @/b.hdf5", "reserve @/W/r --dim time --var r @/b.hdf5",
				"write @/W @/same.hdf5", "write @/W/r --var r @/same.hdf5",
			} {
				mustRun(t, dir, "import @/a.hdf5 @/W")
				grows := !strings.HasPrefix(line, "write")
				code, text := tryRun(dir, line)
				if narrows := of == dtype.Float32 && in == dtype.Float64; (code != 0) != (narrows && grows) || code != 0 && !strings.Contains(text, "convert") {
					t.Errorf("%v onto %v: %s: exit %d, %s", in, of, line, code, text)
				}
				mustRun(t, dir, "rm @/W")
			}
		}
	}
	file("a", dtype.Int32, dtype.Int32, 0, 1)
	file("b", dtype.Float64, dtype.Int32, 2, 3.5)
	mustRun(t, dir, "import @/a.hdf5 @/W")
	for _, line := range []string{"import @/b.hdf5 @/W --append time", "append @/W/r --dim time --var r @/b.hdf5"} {
		if code, text := tryRun(dir, line); code == 0 || !strings.Contains(text, "coordinate time: value 2000-01-04T12:00 is no whole number") {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
	}
}

// A file that continues the coordinate must be appended, also by the verbs for one array, before or
// after its coordinate. If the coordinate does not determine the position, it must be refused.
func TestAppendWithCoordinates(t *testing.T) {
	dir := grids(t, map[string]grid{"b": {time: []int32{2, 3}}, "c": {time: []int32{4, 5}}, "early": {time: []int32{-2, -1}}})
	mustRun(t, dir, "append @/W/r --dim time --var r @/b.hdf5")
	if code, text := tryRun(dir, "append @/W/r --dim time --var r @/b.hdf5"); code == 0 || !strings.Contains(text, "has no values for 2 indices of") {
		t.Errorf("twice before its coordinate: exit %d, %s", code, text)
	}
	mustRun(t, dir, "append @/W/time --dim time --var time @/b.hdf5")
	mustRun(t, dir, "append @/W/time --dim time --var time @/c.hdf5")
	if code, text := tryRun(dir, "append @/W/r --dim time --var r @/b.hdf5"); code == 0 || !strings.Contains(text, "is shifted: value 0 is 2000-01-03, that of") {
		t.Errorf("other values than the coordinate has: exit %d, %s", code, text)
	}
	mustRun(t, dir, "reserve @/W/r --dim time --var r @/c.hdf5")
	mustRun(t, dir, "append @/W/r --dim time --low --var r @/early.hdf5")
	mustRun(t, dir, "append @/W/time --dim time --low --var time @/early.hdf5")
	mustRun(t, dir, "append @/W/r --dim time --any-order --var r @/early.hdf5")
	if got := output(t, dir, "read @/W/r --at lat=0 --csv"); !strings.HasSuffix(got, "1999-12-30,-2\n1999-12-31,-1\n2000-01-01,0\n2000-01-02,1\n2000-01-03,2\n2000-01-04,3\n2000-01-05,4\n2000-01-06,5\n") {
		t.Errorf("%s", got)
	}
}

// Coordinates that differ only in the last digits of the coarser type must count as equal, also
// with --widen, and the array's must be kept.
func TestCoordinatesOfOtherDigits(t *testing.T) {
	dir := grids(t, map[string]grid{"b": {time: []int32{2}}})
	f := pipetest.File{Vars: []pipetest.Var{
		{Name: "time", DType: "int32", Shape: []int{1}, Dims: []string{"time"}, Attrs: raw("units", `"days since 2000-01-01"`)},
		{Name: "lat", DType: "float32", Shape: []int{3}, Dims: []string{"lat"}},
		{Name: "r", DType: "float32", Shape: []int{1, 3}, Dims: []string{"time", "lat"}},
	}}
	for i, flags := range []string{"", " --widen"} {
		makeFileOf(t, filepath.Join(dir, "f.hdf5"), f, dtype.Bytes([]int32{int32(2 + i)}), dtype.Bytes([]float32{50.1, 60.2, 70.3}), dtype.Bytes([]float32{1, 2, 3}))
		mustRun(t, dir, "import @/f.hdf5 @/W --append time"+flags)
	}
	if got := output(t, dir, "read @/W/lat --csv"); strings.Join(strings.Fields(got), " ") != "lat,value 50.1,50.1 60.2,60.2 70.3,70.3" {
		t.Errorf("%s", got)
	}
	for _, c := range []struct {
		lat  []float64
		says string
	}{{[]float64{70.3, 60.2, 50.1}, "that of the file is reversed"}, {[]float64{60.2, 50.1, 70.3}, "that of the file is permuted"}} {
		grid{time: []int32{9}, lat: c.lat}.write(t, filepath.Join(dir, "g.hdf5"))
		if code, text := tryRun(dir, "import @/g.hdf5 @/W --append time --widen"); code == 0 || !strings.Contains(text, c.says) {
			t.Errorf("--widen: exit %d, %s", code, text)
		}
	}
	grid{time: []int32{9}, lat: []float64{60.2, 70.3, 80.4}}.write(t, filepath.Join(dir, "g.hdf5"))
	mustRun(t, dir, "import @/g.hdf5 @/W --append time --widen")
	// A step of the coordinate must never count as a difference in the last digits.
	f.Vars[1].Shape[0], f.Vars[2].Shape[1] = 2, 2
	for i, lat := range [][]float32{{5e6, 5e6 + 0.5}, {5e6 + 0.5, 5e6 + 1}} {
		makeFileOf(t, filepath.Join(dir, "f.hdf5"), f, dtype.Bytes([]int32{int32(i)}), dtype.Bytes(lat), dtype.Bytes([]float32{1, 2}))
		if code, text := tryRun(dir, "import @/f.hdf5 @/N --append time"); i == 1 && (code == 0 || !strings.Contains(text, "is shifted by 0.5")) {
			t.Errorf("neighbouring pixels: exit %d, %s", code, text)
		}
	}
}
