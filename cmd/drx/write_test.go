package main

import (
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats/pipe/pipetest"
)

// A file must be written to the indices of its coordinates, in a dataset and in one of its
// variables, and nowhere else.
func TestWriteByCoordinates(t *testing.T) {
	lat := []float64{50.1, 60.2, 70.3}
	days := func(r float32, time []int32, lat ...float64) grid {
		g := grid{time: time, lat: lat}
		for i := range len(time) * len(lat) {
			g.r = append(g.r, r+float32(i))
		}
		return g
	}
	dir := grids(t, map[string]grid{
		"b": {time: []int32{2, 3}}, "day": days(100, []int32{1}, lat...), "two": days(200, []int32{1, 2}, lat...),
		"region": days(300, []int32{2, 3}, lat[1:]...), "gap": days(400, []int32{0, 2}, lat...), "turned": days(500, []int32{2, 1}, lat...),
		"all": days(600, []int32{3, 2, 1, 0}, lat...), "new": days(700, []int32{3, 4}, lat...), "reversed": days(800, []int32{1}, 70.3, 60.2, 50.1),
		"permuted": days(800, []int32{1}, 60.2, 50.1, 70.3), "shifted": days(900, []int32{1}, 50.6, 60.7, 70.8),
	})
	mustRun(t, dir, "import @/b.hdf5 @/W --append time")
	before := describeAll(t, filepath.Join(dir, "W"))
	for _, c := range []struct{ flags, file, want string }{
		{"", "day", "0,0,0 100,101,102 2,2,2 3,3,3"},
		{"--sel time=2000-01-02", "day", "0,0,0 100,101,102 2,2,2 3,3,3"},
		{"--sel time=2000-01-02T05 --method nearest", "day", "0,0,0 100,101,102 2,2,2 3,3,3"},
		{"", "two", "0,0,0 200,201,202 203,204,205 3,3,3"},
		{"--sel time=2000-01-02..2000-01-03", "two", "0,0,0 200,201,202 203,204,205 3,3,3"},
		{"", "region", "0,0,0 1,1,1 2,300,301 3,302,303"},
		{"--sel lat=60..", "region", "0,0,0 1,1,1 2,300,301 3,302,303"},
		{"--sel time=2000-01-03", "day", "coordinate time: value 0 is 2000-01-02, that of"},
		{"--sel time=2000-01-02", "two", "time"},
		{"--sel time=2000-01-02|2000-01-04", "two", "write one part after the other write them one part after the other"},
		{"--sel lat=50..61", "region", "coordinate lat: is shifted by 10.1"},
		{"--sel time=2001", "day", "no value is in 2001"},
		{"", "gap", "are in ... but not next to each other"},
		{"", "turned", "coordinate time: is reversed: it has 2000-01-03 .. 2000-01-02"},
		{"", "all", "coordinate time: is reversed: value 0 is 2000-01-04"},
		{"", "new", "value 1 is 2000-01-05, which ... does not have"},
		{"", "reversed", "coordinate lat: is reversed"},
		{"--sel time=2000-01-02", "reversed", "coordinate lat: is reversed"},
		{"", "permuted", "coordinate lat: is permuted"},
		{"", "shifted", "coordinate lat: is shifted by 0.5"},
	} {
		for _, line := range []string{"write @/W @/" + c.file + ".hdf5 ", "write @/W/r --var r @/" + c.file + ".hdf5 "} {
			code, text := tryRun(dir, line+c.flags)
			if code != 0 {
				found := false
				for _, words := range []string{c.want, "write one part after the other", "write them one part after the other"} {
					parts := strings.Split(words, " ... ")
					found = found || strings.Contains(c.want, words) && strings.Contains(text, parts[0]) && strings.Contains(text, parts[len(parts)-1])
				}
				if !found || strings.Count(text, "\n") != 1 {
					t.Errorf("%s%s: exit %d, %s, want %s", line, c.flags, code, text, c.want)
				}
				if after := describeAll(t, filepath.Join(dir, "W")); after != before {
					t.Errorf("%s%s: W has changed", line, c.flags)
				}
				continue
			}
			got := strings.Fields(output(t, dir, "read @/W/r --csv"))[1:]
			for i, row := range got {
				_, got[i], _ = strings.Cut(row, ",")
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s%s: %s, want %s", line, c.flags, got, c.want)
			}
			for _, file := range []string{"a", "b"} { // as before
				mustRun(t, dir, "write @/W @/"+file+".hdf5")
			}
		}
	}
	for line, says := range map[string]string{
		"write @/W @/day.hdf5 --at 1,0":                                 "are for one array",
		"write @/W @/day.hdf5 --clip":                                   "are for one array",
		"write @/W @/day.hdf5 --sel lon=2":                              `has a dimension "lon"`,
		"write @/W @/day.hdf5 --var q":                                  "no such variable",
		"write @/W/r @/day.hdf5 --var r --at 1,0 --sel time=2000-01-02": "leave out --sel",
		"write @/W/r @/day.hdf5 --var r --at 2,0":                       "value 0 is 2000-01-02, that of",
		"write @/W/time @/turned.hdf5 --var time --at 1":                "2000-01-03 .. 2000-01-02 does not follow",
		"write @/W/time @/two.hdf5 --var time --at 2":                   "is in ",
	} {
		if code, text := tryRun(dir, line); code == 0 || !strings.Contains(text, says) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
	}
	mustRun(t, dir, "write @/W/r @/day.hdf5 --var r --at 2,0 --as-stored")
	mustRun(t, dir, "write @/W/time @/two.hdf5 --var time --at 1")
}

