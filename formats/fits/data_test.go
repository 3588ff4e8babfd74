//go:build fits && cgo

package fits

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drx/formats"
	"drx/formats/bridgetest"
	"drx/formats/formattest"
)

var bridge = &bridgetest.Bridge{Format: "fits", Modules: "astropy", Packages: "python3-astropy"}

func TestMain(m *testing.M) { bridge.Main(m) }

// compareFiles compares files with the output of astropy, and returns the number of images that are
// equal. Images have no names in astropy: they come in the order of the variables.
func compareFiles(t *testing.T, paths ...string) (equal int) {
	t.Helper()
	for i, images := range bridgetest.Describe[[]bridgetest.Description](t, bridge, paths...) {
		names := readable(t, paths[i])
		want := map[string]bridgetest.Description{}
		for k, w := range images {
			name := fmt.Sprintf("image %d of astropy", k)
			if k < len(names) {
				name = names[k]
			}
			want[name] = w
		}
		for name := range worldOf(t, paths[i]) { // astropy has no data for them; TestWorld compares their values
			info, elements := bridge.Get(t, paths[i], name)
			want[name] = bridgetest.Description{DType: info.DType.String(), Shape: info.Shape, SHA256: fmt.Sprintf("%x", sha256.Sum256(elements))}
		}
		equal += bridge.CompareListed(t, paths[i], want, func(path string, v formats.Info, w bridgetest.Description) { compare(t, path, v, w) })
	}
	return equal
}

// readable returns the names of the variables that can be read.
func readable(t *testing.T, path string) (names []string) {
	t.Helper()
	c, err := formats.List(path, formats.Options{Format: "fits"})
	if err != nil {
		t.Error(err)
	}
	world := worldOf(t, path)
	for _, v := range c.Vars {
		if v.Refused == "" && !world[v.Name] {
			names = append(names, v.Name)
		}
	}
	return names
}

// compare opens an image and compares all of it with the output of astropy.
func compare(t *testing.T, path string, v formats.Info, w bridgetest.Description) {
	t.Helper()
	info, elements := bridge.Get(t, path, v.Name)
	where := path + ": " + v.Name
	bridgetest.CompareArray(t, where, info, elements, w)
	attrs := maps.Clone(info.Attrs)
	for name := range w.Attrs {
		if value, ok := attrs[conventional[name]]; ok && attrs[name] == nil {
			attrs[name] = value
		}
	}
	bridgetest.CompareAttributes(t, where, attrs, w.Attrs)
}

// All types, scalings and compressions that astropy writes must be read with the values that
// astropy reads.
func TestMadeFiles(t *testing.T) {
	dir := bridge.Files(t)
	var paths []string
	for _, name := range []string{"types.fits", "types.fits.gz", "scaled.fits", "cards.fits", "tiled.fits", "table.fits", "groups.fits"} {
		paths = append(paths, filepath.Join(dir, name))
	}
	if equal := compareFiles(t, paths...); equal < 2*11+3+4+9 {
		t.Errorf("%d images were compared", equal)
	}
}

// Every real file must be read with the values that astropy reads, or be refused with a reason.
func TestDataFiles(t *testing.T) {
	paths := bridgetest.Data(t, "formats/fits/*.fits")
	t.Logf("%d files: %d images are equal", len(paths), compareFiles(t, paths...))
}

// Sections of plain and compressed images, of all types, must equal those of the whole image.
func TestSections(t *testing.T) {
	for _, name := range []string{"types.fits", "tiled.fits", "types.fits.gz"} {
		path := filepath.Join(bridge.Files(t), name)
		c, err := formats.List(path, formats.Options{Format: "fits"})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range c.Vars {
			info, elements := bridge.Get(t, path, v.Name)
			formattest.Reader(t, func() (formats.Reader, error) {
				return formats.Open(path, formats.Options{Format: "fits", Variable: v.Name})
			}, info, elements)
		}
	}
}

// Cards become attributes, headers without data belong to the file or to a group, and names cannot
// lead out of a folder.
func TestCards(t *testing.T) {
	c, err := formats.List(filepath.Join(bridge.Files(t), "cards.fits"), formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range c.Vars {
		names = append(names, v.Name)
	}
	if want := []string{"PRIMARY", "SCI", "SCI_2", ".._X"}; !slices.Equal(names, want) && !slices.Equal(names, []string{"primary", "SCI", "SCI_2", ".._X"}) {
		t.Errorf("%q, want %q", names, want)
	}
	first := c.Vars[0]
	for name, want := range map[string]any{
		"SHORT": "it's", "LONG": strings.TrimRight(strings.Repeat("long text with 'quotes' and more ", 9), " "), "NUM": int64(-3), "REAL": 1.5e-7, "YES": true,
		"PAIR": []any{1.0, 2.0}, "BIG": uint64(1<<63 + 1), "ESO DET MODE": "fast", "EMPTY": "", "CTYPE1": "RA---TAN",
		"COMMENT": []any{"first remark", "second remark"}, "HISTORY": []any{"made by a test"},
	} {
		got, ok := first.Attrs[name]
		if !ok {
			got = first.Attrs["ESO DET mode"]
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %#v, want %#v", name, got, want)
		}
	}
	if !slices.Equal(first.Dims, []string{"y", "x"}) {
		t.Errorf("dimensions %q", first.Dims)
	}
	if _, ok := c.Groups["ONLY"]; !ok {
		t.Errorf("groups %v", c.Groups)
	}
}

// Scalings stay attributes, and fill values are the stored ones.
func TestScaled(t *testing.T) {
	path := filepath.Join(bridge.Files(t), "scaled.fits")
	c, err := formats.List(path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plain, nan, unsigned := c.Vars[0], c.Vars[1], c.Vars[2]
	if plain.Attrs["scale_factor"] != 0.25 || plain.Attrs["add_offset"] != 100.0 || plain.Attrs["BSCALE"] != 0.25 || plain.DType.Format(plain.Fill) != "-7" {
		t.Errorf("%+v", plain)
	}
	if nan.DType.Format(nan.Fill) != "NaN" || nan.Attrs["scale_factor"] != nil {
		t.Errorf("%+v", nan)
	}
	if unsigned.DType.Format(unsigned.Fill) != "0" || unsigned.Attrs["BZERO"] != nil {
		t.Errorf("%+v", unsigned)
	}
}
