//go:build hdf5 && netcdf && fits && gdal

package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"drx"
)

// groupsScript makes an HDF5 file of 1,000 groups with a dataset each, of 4 numbers that count from
// the number of the group.
const groupsScript = `
import sys, numpy, h5py
with h5py.File(sys.argv[1], 'w') as f:
    for i in range(1000):
        g = f.create_group('g%04d' % i)
        g.attrs['number'] = i
        g['v'] = numpy.arange(i, i + 4, dtype='i4')
`

// classicFile returns a classic NetCDF file with 3,000 variables like those of groupsScript. The
// library would be slow to write it.
func classicFile() []byte {
	const vars, tagDims, tagVars, tagInt, bytes = 3000, 10, 11, 4, 16
	const head, each = 4 + 4 + 8 + 12 + 8 + 8, 12 + 8 + 8 + 12 // bytes of the header, and of a variable there
	b := []byte("CDF\x01")
	put := func(words ...uint32) {
		for _, w := range words {
			b = binary.BigEndian.AppendUint32(b, w)
		}
	}
	put(0, tagDims, 1, 1, 'x'<<24, 4, 0, 0, tagVars, vars)
	for i := range vars {
		put(6)
		b = append(b, fmt.Sprintf("v%05d\x00\x00", i)...)
		put(1, 0, 0, 0, tagInt, bytes, uint32(head+each*vars+bytes*i))
	}
	for i := range uint32(vars) {
		put(i, i+1, i+2, i+3)
	}
	return b
}

// Files with thousands of variables are imported as a whole, by a helper that is limited to little
// memory.
func TestManyVariables(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	dir, program := t.TempDir(), buildPrograms(t)
	runPython(t, groupsScript, filepath.Join(dir, "groups.h5"))
	if err := os.WriteFile(filepath.Join(dir, "classic.nc"), classicFile(), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		vars     int
		variable string // a format string for its number
	}{"groups.h5": {1000, "g%04d/v"}, "classic.nc": {3000, "v%05d"}} {
		folder := filepath.Join(dir, name+"-dataset")
		var errs bytes.Buffer
		cmd := exec.Command(program, "import", "--json", "--memory", "64MiB", filepath.Join(dir, name), folder)
		cmd.Stderr = &errs
		out, err := cmd.Output()
		var made importResult
		if err == nil {
			err = json.Unmarshal(out, &made)
		}
		if err != nil || len(made.Vars) != c.vars {
			t.Fatalf("%s: %d variables, %v\n%s", name, len(made.Vars), err, errs.String())
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

// runPython runs a script with a Python that has h5py.
func runPython(t *testing.T, script string, args ...string) {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import h5py").Run() == nil {
			cmd := exec.Command(python, append([]string{"-c", script}, args...)...)
			cmd.Stderr = os.Stderr
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("no Python has h5py: apt-get install python3-h5py")
}
