package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cut and sort must copy datasets and arrays; --plan must copy nothing; invalid calls must be
// refused.
func TestCutAndSort(t *testing.T) {
	dir := grids(t, map[string]grid{"b": {time: []int32{2}}, "c": {time: []int32{4, 6}}, "late": {time: []int32{5, 3}}})
	mustRun(t, dir, "import @/b.hdf5 @/c.hdf5 @/W --append time")
	mustRun(t, dir, "import @/late.hdf5 @/W --append time --any-order")
	plan := output(t, dir, "sort @/W @/S --by time --plan")
	if _, err := os.Stat(filepath.Join(dir, "S")); err == nil || !strings.Contains(plan, "lat: 3, 24 B, as it is\n") || !strings.Contains(plan, "S: time 7 of 7, ") {
		t.Errorf("the plan is %s", plan)
	}
	mustRun(t, dir, "sort @/W @/S --by time")
	mustRun(t, dir, "cut @/S @/C.drx --sel time=2000-01-03..2000-01-05 --resume")
	want := "read 2000-01-01,0 2000-01-02,1 2000-01-06,5 2000-01-07,6"
	if got := "read " + strings.Join(strings.Fields(output(t, dir, "read @/C.drx/time --csv"))[1:], " "); got != want {
		t.Errorf("cut: %s, want %s", got, want)
	}
	if err := os.WriteFile(filepath.Join(dir, "L.csv"), []byte("k,m,v\nb,x,1\na,x,2\nc,y,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "append @/L --create --coords k,m --value v @/L.csv")
	mustRun(t, dir, "sort @/L @/L2 --by k")
	mustRun(t, dir, "cut @/L2 @/L3 --sel k=b")
	if got := output(t, dir, "read @/L3 --long"); got != "k,m,value\na,x,2\na,y,NaN\nc,x,NaN\nc,y,3\n" {
		t.Errorf("labels: %s", got)
	}
	for line, says := range map[string]string{
		"cut @/W/r @/no --at time=1":          "belongs to the dataset",
		"cut @/W @/no":                        "select what is to be left out",
		"cut @/W @/no --at time=1,lat=0":      "select indices of one dimension",
		"cut @/W @/no --at tim=1":             `W: no dimension "tim": there are`,
		"cut @/W @/no --sel time=1999":        "/time: ",
		"cut @/W @/no --at time=0:7":          "all indices of time are selected: nothing would be left",
		"cut @/W @/S --at time=1":             "exists",
		"cut @/L @/W --sel k=b":               "there is a dataset of that name",
		"cut @/L @/L2 --sel k=b":              "exists",
		"cut @/L @/L2 --sel k=b --resume":     "remove it to begin again",
		"sort @/W @/W/in --by time":           "which is in it",
		"sort @/W @/W/../W/in --by time":      "which is in it",
		"cut @/W @/no --sel lat=1e9":          "no value is 1e9: the nearest is",
		"sort @/W @/no":                       "needs --by",
		"sort @/W @/no --by tim":              `"tim"`,
		"sort @/W @/no --by lat --memory lot": "--memory",
	} {
		if code, text := tryRun(dir, line); code != 2 && code != 1 || !strings.Contains(text, says) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", line, code, text)
		}
	}
}
