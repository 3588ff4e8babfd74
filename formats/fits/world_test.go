//go:build fits && cgo

package fits

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"drx/dataset/cftime"
	"drx/formats"
	"drx/formats/bridgetest"
	"drx/formats/formattest"
)

// worldOf returns the names of the coordinates that are not stored as data in a file.
func worldOf(t *testing.T, path string) map[string]bool {
	t.Helper()
	c, err := formats.List(path, formats.Options{Format: "fits"})
	if err != nil {
		t.Error(err)
	}
	names := map[string]bool{}
	for _, v := range c.Vars {
		if isCoordinate(&v) && v.Attrs["CNAME1"] == nil {
			names[v.Name] = true
		}
	}
	return names
}

// Linear axes become coordinates with the values that astropy computes; other axes, such as those
// on the sky, do not.
func TestWorld(t *testing.T) {
	type axis struct {
		Values     []float64
		Unit, Type string
		MJDRef     *float64
	}
	paths := bridgetest.Data(t, "formats/fits/[a-e]*.fits")
	var files, more map[string][]map[string]axis
	said := bridge.Python(t, "testdata/world.py", t.TempDir())
	if err := json.Unmarshal(said, &files); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(bridge.Python(t, append([]string{"testdata/world.py", "-"}, paths...)...), &more); err != nil {
		t.Fatal(err)
	}
	for path, images := range more {
		files[path] = images
	}
	compared := 0
	for path, images := range files {
		c, err := formats.List(path, formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		names, where := readable(t, path), filepath.Base(path)
		for i, want := range images {
			v := c.Vars[slices.IndexFunc(c.Vars, func(v formats.Info) bool { return v.Name == names[i] })]
			for d, extent := range v.Shape {
				w, linear := want[strconv.Itoa(d)]
				isPixels := linear && w.Unit == "" && w.Type != "STOKES" && w.Values[0] == 1 && w.Values[len(w.Values)-1] == float64(extent)
				has := v.Dims != nil && slices.ContainsFunc(c.Vars, func(c formats.Info) bool { return c.Name == v.Dims[d] && isCoordinate(&c) })
				if has != (linear && !isPixels) {
					t.Errorf("%s: dimension %d: has a coordinate: %v, in astropy: %v %+v", where, d, has, linear, w)
				}
				if !has {
					continue
				}
				compared++
				info, elements := bridge.Get(t, path, v.Dims[d])
				for k, x := range w.Values {
					if got := info.DType.Float64(elements[8*k:]); math.Abs(got-x) > 1e-6*math.Abs(x) {
						t.Errorf("%s: %s[%d] is %v, astropy has %v", where, info.Name, k, got, x)
					}
				}
				units, _ := info.Attrs["units"].(string)
				if u, err := cftime.ParseUnits(units, "standard"); w.MJDRef != nil {
					mjd, _ := cftime.ParseUnits("days since 1858-11-17", "standard")
					if err != nil || math.Abs(mjd.Value(u.Since)-*w.MJDRef) > 1e-9 {
						t.Errorf("%s: units %q, %v, astropy has the reference %v", where, units, err, *w.MJDRef)
					}
				} else if units != w.Unit && !(units == "angstrom" && w.Unit == "Angstrom") {
					t.Errorf("%s: units %q, astropy has %q", where, units, w.Unit)
				}
			}
		}
	}
	if compared < 12 {
		t.Errorf("%d axes were compared", compared)
	}
}

// Sections of such a coordinate must equal those of the whole, and an image without a name must be
// found beside it.
func TestWorldSections(t *testing.T) {
	dir := t.TempDir()
	bridge.Python(t, "testdata/world.py", dir)
	path := filepath.Join(dir, "wave.fits")
	info, elements := bridge.Get(t, path, "wavelength")
	formattest.Reader(t, func() (formats.Reader, error) { return formats.Open(path, formats.Options{Variable: "wavelength"}) }, info, elements)
	if info, _ := bridge.Get(t, path, ""); info.Name != "primary" || info.Dims[0] != "wavelength" {
		t.Errorf("%+v", info)
	}
}

// Two images of a file share the coordinate of equal axes, and have two coordinates for different
// ones.
func TestWorldShared(t *testing.T) {
	c := catalog{names: map[string]bool{"A": true, "B": true, "C": true}, extents: map[string]int{}}
	for _, name := range []string{"A", "B", "C"} {
		attrs := map[string]any{"CTYPE1": "WAVE", "CRVAL1": 5.0, "CDELT1": 1.0}
		if name == "C" {
			attrs["CRVAL1"] = 6.0
		}
		c.Add(&variable{info: formats.Info{Name: name, Shape: []int{3}, Attrs: attrs}})
	}
	c.addWorld()
	var got []string
	for _, v := range c.Vars {
		got = append(got, v.info.Name+" "+v.info.Dims[0])
	}
	if want := []string{"A wavelength", "B wavelength", "C wavelength_2", "wavelength wavelength", "wavelength_2 wavelength_2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
