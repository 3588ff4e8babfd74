//go:build hdf5 && netcdf

package main_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

func init() { tagged = append(tagged, "TestXTA") }

// TestXTA maps datasets of HDF5 and variables of NetCDF to arrays, lets the arrays grow, and writes
// them to files.
func TestXTA(t *testing.T) {
	bridge := filepath.Join(t.TempDir(), "drx-bridge")
	build := exec.Command("go", "build", "-tags", "hdf5 netcdf", "-o", bridge, "./cmd/drx-bridge")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, flags := range map[string][]string{"plain": nil, "sanitized": sanitizers} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out := compile(t, "testdata/xta.c", flags...).run(t, bridge); out != "good\n" {
				t.Errorf("xta.c prints %q", out)
			}
		})
	}
}
