//go:build linux && hdf5 && netcdf && fits && gdal && matio

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A name always means the file of that name, even if a library would interpret it as a filter, an
// address, a driver or a command unless it is given as a path.
func TestNamesAreFiles(t *testing.T) {
	program, dir := buildPrograms(t), t.TempDir()
	runIn(t, dir, program, strings.Fields("create v --dtype uint8 --shape 4,5 --dims y,x")...)
	runIn(t, dir, program, strings.Fields("fill v --section 1:3,: --value 3")...)
	want := elements(t, filepath.Join(dir, "v"))
	for _, name := range []string{
		"a[1].fits", "!b.fits", "d(x).fits", "|e.fits", "stdout.fits", "-.fits", "~root.fits", "$HOME.fits", "mem:.fits",
		"a#mode=zarr.nc", "http:x.nc", "[log]c.nc", "x?a=b.nc", "c.h5#x.h5", "family%d.h5", "g%20.tif", "NITF_IM:0:x.tif", "vsimem.tif",
	} {
		folder := t.TempDir()
		runIn(t, folder, program, "export", "--quiet", filepath.Join(dir, "v"), "./"+name)
		if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 || entries[0].Name() != name {
			t.Errorf("%s: there are %v, %v", name, entries, err)
			continue
		}
		runIn(t, folder, program, "import", "--quiet", "./"+name, "back")
		if got := elements(t, filepath.Join(folder, "back")); !bytes.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
