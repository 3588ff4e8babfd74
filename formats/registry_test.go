package formats_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// fake is a format of folders with several variables, which also claims netpbm files with the
// extension .fake.
var fake = formats.Format{
	Name:       "fake",
	Extensions: []string{".fake"},
	Folders:    true,
	Open: func(in *formats.Input) (formats.Reader, error) {
		if in.Variable != "t" || !in.Folder || in.Stream != nil || in.File != nil {
			return nil, formats.ErrVariable
		}
		return nothing{}, nil
	},
	List: func(*formats.Input) (formats.Content, error) {
		return formats.Content{Vars: []formats.Info{{Name: "t", DType: dtype.Int8}, {Name: "u", DType: dtype.Int8}}}, nil
	},
}

// claimed is a format with the same first bytes as another one.
var claimed = formats.Format{
	Name:       "claimed",
	Extensions: []string{".claimed"},
	Recognise:  func(head []byte) bool { return strings.HasPrefix(string(head), "P5") },
	Open:       func(*formats.Input) (formats.Reader, error) { return nothing{}, nil },
}

type nothing struct{}

func (nothing) Info() formats.Info                   { return formats.Info{Name: "t"} }
func (nothing) ReadSection(nd.Section, []byte) error { return nil }
func (nothing) Close() error                         { return nil }

