package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A day that was appended late must move to its position, in a dataset of either form and in a copy
// of one variable.
func TestCopySorts(t *testing.T) {
	dir := grids(t, map[string]grid{"b": {time: []int32{2}}, "c": {time: []int32{4, 6}}, "late": {time: []int32{5, 3}}, "missing": {time: []int32{-99}}})
	mustRun(t, dir, "import @/b.hdf5 @/c.hdf5 @/W --append time")
	label := func(array, names string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "labels"), []byte(strings.ReplaceAll(names, " ", "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		mustRun(t, dir, "labels @/"+array+" --dim time --delete --set-from @/labels")
	}
	label("W/r", "d0 d1 d2 d4 d6")
	mustRun(t, dir, "cp @/W @/W.drx")
	want := "read 2000-01-01,0 2000-01-02,1 2000-01-03,2 2000-01-04,3 2000-01-05,4 2000-01-06,5 2000-01-07,6"
	for _, name := range []string{"W", "W.drx"} {
		mustRun(t, dir, "import @/late.hdf5 @/"+name+" --append time --any-order")
		if code, text := tryRun(dir, "copy @/"+name+" @/no --sort time"); code == 0 || !strings.Contains(text, "label all or none") {
			t.Errorf("%s: labels of some indices: exit %d, %s", name, code, text)
		}
		label(name+"/r", "d0 d1 d2 d4 d6 d5 d3")
		for _, to := range []string{"S", "S.drx"} {
			mustRun(t, dir, "copy @/"+name+" @/"+to+" --sort time")
			got := "read " + strings.Join(strings.Fields(output(t, dir, "read @/"+to+"/time --csv"))[1:], " ")
			if got != want {
				t.Errorf("%s to %s: %s, want %s", name, to, got, want)
			}
			if got := output(t, dir, "read @/"+to+"/r --csv"); !strings.HasSuffix(got, "\nd2,2,2,2\nd3,3,3,3\nd4,4,4,4\nd5,5,5,5\nd6,6,6,6\n") {
				t.Errorf("%s to %s: %s", name, to, got)
			}
			mustRun(t, dir, "rm @/"+to)
		}
		label(name+"/r", "")
		mustRun(t, dir, "copy @/"+name+"/r @/R --sort time --sel time=2000-01-02..2000-01-06,lat=50.1")
		if got := output(t, dir, "read @/R --csv"); !strings.HasSuffix(got, "\n2000-01-02,1\n2000-01-03,2\n2000-01-04,3\n2000-01-05,4\n2000-01-06,5\n") {
			t.Errorf("%s: one variable: %s", name, got)
		}
		mustRun(t, dir, "rm @/R")
	}
	mustRun(t, dir, "import @/missing.hdf5 @/W --append time --any-order")
	before := filesIn(t, dir)
	for line, says := range map[string]string{
		"copy @/W @/S --sort time":             "index 7 has no value",
		"copy @/W @/S --sort tim":              `no dimension "tim"`,
		"copy @/W @/S --sort time --chunk 2,2": "leave out --chunk",
		"copy @/W/lat @/S --sort time":         `no dimension "time"`,
		"copy @/W.drx @/W --sort time":         "exists",
		"copy @/W/r @/S --sort time --dtype q": "no such type",
	} {
		if code, text := tryRun(dir, line); code == 0 || !strings.Contains(text, says) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
	}
	if after := filesIn(t, dir); !slices.Equal(before, after) {
		t.Errorf("%s: left are %v", filepath.Base(dir), after)
	}
}
