//go:build hdf5 && netcdf && fits && gdal

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// An archive is a folder with the files of testdata/growth.py, and drx to import them.
type archive struct {
	t            *testing.T
	drx, dir, py string
}

func newArchive(t *testing.T) *archive {
	t.Helper()
	g := &archive{t: t, dir: filepath.Join(t.TempDir(), "files"), py: growthPython()}
	if g.py == "" && os.Getenv("CI") == "true" {
		t.Fatal("no Python has xarray, netCDF4, h5py and astropy: install the packages of scripts/tags")
	}
	if g.py == "" {
		t.Skip("no Python has xarray, netCDF4, h5py and astropy")
	}
	g.drx = buildPrograms(t)
	dir, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(dir, "growth")
	if _, err := os.Stat(made); err != nil {
		g.python("make", made)
	}
	if err := os.CopyFS(g.dir, os.DirFS(made)); err != nil {
		t.Fatal(err)
	}
	return g
}

// growthPython finds a Python with the libraries that growth.py imports; "" if there is none.
var growthPython = sync.OnceValue(func() (found string) {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import xarray, netCDF4, h5py, astropy").Run() == nil {
			found = name
		}
	}
	return found
})

// python runs testdata/growth.py.
func (g *archive) python(args ...string) {
	g.t.Helper()
	if said, err := exec.Command(g.py, append([]string{"testdata/growth.py"}, args...)...).CombinedOutput(); err != nil {
		g.t.Fatalf("growth.py %s: %v\n%s", strings.Join(args, " "), err, said)
	}
}

// check compares an export with the same files assembled by Python libraries.
func (g *archive) check(format, out string, more ...string) {
	g.t.Helper()
	g.python(append([]string{format, g.dir, filepath.Join(g.dir, out)}, more...)...)
}

// command returns a command line of drx in the folder of the files. A word with * is a pattern.
func (g *archive) command(line string) *exec.Cmd {
	var args []string
	for _, word := range strings.Fields(line) {
		if found, _ := filepath.Glob(filepath.Join(g.dir, word)); strings.Contains(word, "*") { // sorted
			for _, path := range found {
				args = append(args, filepath.Base(path))
			}
			continue
		}
		args = append(args, word)
	}
	cmd := exec.Command(g.drx, args...)
	cmd.Dir = g.dir
	return cmd
}

func (g *archive) run(lines ...string) {
	g.t.Helper()
	for _, line := range lines {
		if said, err := g.command(line).CombinedOutput(); err != nil {
			g.t.Fatalf("drx %s: %v\n%s", line, err, said)
		}
	}
}

// output returns what a command line prints.
func (g *archive) output(line string) string {
	g.t.Helper()
	out, err := g.command(line).Output()
	if err != nil {
		g.t.Fatalf("drx %s: %v", line, err)
	}
	return string(out)
}

// refuse runs a command line that must fail with one line that has the given words.
func (g *archive) refuse(line string, words ...string) {
	g.t.Helper()
	said, err := g.command(line).CombinedOutput()
	if first, rest, has := strings.Cut(string(said), "\n"); has && strings.Contains(first, "keeps its own") { // a note
		said = []byte(rest)
	}
	for _, word := range words {
		if err == nil || !strings.Contains(string(said), word) || strings.Count(string(said), "\n") != 1 {
			g.t.Errorf("drx %s: %v, want one line with %q: %s", line, err, word, said)
		}
	}
}

// An archive of NetCDF files grows by days, by strips on all sides, by days of a larger domain, and
// by days before the first one. An export equals the result of xarray assembling the same files in
// memory.
func TestGrowthOfNetCDF(t *testing.T) {
	g := newArchive(t)
	g.run("import day0*.nc day1*.nc day2*.nc W --append time")
	g.refuse("import north.nc W --append lat", "coordinate lat: 53.5 .. 52.5 does not follow 52 .. 50 of W/lat", "--low")
	g.run(
		"import north.nc W --append lat --low",
		"import south.nc W --append lat",
		"import west.nc W --append lon --low",
		"import east.nc W --append lon",
		"import more*.nc W --append time",
	)
	g.refuse("import widest33.nc W --append time", "coordinate lat", "--widen")
	g.refuse("import more32.nc W --append time", "2024-02-02 is in W/time already, at index", "imported before")
	g.refuse("import late1.nc W --append time --widen", "2023-12-30 .. 2023-12-30T18:00 does not follow", "--low")
	g.refuse("import late2.nc late1.nc W --append time --low --widen", "late2.nc", "2023-12-31 .. 2023-12-31T18:00 does not precede 2023-12-30")
	g.run(
		"import widest33.nc narrow34.nc W --append time --widen",
		"import late*.nc W --append time --low",
		"export W W.nc --deflate 4",
		"export W nightly.nc --append time --sel time=..2024-01-20",
		"export W nightly.nc --append time",
	)
	g.check("netcdf", "W.nc")
	g.check("netcdf", "nightly.nc")
}