// A format that another package registers must be found by its name, its extension and its first
// bytes.
func TestRegister(t *testing.T) {
	registered := formats.Formats()
	t.Cleanup(func() { formats.SetFormats(registered) })
	formats.Register(fake)
	formats.Register(claimed)
	folder := filepath.Join(t.TempDir(), "a.fake")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if r, err := formats.Open(folder, formats.Options{Variable: "t"}); err != nil || r.Info().Name != "t" {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := formats.Open(folder, formats.Options{}); !errors.Is(err, formats.ErrVariable) || !strings.HasPrefix(err.Error(), folder+": ") {
		t.Error(err)
	}
	if c, err := formats.List(folder, formats.Options{}); err != nil || len(c.Vars) != 2 {
		t.Errorf("%v, %v", c, err)
	}
	grey := []byte("P5 2 1 255 ab")
	for name, want := range map[string]string{"a.pgm": "", "a": "", "a.claimed": "t"} {
		if r, err := formats.Open(write(t, name, grey), formats.Options{}); err != nil || r.Info().Name != want {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	if r, err := formats.Open(write(t, "a", grey), formats.Options{Format: "claimed"}); err != nil || r.Info().Name != "t" {
		t.Errorf("%v, %v", r, err)
	}
	preferred := claimed
	preferred.Name, preferred.Prefer = "preferred", func(in *formats.Input) bool { return in.Size == 13 }
	formats.Register(preferred)
	for text, want := range map[string]string{"P5 2 1 255 ab": "t", "P5 2 1  255 ab": ""} {
		if r, err := formats.Open(write(t, "a.pgm", []byte(text)), formats.Options{}); err != nil || r.Info().Name != want {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a name is registered twice")
		}
	}()
	formats.Register(fake)
}

// The error for a file in a common format that is not registered must name the format and list the
// supported ones.
func TestUnreadFormats(t *testing.T) {
	for head, want := range map[string]string{
		"\x89HDF\r\n\x1a\n....":               "an HDF5 file",
		"CDF\x01....":                         "a NetCDF file",
		"CDF\x05":                             "a NetCDF file",
		"SIMPLE  =                    T":      "a FITS file",
		"MATLAB 5.0 MAT-file, Platform: GLNX": "a MAT file",
		"MATLAB 7.3 MAT-file, Platform: GLNX": "an HDF5 file",
		"GRIB....":                            "a GRIB file",
		"NITF02.10":                           "a NITF file",
		"\x00\x00\x00\x0cjP  \r\n\x87\n":      "a JPEG 2000 picture",
	} {
		for _, name := range []string{"a", "a.npy"} { // their extension is that of another format
			path := write(t, name, []byte(head))
			err := readAll(path)
			if text := path + ": " + want + ": not read yet: known are npy (.npy), npz (.npz), png (.png), picture (.jpg"; !errors.Is(err, formats.ErrNotRead) ||
				!strings.HasPrefix(err.Error(), text) {
				t.Errorf("%q: %v", head, err)
			}
		}
	}
	zarr := filepath.Dir(write(t, ".zarray", nil))
	if err := readAll(zarr); !errors.Is(err, formats.ErrNotRead) || !strings.HasPrefix(err.Error(), zarr+": a Zarr folder: not read yet") {
		t.Error(err)
	}
}

// Files that cannot be opened or created as requested must be refused, with what is possible.
func TestRefused(t *testing.T) {
	path := write(t, "a.npy", fortran(t))
	for is, o := range map[error]formats.Options{formats.ErrVariable: {Variable: "t"}, formats.ErrFormat: {Format: "hdf9"}} {
		if _, err := formats.Open(path, o); !errors.Is(err, is) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%+v: %v", o, err)
		}
	}
	var out strings.Builder
	byte1 := formats.Info{DType: dtype.Uint8, Shape: []int{2, 2, 2}}
	other := byte1
	other.Order = nd.Order{1, 0, 2}
	for _, c := range []struct {
		name string
		info formats.Info
		is   error
		text string
	}{
		{"a.hdf9", byte1, formats.ErrFormat, "a.hdf9: unknown format: known are npy (.npy), npz (.npz), png (.png), picture (.jpg"},
		{"a.tif", byte1, formats.ErrNotWritten, "a.tif: format picture: not written yet: known are npy (.npy), npz (.npz), png (.png), csv (.csv"},
		{"npy", other, nd.ErrRank, "npy: order [1 0 2]: a file is row-major or column-major"},
		{"npy", formats.Info{}, dtype.ErrDType, "npy: shape []"},
		{"npy", formats.Info{DType: dtype.Int8, Shape: []int{-1}}, nd.ErrBounds, "extent -1"},
	} {
		if _, err := formats.Create(&out, c.name, c.info); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) || out.Len() > 0 {
			t.Errorf("%s %+v: %v, %d bytes written", c.name, c.info, err, out.Len())
		}
	}
}

// CreateFile must write a new file, by name for formats that require one, and refuse a path that
// exists.
func TestCreateFile(t *testing.T) {
	registered := formats.Formats()
	t.Cleanup(func() { formats.SetFormats(registered) })
	named := fake
	named.CreatePath = func(path string, _ formats.Content) ([]formats.Writer, error) {
		return nil, os.Mkdir(path, 0o700)
	}
	formats.Register(named)
	dir := t.TempDir()
	if _, err := formats.CreateFile(filepath.Join(dir, "b.fake"), "", formats.Content{}); err != nil {
		t.Error(err)
	}
	path := filepath.Join(dir, "a.npy")
	content := formats.Content{Vars: []formats.Info{{DType: dtype.Uint8, Shape: []int{3}}}}
	writers, err := formats.CreateFile(path, "", content)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writers[0].WriteSection(nil, []byte("abc")), writers[0].Close()); err != nil {
		t.Fatal(err)
	}
	if v, err := formats.ReadAll[uint8](path); err != nil || string(v.Data()) != "abc" {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := formats.CreateFile(path, "", content); !errors.Is(err, fs.ErrExist) || !strings.HasPrefix(err.Error(), "create "+path) {
		t.Error(err)
	}
	content.Vars[0].DType = 0
	refused := filepath.Join(dir, "refused.npy")
	if _, err := formats.CreateFile(refused, "", content); !errors.Is(err, dtype.ErrDType) {
		t.Error(err)
	}
	if _, err := os.Stat(refused); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file remains: %v", err)
	}
}