// A file of a single time, given by a scalar, and packed numbers with bounds must be written to
// their day.
func TestWriteFrame(t *testing.T) {
	file := func(time []int32, frame bool, scale string, r ...int16) (pipetest.File, [][]byte) {
		f := pipetest.File{Vars: []pipetest.Var{
			{Name: "time", DType: "int32", Shape: []int{len(time)}, Dims: []string{"time"}, Attrs: raw("units", `"days since 2000-01-01"`, "bounds", `"time_bnds"`)},
			{Name: "r", DType: "int16", Shape: []int{len(time), 2}, Dims: []string{"time", "x"}, Attrs: raw("scale_factor", scale)},
			{Name: "q", DType: "int16", Shape: []int{2}, Dims: []string{"x"}},
		}}
		if frame {
			f.Vars[0].Shape, f.Vars[0].Dims = []int{}, nil
			f.Vars[1].Shape, f.Vars[1].Dims = []int{2}, []string{"x"}
		}
		return f, [][]byte{dtype.Bytes(time), dtype.Bytes(r), dtype.Bytes([]int16{7, r[0]})}
	}
	dir := t.TempDir()
	f, elements := file([]int32{0, 1, 2}, false, "0.5", 1, 2, 3, 4, 5, 6)
	makeFileOf(t, filepath.Join(dir, "a.hdf5"), f, elements...)
	mustRun(t, dir, "import @/a.hdf5 @/W")
	f, elements = file([]int32{1}, true, "0.25", 100, 200)
	makeFileOf(t, filepath.Join(dir, "f.hdf5"), f, elements...)
	for _, line := range []string{"write @/W @/f.hdf5", "write @/W/r --var r @/f.hdf5"} {
		mustRun(t, dir, line)
		if got := output(t, dir, "read @/W/r --csv"); !strings.Contains(got, "\n2000-01-02,50,100\n2000-01-03,5,6") {
			t.Errorf("%s: %s", line, got)
		}
		if got := output(t, dir, "read @/W/q --csv"); !strings.HasSuffix(got, "0,7\n1,1\n") {
			t.Errorf("%s: q has no time, and is %s", line, got)
		}
		mustRun(t, dir, "write @/W @/a.hdf5")
	}
}
