//go:build fits && cgo

package fits

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"drx/convert"
	"drx/convert/converttest"
)

// python runs a program of testdata with a Python that has astropy: the system's, or Debian's. Without one it skips the
// test, or fails it with CI=true.
func python(t *testing.T, args ...string) []byte {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import astropy").Run() != nil {
			continue
		}
		command := exec.Command(name, args...)
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("no Python has astropy: apt-get install python3-astropy")
	}
	t.Skip("no Python has astropy")
	return nil
}

// made is the folder with the files of testdata/make.py.
var made = struct {
	sync.Once
	dir string
}{}

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		child()
		return
	}
	code := m.Run()
	if made.dir != "" {
		_ = os.RemoveAll(made.dir)
	}
	os.Exit(code)
}

// files returns the folder with the files of testdata/make.py.
func files(t *testing.T) string {
	t.Helper()
	made.Do(func() {
		dir, err := os.MkdirTemp("", "fits")
		if err != nil {
			t.Fatal(err)
		}
		made.dir = dir
		python(t, "testdata/make.py", dir)
	})
	return made.dir
}

// described is what testdata/describe.py says of an image.
type described struct {
	HDU           int
	DType, SHA256 string
	Shape         []int
	Attrs         map[string]any
}

// compareFiles compares files with what astropy says of them, and returns the number of images that are equal.
func compareFiles(t *testing.T, paths ...string) (equal int) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(python(t, append([]string{"testdata/describe.py"}, paths...)...)))
	for _, path := range paths {
		var want []described
		if err := decoder.Decode(&want); err != nil {
			t.Fatal(err)
		}
		c, err := convert.List(path, convert.Options{Format: "fits"})
		if err != nil {
			t.Error(err)
			continue
		}
		for _, v := range c.Vars {
			if v.Refused != "" {
				t.Logf("%s: %s: %s", filepath.Base(path), v.Name, v.Refused)
				continue
			}
			if len(want) == 0 {
				t.Errorf("%s: astropy has no %s", path, v.Name)
				continue
			}
			compare(t, path, v, want[0])
			want = want[1:]
			equal++
		}
		if len(want) > 0 {
			t.Errorf("%s: %d images are missing: %+v", path, len(want), want)
		}
	}
	return equal
}

// compare opens an image and compares all of it with what astropy says.
func compare(t *testing.T, path string, v convert.Info, w described) {
	t.Helper()
	info, elements := get(t, path, v.Name)
	sum := sha256.Sum256(elements)
	if got := hex.EncodeToString(sum[:]); got != w.SHA256 {
		t.Errorf("%s: %s: other elements than in astropy", path, v.Name)
	}
	if info.DType.String() != w.DType || !slices.Equal(info.Shape, w.Shape) {
		t.Errorf("%s: %s: %v %v, astropy has %v %v", path, v.Name, info.DType, info.Shape, w.DType, w.Shape)
	}
	for name, value := range w.Attrs {
		got, ok := info.Attrs[name]
		if !ok {
			got = info.Attrs[conventional[name]]
		}
		if text, _ := json.Marshal(got); !jsonEqual(text, value) {
			t.Errorf("%s: %s: attribute %s is %s, astropy has %v", path, v.Name, name, text, value)
		}
	}
}

func jsonEqual(text []byte, value any) bool {
	var got any
	return json.Unmarshal(text, &got) == nil && reflect.DeepEqual(got, value)
}

// get opens a variable and returns all of it.
func get(t *testing.T, path, variable string) (convert.Info, []byte) {
	t.Helper()
	r, err := convert.Open(path, convert.Options{Format: "fits", Variable: variable})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	size, _ := r.Info().Bytes()
	buf := make([]byte, size)
	if err := r.ReadSection(nil, buf); err != nil {
		t.Fatal(err)
	}
	return r.Info(), buf
}

// All types, scalings and compressions that astropy writes are read as astropy reads them.
func TestMadeFiles(t *testing.T) {
	dir := files(t)
	var paths []string
	for _, name := range []string{"types.fits", "types.fits.gz", "scaled.fits", "cards.fits", "tiled.fits", "table.fits", "groups.fits"} {
		paths = append(paths, filepath.Join(dir, name))
	}
	if equal := compareFiles(t, paths...); equal < 2*11+3+4+9 {
		t.Errorf("%d images were compared", equal)
	}
}

// Every real file is read with the values that astropy reads, or refused with a reason.
func TestDataFiles(t *testing.T) {
	root := os.Getenv("DRX_DATA")
	if root == "" {
		t.Skip("DRX_DATA is not set")
	}
	paths, err := filepath.Glob(filepath.Join(root, "formats/fits/*.fits"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files in %s, %v", len(paths), root, err)
	}
	t.Logf("%d files: %d images are equal", len(paths), compareFiles(t, paths...))
}

// Sections of plain and compressed images, of all types, are those of the whole image.
func TestSections(t *testing.T) {
	for _, name := range []string{"types.fits", "tiled.fits", "types.fits.gz"} {
		path := filepath.Join(files(t), name)
		c, err := convert.List(path, convert.Options{Format: "fits"})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range c.Vars {
			info, elements := get(t, path, v.Name)
			converttest.Reader(t, func() (convert.Reader, error) {
				return convert.Open(path, convert.Options{Format: "fits", Variable: v.Name})
			}, info, elements)
		}
	}
}

// Cards are attributes, headers without data belong to the file or to a group, and names cannot leave a folder.
func TestCards(t *testing.T) {
	c, err := convert.List(filepath.Join(files(t), "cards.fits"), convert.Options{})
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

// Scalings stay attributes, and fill values are those that are stored.
func TestScaled(t *testing.T) {
	path := filepath.Join(files(t), "scaled.fits")
	c, err := convert.List(path, convert.Options{})
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
