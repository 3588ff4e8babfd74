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

	"drx"
)

// manyScript makes an HDF5 file of 5,000 groups with a dataset each, and a classic NetCDF file of 10,000 variables. The variables
// hold 4 numbers, which count from the number of the variable.
const manyScript = `
import sys, numpy, h5py, netCDF4
with h5py.File(sys.argv[1] + '/groups.h5', 'w') as f:
    for i in range(5000):
        g = f.create_group('g%04d' % i)
        g.attrs['number'] = i
        g['v'] = numpy.arange(i, i + 4, dtype='i4')
with netCDF4.Dataset(sys.argv[1] + '/classic.nc', 'w', format='NETCDF3_64BIT_OFFSET') as f:
    f.createDimension('x', 4)
    made = [f.createVariable('v%05d' % i, 'i4', ('x',)) for i in range(10000)]
    for i, v in enumerate(made):
        v[:] = numpy.arange(i, i + 4)
`

// Files with thousands of variables are imported as a whole, by a helper that is limited to little memory.
func TestManyVariables(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	dir, program := t.TempDir(), buildPrograms(t)
	runPython(t, manyScript, dir)
	for name, c := range map[string]struct {
		vars     int
		variable string // a format for its number
	}{"groups.h5": {5000, "g%04d/v"}, "classic.nc": {10000, "v%05d"}} {
		folder := filepath.Join(dir, name+".drx")
		out, err := exec.Command(program, "import", "--json", "--memory", "64MiB", filepath.Join(dir, name), folder).Output()
		var made importResult
		if err == nil {
			err = json.Unmarshal(out, &made)
		}
		if err != nil || len(made.Vars) != c.vars {
			t.Fatalf("%s: %d variables, %v", name, len(made.Vars), err)
		}
		for i := 0; i < c.vars; i += 97 {
			if err := checkCounts(filepath.Join(folder, fmt.Sprintf(c.variable, i)), i); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// checkCounts checks that an array has 4 elements that count from first.
func checkCounts(name string, first int) error {
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		return err
	}
	defer a.Close()
	got, err := drx.Read[int32](a, nil)
	n := int32(first)
	if want := []int32{n, n + 1, n + 2, n + 3}; err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("%s has %v, want %v", name, got, want)
	}
	return err
}

// runPython runs a script with a Python that has h5py and netCDF4.
func runPython(t *testing.T, script string, args ...string) {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import h5py, netCDF4").Run() == nil {
			cmd := exec.Command(python, append([]string{"-c", script}, args...)...)
			cmd.Stderr = os.Stderr
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("no Python has h5py and netCDF4: apt-get install python3-h5py python3-netcdf4")
}