// Frames of HDF5 have no dimension for their number, so they get one.
func TestGrowthOfHDF5Frames(t *testing.T) {
	g := newArchive(t)
	g.run("import frame0.h5 frame1.h5 frame2.h5 stack --append frame")
	g.refuse("import frame3.h5 stack --append frame", "11 x 15", "7 x 9", "--widen")
	g.run("import frame3.h5 frame4.h5 frame5.h5 stack --append frame --widen", "export stack stack.h5",
		"import bare0.h5 bare1.h5 bare2.h5 bare --append frame", "export bare bare.h5")
	g.check("hdf5", "stack.h5")
	g.check("hdf5", "bare.h5")
	g.run("extend bare --dim 1 --by 2 --low")
	g.refuse("import bare0.h5 bare --append frame --widen", "neither coordinates nor the attributes", "drx extend")
}

// Frames of FITS are located by their world coordinate systems, and an export has every pixel at
// its position on the sky.
func TestGrowthOfFITSFrames(t *testing.T) {
	g := newArchive(t)
	g.run("import sky0.fits sky1.fits sky2.fits sky --append time")
	g.refuse("import sky3.fits sky --append time", "11 x 15", "7 x 9", "--widen")
	g.run("import sky3.fits sky4.fits sky5.fits sky --append time --widen",
		"export sky all.fits", "export sky part.fits --section :,-1:,0:", "export sky coarse.fits --section :,-1::3,1::3")
	g.check("fits", "all.fits", "-3", "-2", "1")
	g.check("fits", "part.fits", "-1", "0", "1")
	g.check("fits", "coarse.fits", "-1", "1", "3")
	g.run("import sky0.fits moved", "attr moved CRVAL1=83.9")
	g.refuse("import sky1.fits moved --append 0 --widen", "CRVAL1 is 83.8", "83.9")
}

// A raster keeps its position on the earth when it grows to the west and to the north.
func TestGrowthOfGeoTIFF(t *testing.T) {
	g := newArchive(t)
	g.run("create map --dtype int16 --shape 8,9 --dims y,x", `attr map geotransform=[500000.0,30.0,0.0,4100000.0,0.0,-30.0]`,
		"fill map --value 7", "export map map.tif --section 2:6,3:8", "export map wider.tif",
		"import map.tif maps --append time", "import wider.tif maps --append time --widen", "export maps maps.tif")
	for name, want := range map[string][]float64{
		"map.tif":  {500090, 30, 0, 4099940, 0, -30},
		"maps.tif": {500000, 30, 0, 4100000, 0, -30},
	} {
		said, err := exec.Command("gdalinfo", "-json", filepath.Join(g.dir, name)).Output()
		var info struct {
			GeoTransform []float64
			Bands        []any
		}
		if err == nil {
			err = json.Unmarshal(said, &info)
		}
		if err != nil || !slices.Equal(info.GeoTransform, want) {
			t.Errorf("%s: %v, want %v; %v", name, info.GeoTransform, want, err)
		}
	}
	g.run("attr map geotransform=[500000.0,30.0,0.0,4100010.0,0.0,-30.0]", "export map shifted.tif")
	g.refuse("import shifted.tif maps --append time --widen", "geotransform", "do not lie on each other")
}

// A file that is updated after every import equals one that is exported at the end.
func TestNightlyExport(t *testing.T) {
	g := newArchive(t)
	for day := range 4 {
		g.run(fmt.Sprintf("import day%02d.nc W --append time", day))
		for _, name := range []string{"W.nc", "W.h5", "W.nc3"} {
			g.run("export W " + name + " --append time --deflate 1")
		}
		g.run("import bare0.h5 bare --append frame", "export bare bare.h5 --append frame")
	}
	for _, ext := range []string{".nc", ".h5", ".nc3"} {
		g.run("export W whole" + ext + " --append time")
		if got, want := g.dump("W"+ext), g.dump("whole"+ext); got != want {
			t.Errorf("W%s is\n%s\nwant\n%s", ext, got, want)
		}
	}
	before := g.dump("W.nc")
	g.run("export W W.nc --append time") // nothing new
	g.run("export bare bare-whole.h5 --append frame", "import bare.h5 again", "import bare-whole.h5 whole")
	if got, want := g.output("read again --csv --section :,1,:"), g.output("read whole --csv --section :,1,:"); got != want || strings.Count(got, "\n") != 5 {
		t.Errorf("bare.h5 has\n%s\nwant\n%s", got, want)
	}
	g.refuse("export W W.fits --append time", "files of format fits cannot grow", "hdf5, netcdf, netcdf3, cdf1, cdf2 or cdf5 can")
	g.refuse("export W new.nc --append tide", "no variable that is exported has a dimension")
	g.refuse("export W W.nc", "exists", "--append")
	g.refuse("export W W.nc --append time --sel time=2024-01-02..", "variable time: value 0 is 2024-01-01 in the file and 2024-01-02 in what is exported: want the same first values; export to another file")
	g.refuse("export W W.nc --append time --sel time=..2024-01-02", "the file has 16 indices of time, more than the 8", "another file")
	g.refuse("export W W.nc --append time --sel lat=52", "variable lat", "has float32 (lat 5), which does not fit float32 (lat 1)")
	g.refuse("export W W.nc --append time --sel lat=51..50", "variable lat: value 0 is 52 in the file and 51")
	g.run("create fixed --dtype int8 --shape 2 --dims frame", "export fixed fixed.h5", "extend fixed --dim frame --by 1")
	g.refuse("export fixed fixed.h5 --append frame", "dimension frame has a fixed length", "another file")
	g.run("attr W/t2m units=K", "extend W --dim time --by 2 --low --coordinate fill")
	g.refuse("export W W.nc --append time", "variable time: value 0 is 2024-01-01 in the file and missing in what is exported: want the same first values; export to another file")
	if now := g.dump("W.nc"); now != before {
		t.Errorf("W.nc has changed to\n%s", now)
	}
}

