//go:build hdf5 && netcdf && fits && gdal && matio

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Coordinates that are evenly spaced become keywords of FITS, which astropy interprets; for others
// a note says that only their extension has them. Both are preserved.
func TestWorldCoordinates(t *testing.T) {
	g := newArchive(t)
	succeed(t, "/usr/bin/python3", "testdata/world.py", filepath.Join(g.dir, "world.nc"))
	g.run("import world.nc W")
	out, err := g.command("export W W.fits").CombinedOutput()
	said := string(out)
	if err != nil {
		t.Fatal(said)
	}
	for _, want := range []string{"along month: FITS has no times", "along depth: its values are not evenly spaced", "along wavelength: its units \"bananas\"", "along day: FITS has no times"} {
		if strings.Count(said, want) != 1 {
			t.Errorf("%q is not once in: %s", want, said)
		}
	}
	g.run("export W part.fits --var t --sel lon=-1.4..-1.2,time=2024-01-28T12:00..", "import W.fits back", "import part.fits part", "export part again.fits")
	for _, c := range []struct {
		file, image, dim, unit string
		values                 []float64
	}{
		{"W.fits", "t", "0", "h", []float64{0, 6, 12, 18}},
		{"W.fits", "t", "1", "deg", []float64{50.1, 50.2, 50.3}},
		{"W.fits", "t", "2", "deg", []float64{-1.5, -1.4, -1.3, -1.2, -1.1}},
		{"W.fits", "u", "1", "", []float64{7.3, 7.2, 7.1}},
		{"part.fits", "t", "0", "h", []float64{6, 12, 18}},
		{"part.fits", "t", "2", "deg", []float64{-1.4, -1.3, -1.2}},
		{"again.fits", "t", "2", "deg", []float64{-1.4, -1.3, -1.2}},
	} {
		axis := worldAxes(t, filepath.Join(g.dir, c.file))[c.image][c.dim]
		ok := len(axis.Values) == len(c.values) && axis.Unit == c.unit && (c.unit != "h" || axis.MJDRef == 60337.25)
		for k := 0; ok && k < len(c.values); k++ {
			ok = math.Abs(axis.Values[k]-c.values[k]) < 1e-5
		}
		if !ok {
			t.Errorf("%s: %s, dimension %s: astropy has %+v, want %v %s", c.file, c.image, c.dim, axis, c.values, c.unit)
		}
	}
	for _, name := range []string{"time", "lat", "lon", "month", "depth", "wavelength", "row", "day"} {
		got, want := g.output("read back/"+name+" --json"), g.output("read W/"+name+" --json")
		if strings.Replace(got, "back", "W", 1) != want {
			t.Errorf("%s: came back as %s, was %s", name, got, want)
		}
	}
}

type worldAxis struct {
	Values []float64
	Unit   string
	MJDRef float64
}

// worldAxes returns the axes that astropy finds, by the names of images and the numbers of their
// dimensions.
func worldAxes(t *testing.T, path string) map[string]map[string]worldAxis {
	t.Helper()
	var files map[string]map[string]map[string]worldAxis
	out, err := exec.Command("/usr/bin/python3", "../../formats/fits/testdata/world.py", "--names", path).Output()
	if err == nil {
		err = json.Unmarshal(out, &files)
	}
	if err != nil {
		t.Fatal(fmt.Errorf("astropy, of Debian's python3-astropy: %w", err))
	}
	return files[path]
}
