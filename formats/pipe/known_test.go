package pipe_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/formats"
	"drx/formats/pipe"
	"drx/formats/pipe/pipetest"
)

// Without a helper, files of its formats are recognised by their first bytes or their extension,
// and the error says what is missing.
func TestMissingHelperNames(t *testing.T) {
	t.Setenv(pipe.EnvProgram, "/none/drx-bridge")
	for name, head := range map[string]string{
		"a.h5": "", "a.nc": "", "a.fits": "", "a.mat": "", "a.ntf": "", "a.nitf": "", "a.nsf": "", "a.rpf": "", "a.grib": "", "a.grb": "", "a.grb2": "",
		"a.GRIB2": "", "a.jp2": "", "a.j2k": "", "a.img": "", "a.hdr": "", "a.bil": "", "a.bip": "", "a.bsq": "", "a.dat": "", "a.dem": "", "a.dt1": "",
		"0000M033.GN3": "NITF02.00", "nsif": "NSIF01.00", "grib": "GRIB\x00\x00\x00\x02", "jp2": "\x00\x00\x00\x0cjP  \r\n\x87\n", "j2k": "\xff\x4f\xff\x51\x00",
		"cdf1": "CDF\x01", "cdf2": "CDF\x02", "cdf5": "CDF\x05", "hdf5": "\x89HDF\r\n\x1a\n", "fits": "SIMPLE  =", "mat": "MATLAB 5.0 MAT-file",
		"a.parquet": "", "a.pq": "", "parquet": "PAR1", "gif": "GIF89a", "dted": "UHL1",
	} {
		path := filepath.Join(t.TempDir(), name)
		if head == "" {
			head = "whatever is in it"
		}
		if err := os.WriteFile(path, []byte(head), 0o600); err != nil {
			t.Fatal(err)
		}
		for what, f := range map[string]func() error{
			"open": func() error { _, err := formats.Open(path, formats.Options{}); return err },
			"list": func() error { _, err := formats.List(path, formats.Options{}); return err },
		} {
			if err := f(); !errors.Is(err, pipe.ErrMissing) || !strings.HasPrefix(err.Error(), path+": ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s %s: %v", what, name, err)
			}
		}
	}
}

// A format can be named, even if the first bytes of the file are those of another one.
func TestNamedFormats(t *testing.T) {
	for _, name := range []string{"hdf5", "netcdf", "netcdf3", "fits", "mat", "parquet", "nitf", "rpf", "grib", "jp2", "gdal", "geotiff", "envi"} {
		f, err := formats.ByName(name)
		if err != nil || f.Name != name || !pipe.Knows(name) || f.Open == nil && f.CreatePath == nil {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
}

// A variable of strings must stay one, although a list of variables lacks its strings.
func TestUnreadStrings(t *testing.T) {
	useHelper(t, "all")
	path := file(t, pipetest.File{Vars: []pipetest.Var{{Name: "s", DType: "uint32", Shape: []int{2}, Labels: []string{}}, {Name: "n", DType: "uint32", Shape: []int{2}}}})
	c, err := formats.List(path, formats.Options{})
	if err != nil || c.Vars[0].Labels == nil || len(c.Vars[0].Labels) != 0 || c.Vars[1].Labels != nil {
		t.Errorf("%+v, %v", c, err)
	}
}
