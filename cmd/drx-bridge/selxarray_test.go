//go:build hdf5 && netcdf && fits && gdal

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// A selQuestion is a selection from a file, with the result of xarray.
type selQuestion struct {
	Sel, Method string
	Values      []float64 // nil for nothing
}

// A selFile is a file with selections from one variable.
type selFile struct {
	File, Variable string
	Tests          []selQuestion
}

// After importing a file, 'drx read --sel' selects the same as xarray's sel on the file itself.
func TestSelectsAsXarray(t *testing.T) {
	const python = "/usr/bin/python3" // the Python for which Debian's packages are installed
	if err := exec.Command(python, "-c", "import xarray, netCDF4, cftime").Run(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("apt-get install python3-xarray python3-netcdf4 python3-cftime")
		}
		t.Skip("python3-xarray, python3-netcdf4 or python3-cftime is not there")
	}
	args := []string{"testdata/sel.py", t.TempDir()}
	if data := os.Getenv("DRX_DATA"); data != "" {
		folder := filepath.Join(data, "formats", "netcdf")
		args = append(args, filepath.Join(folder, "A1B_north_america.nc:air_temperature"), // 360_day
			filepath.Join(folder, "ostia_monthly.nc:surface_temperature"), filepath.Join(folder, "SOI_Darwin.nc:SOI_Darwin"))
	}
	cmd := exec.Command(python, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var files []selFile
	if err := json.Unmarshal(out, &files); err != nil {
		t.Fatal(err)
	}
	program, dir := buildPrograms(t), t.TempDir()
	for i, f := range files {
		t.Run(filepath.Base(f.File), func(t *testing.T) { f.compare(t, program, filepath.Join(dir, fmt.Sprint(i))) })
	}
}

// compare imports a file and compares what is selected.
func (f selFile) compare(t *testing.T, program, dst string) {
	if said, err := exec.Command(program, "import", f.File, dst).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	found, none := 0, 0
	for _, q := range f.Tests {
		got, said, err := q.read(program, filepath.Join(dst, f.Variable))
		switch {
		case err != nil && q.Values != nil:
			t.Errorf("--sel %s --method %s: %s, want %d elements", q.Sel, q.Method, said, len(q.Values))
		case !slices.Equal(rounded(got), rounded(q.Values)):
			t.Errorf("--sel %s --method %s: %v, want %v", q.Sel, q.Method, got, q.Values)
		case q.Values == nil:
			none++
		default:
			found++
		}
	}
	if found < 5 || none < 1 {
		t.Errorf("%d selections and %d of nothing: want more", found, none)
	}
}

// read reads a selection with drx.
func (q selQuestion) read(program, array string) (values []float64, said string, err error) {
	out, err := exec.Command(program, "read", array, "--sel", q.Sel, "--method", q.Method, "--json").Output()
	if exit, failed := err.(*exec.ExitError); failed {
		return nil, string(exit.Stderr), err
	}
	var result struct{ Values []float64 }
	if err == nil {
		err = json.Unmarshal(out, &result)
	}
	return result.Values, string(out), err
}

// rounded returns values as float32, in which all files are stored or exact.
func rounded(values []float64) (list []float32) {
	for _, v := range values {
		list = append(list, float32(v))
	}
	return list
}