// An export with --append that is killed leaves the file unchanged or complete.
func TestKilledNightlyExport(t *testing.T) {
	g := newArchive(t)
	g.run("import day00.nc W --append time", "export W W.nc --append time", "import day01.nc day02.nc W --append time", "export W whole.nc --append time")
	old, whole := g.dump("W.nc"), g.dump("whole.nc")
	olds := 0
	for i := range 12 {
		name := fmt.Sprintf("W%d.nc", i)
		if err := os.Link(filepath.Join(g.dir, "W.nc"), filepath.Join(g.dir, name)); err != nil {
			t.Fatal(err)
		}
		cmd := g.command("export W " + name + " --append time")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * 8 * time.Millisecond)
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		switch g.dump(name) {
		case old:
			olds++
		case whole:
		default:
			t.Errorf("killed after %d ms: %s is\n%s", 8*i, name, g.dump(name))
		}
		g.run("export W " + name + " --append time")
		if g.dump(name) != whole {
			t.Errorf("%s, once more, is\n%s", name, g.dump(name))
		}
	}
	if olds == 0 {
		t.Error("none was killed in time")
	}
	if g.dump("W.nc") != old { // the links to it were replaced
		t.Error("W.nc itself has changed")
	}
}

// An import that is killed leaves a valid dataset. The same command names the remedy, and the one
// with --resume completes the import.
func TestKilledGrowth(t *testing.T) {
	g := newArchive(t)
	g.run("import day0*.nc whole --append time", "export whole whole.nc")
	inTime, between := 0, 0
	for i := range 9 {
		line := fmt.Sprintf("import day0*.nc K%d --append time", i)
		cmd := g.command(line)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for begin := time.Now(); i > 0 && g.days(fmt.Sprintf("K%d", i)) < i && time.Since(begin) < time.Minute; {
			time.Sleep(time.Millisecond)
		}
		_ = cmd.Process.Kill() // it may have ended
		if cmd.Wait() != nil {
			inTime++
		}
		if days := g.days(fmt.Sprintf("K%d", i)); days > 0 && days < 10 {
			between++
			g.refuse(line, "--resume")
			g.run(line + " --resume")
		} else if days < 10 {
			g.run(line + map[bool]string{true: " --resume"}[days == 0])
		}
		g.run(fmt.Sprintf("export K%d K%d.nc", i, i))
		if got, want := g.dump(fmt.Sprintf("K%d.nc", i)), g.dump("whole.nc"); got != want {
			t.Errorf("killed after %d days: the export is\n%s\nwant\n%s", i, got, want)
		}
	}
	t.Logf("%d were killed, %d of them between two days", inTime, between)
	if between == 0 {
		t.Error("none was killed between two days")
	}
}

// days returns the number of days in a dataset, or -1 if there is none, and checks that its
// variables agree.
func (g *archive) days(name string) int {
	g.t.Helper()
	out, err := g.command("info " + name + " --json").Output()
	if err != nil {
		return -1
	}
	var info struct {
		Dimensions map[string]int
		Variables  map[string]struct {
			Shape []int
			Dims  []string
			Error string
		}
	}
	if err := json.Unmarshal(out, &info); err != nil {
		g.t.Fatal(err)
	}
	for name, v := range info.Variables {
		for d, dim := range v.Dims {
			if v.Error != "" || v.Shape[d] != info.Dimensions[dim] {
				g.t.Errorf("%s: %+v, the dimensions are %v", name, v, info.Dimensions)
			}
		}
	}
	return info.Dimensions["time"] / 4
}

// dump returns the output of ncdump for a file, without the file's name.
func (g *archive) dump(name string) string {
	g.t.Helper()
	out, err := exec.Command("ncdump", "-n", "x", filepath.Join(g.dir, name)).Output()
	if err != nil {
		g.t.Fatal(err)
	}
	return string(out)
}
