//go:build netcdf

package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"drx"
	"drx/formats/transfer"
)

// makesDays makes ten files with a day of temperatures each, in four formats.
const makesDays = `
import os, sys
import netCDF4, numpy
for kind in "fixed", "unlimited", "zlib", "classic":
    for day in range(10):
        os.makedirs(f"{sys.argv[1]}/{kind}", exist_ok=True)
        with netCDF4.Dataset(f"{sys.argv[1]}/{kind}/day{day}.nc", "w", format="NETCDF3_CLASSIC" if kind == "classic" else "NETCDF4") as f:
            f.createDimension("time", None if kind == "unlimited" else 8)
            for name, n, units in ("lat", 15, "degrees_north"), ("lon", 28, "degrees_east"):
                f.createDimension(name, n)
                f.createVariable(name, "f4", (name,)).units = units
                f[name][:] = numpy.arange(n) + 10
            f.createVariable("time", "f8", ("time",)).units = "hours since 2020-01-01"
            f["time"][:] = day * 24 + numpy.arange(0, 24, 3)
            f.createVariable("t2m", "f4", ("time", "lat", "lon"), zlib=kind == "zlib").units = "K"
            f["t2m"][:] = 280 + numpy.random.default_rng(day).normal(0, 5, (8, 15, 28))
`

// space returns the bytes that files and their folders occupy on the disk, and their lengths.
func space(t *testing.T, roots ...string) (blocks, lengths int64) {
	t.Helper()
	for _, root := range roots {
		err := filepath.WalkDir(root, func(_ string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			blocks += 512 * info.Sys().(*syscall.Stat_t).Blocks
			if !e.IsDir() {
				lengths += info.Size()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return blocks, lengths
}

// A dataset occupies no more of the disk than the NetCDF-4 files from which it was imported, day by
// day or all at once, and is not longer than they are, so that holes are not needed. The same is
// true for a coordinate of 80 times longer than a block. Classic files have hardly any metadata:
// compared with them, an array has three additional small files, of one block each, and so do the
// folder and the dataset.
func TestSmallDatasetTakesNoMore(t *testing.T) {
	dir := t.TempDir()
	runPython(t, makesDays, dir)
	const block, small = 4096, 4*3 + 4
	for _, kind := range []string{"fixed", "unlimited", "zlib", "classic"} {
		files, err := filepath.Glob(filepath.Join(dir, kind, "*.nc"))
		if err != nil || len(files) != 10 {
			t.Fatal(files, err)
		}
		slices.Sort(files)
		for way, batches := range map[string][][]string{"day by day": {files[:1], files[1:]}, "at once": {files}} {
			st := filepath.Join(dir, strings.ReplaceAll(kind+way, " ", "_"))
			for i, batch := range batches {
				o := transfer.ImportOptions{}
				if i > 0 || len(batches) == 1 {
					o.Append = "time"
				}
				if _, err := transfer.Import(context.Background(), st, o, batch...); err != nil {
					t.Fatal(fmt.Errorf("%s %s: %w", kind, way, err))
				}
			}
			takes, length := space(t, st)
			least, lengths := space(t, files...)
			t.Logf("%s, %s: %d bytes on disk from %d, %d long from %d", kind, way, takes, least, length, lengths)
			if kind == "classic" {
				least, lengths = least+small*block, lengths+small*block
			}
			if takes > least || kind != "zlib" && length > lengths { // frames are followed by holes
				t.Errorf("%s, %s: %d bytes on disk from %d, %d long from %d", kind, way, takes, least, length, lengths)
			}
			a, err := drx.Open(filepath.Join(st, "time"), drx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if u, err := a.Usage(); err != nil || a.Shape()[0] != 80 || u.DataBytes > block {
				t.Errorf("%s, %s: %v times take %+v, %v", kind, way, a.Shape(), u, err)
			}
			if _, length := space(t, filepath.Join(st, "time.xta")); length > block {
				t.Errorf("%s, %s: the file of the times is %d bytes long", kind, way, length)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
