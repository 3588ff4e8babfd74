package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/dataset"
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

// The dimensions of groups are named with the path of the group, in cut, sort and export; an
// interrupted copy says how it goes on.
func TestCutAndSortGroups(t *testing.T) {
	dir := t.TempDir()
	for _, line := range []string{
		"create @/w --dataset", "create @/w.drx --dataset",
	} {
		mustRun(t, dir, line)
	}
	for _, w := range []string{"w", "w.drx"} {
		d, err := dataset.Open(filepath.Join(dir, w), drx.Options{Write: true})
		if err == nil {
			err = errors.Join(d.CreateGroup("sub"), d.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			"create @/w/lat --dtype int8 --shape 2 --dims lat", "create @/w/sub/lat --dtype int8 --shape 4 --dims lat",
			"create @/w/sub/r --dtype int8 --shape 4,2 --dims lat,x",
		} {
			mustRun(t, dir, strings.Replace(line, "@/w", "@/"+w, 1))
		}
		for i, lat := range []string{"3", "1", "4", "2"} {
			mustRun(t, dir, fmt.Sprintf("fill @/%s/sub/lat --at lat=%d --value %s", w, i, lat))
			mustRun(t, dir, fmt.Sprintf("fill @/%s/sub/r --at lat=%d --value %s", w, i, lat))
		}
		mustRun(t, dir, "sort @/"+w+" @/s"+w+" --by sub/lat")
		mustRun(t, dir, "cut @/s"+w+" @/c"+w+" --sel sub/lat=3")
		mustRun(t, dir, "cut @/s"+w+" @/d"+w+" --at sub/lat=1:3,sub/x=0:2")
		mustRun(t, dir, "export @/s"+w+" @/e"+w+".zarr --sel sub/lat=2..3")
		for line, want := range map[string]string{
			"read @/c" + w + "/sub/r --csv --at x=0":         "1 2 4",
			"read @/d" + w + "/sub/r --csv --at x=1":         "1 4",
			"read @/c" + w + "/sub/lat --csv":                "1 2 4",
			"info @/s" + w + " --json":                       "",
			"sort @/" + w + " @/p --by sub/lat --plan":       "",
			"cut @/" + w + " @/p --sel \"sub/lat\"=3 --plan": "",
		} {
			got := output(t, dir, line)
			if want == "" {
				continue
			}
			var values []string
			for _, row := range strings.Fields(got)[1:] {
				values = append(values, row[strings.LastIndex(row, ",")+1:])
			}
			if strings.Join(values, " ") != want {
				t.Errorf("%s: %s, want %s", line, got, want)
			}
		}
		if w != "w" {
			continue
		}
		for line, says := range map[string]string{
			"sort @/" + w + " @/no --by sub/lon":                `no dimension "sub/lon"`,
			"cut @/" + w + " @/no --at other/lat=1":             `no dimension "other/lat"`,
			"cut @/" + w + " @/s" + w + " --sel sub/lat=3":      "exists: choose another name, or remove it first",
			"sort @/" + w + " @/no.nc --by sub/lat":             "'drx export' makes one",
			"cut @/" + w + "/sub/r @/no.nc --at lat=1":          "'drx export' makes one",
			"cp @/" + w + " @/no.h5":                            "'drx export' makes one",
			"mv @/" + w + " @/no.zip":                           "'drx export' makes one",
			"copy @/" + w + "/sub/r @/no.NPY":                   "'drx export' makes one",
			"create @/no.csv --dtype int8 --shape 2":            "'drx export' makes one",
			"convert @/" + w + "/sub/r @/no.tif":                "'drx export' makes one",
			"stats @/" + w + "/sub/r --over x --over lat":       `it is given twice, as "x" and "lat": give it once`,
			"stats @/" + w + "/sub/r --every lat=2 --every x=2": "--every: it is given twice",
			"create @/no --dtype CInt16 --shape 2":              "did you mean complex64?",
			"create @/no --dtype long --shape 2":                "did you mean int32 or int64?",
			"create @/no --dtype LONG --shape 2 --dtype int8":   "--dtype: it is given twice",
		} {
			if code, text := tryRun(dir, line); code != 2 || !strings.Contains(text, says) || strings.Count(text, "\n") != 1 {
				t.Errorf("%s: exit %d, %s", line, code, text)
			}
		}
	}
}

// ls says of the hidden folder of an interrupted copy or unpack what it is, and lists nothing that
// is in it, unless it is named.
func TestLsOfLeftovers(t *testing.T) {
	dir := t.TempDir()
	for _, line := range weather {
		mustRun(t, dir, line)
	}
	stream := packed(t, filepath.Join(dir, "ds"))
	for _, to := range []string{"z", "z.drx"} {
		_, complaint := unpacked(stream[:len(stream)-1], filepath.Join(dir, to))
		if strings.Contains(complaint, ".unpacking") || !strings.Contains(complaint, "goes on") {
			t.Errorf("unpack: %s", complaint)
		}
	}
	mustRun(t, dir, "cp @/ds @/.y.copying")
	got := output(t, dir, "ls @/.")
	for _, want := range []string{
		"z is being unpacked, or that was interrupted; 'drx rm ", "z.drx is being unpacked, ", "y is being made, or that was interrupted", "3 cannot be read",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("ls has no %q: %s", want, got)
		}
	}
	if n := strings.Count(got, "dataset"); n != strings.Count(output(t, dir, "ls @/ds"), "dataset") {
		t.Errorf("ls: %s", got)
	}
	if got := output(t, dir, "ls @/.y.copying"); strings.Contains(got, "interrupted") {
		t.Errorf("ls of a hidden folder: %s", got)
	}
}
