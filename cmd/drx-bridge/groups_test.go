//go:build hdf5 && netcdf && fits && gdal

package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"drx"
	"drx/dataset"
)

// Each dimension of a file with groups keeps its coordinate, and gets none of another dimension, in
// the dataset and in files that are exported and imported again.
func TestDimensionsOfGroups(t *testing.T) {
	const python = "/usr/bin/python3" // the Python for which Debian's packages are installed
	dir := t.TempDir()
	if said, err := exec.Command(python, "testdata/groups.py", dir).CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("apt-get install python3-h5py python3-netcdf4: %v\n%s", err, said)
		}
		t.Skip("python3-h5py or python3-netcdf4 is not there")
	}
	program := buildPrograms(t)
	outer := map[string]string{
		"x": "x", "r": "x", "inner/q": "x", "other/q": "other/x", "same/q": "same/x", "longer/q": "longer/x", "longer/deep/q": "longer/x",
	}
	scales := map[string]string{
		"coords/lat": "coords/lat", "fine/lat": "fine/lat", "data/t": "coords/lat", "data/u": "fine/lat", "top": "fine/lat",
	}
	for file, want := range map[string]map[string]string{
		"outer.nc": outer, "outer.h5": outer, "scales.h5": scales,
		"lateral.nc": {"coords/lat": "coords/lat", "data/t": "coords/lat"},
	} {
		ds := filepath.Join(t.TempDir(), "d")
		runProgram(t, program, "import", filepath.Join(dir, file), ds)
		checkDims(t, file, ds, want)
		for _, to := range []string{"b.nc", "b.h5"} {
			if file == "scales.h5" && to == "b.nc" { // there is one lat for all variables of a group
				continue
			}
			again, out := filepath.Join(t.TempDir(), "d"), filepath.Join(t.TempDir(), to)
			runProgram(t, program, "export", ds, out)
			runProgram(t, program, "import", out, again)
			checkDims(t, file+" as "+to, again, want)
		}
	}
}

func runProgram(t *testing.T, program string, args ...string) {
	t.Helper()
	if said, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, said)
	}
}

// checkDims compares the only dimension of each variable.
func checkDims(t *testing.T, name, folder string, want map[string]string) {
	t.Helper()
	d, err := dataset.Open(folder, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }() // nothing was written
	if names := slices.Sorted(maps.Keys(want)); !slices.Equal(d.Variables(), names) {
		t.Errorf("%s: variables %q, want %q", name, d.Variables(), names)
	}
	for variable, dim := range want {
		v, err := d.Variable(variable)
		if err != nil || fmt.Sprint(v.Dims()) != fmt.Sprint([]string{dim}) {
			t.Errorf("%s: %s: %v, %v, want %s", name, variable, v.Dims(), err, dim)
		}
	}
}
