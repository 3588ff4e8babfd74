//go:build gdal && cgo

package gdal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/bridgetest"
)

// Neither the data of a header nor the header of data is read where a symbolic link leads out of
// the folder.
func TestLinksOutOfTheFolder(t *testing.T) {
	raster := raster(t, "a.tif", dtype.Uint8, []int{1, 4, 5}, nil)
	for name, c := range map[string]struct{ open, linked string }{
		"data":   {"a.hdr", "a.img"},
		"header": {"a.img", "a.hdr"},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			folder, outside := filepath.Join(top, "folder"), filepath.Join(top, "outside")
			if err := errors.Join(os.Mkdir(folder, 0o700), os.Mkdir(outside, 0o700)); err != nil {
				t.Fatal(err)
			}
			tool(t, "gdal_translate", "-q", "-of", "ENVI", raster, filepath.Join(folder, "a.img"))
			open, linked := filepath.Join(folder, c.open), filepath.Join(folder, c.linked)
			o := formats.Options{Format: "envi"}
			bridgetest.Get(t, open, o)
			if err := errors.Join(os.Rename(linked, filepath.Join(outside, c.linked)), os.Symlink("../outside/"+c.linked, linked)); err != nil {
				t.Fatal(err)
			}
			bridgetest.NotOpened(t, open, o, `"`+c.linked+`" leads by a symbolic link out of the folder`, nil)
			err := errors.Join(os.Remove(linked), os.Rename(filepath.Join(outside, c.linked), filepath.Join(folder, "kept")), os.Symlink("kept", linked))
			if err != nil {
				t.Fatal(err)
			}
			bridgetest.Get(t, open, o) // a link within the folder
		})
	}
}

// A file that a raster names is read only in the folder and below.
func TestNamesOutOfTheFolder(t *testing.T) {
	raster := raster(t, "a.tif", dtype.Uint8, []int{1, 4, 5}, nil)
	top := t.TempDir()
	folder, o := filepath.Join(top, "folder"), formats.Options{Format: "gdal"}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	image, other := filepath.Join(folder, "beside.img"), filepath.Join(folder, "beside.ige")
	tool(t, "gdal_translate", "-q", "-of", "HFA", "-co", "USE_SPILL=YES", raster, image)
	bridgetest.Get(t, image, o)
	outside := filepath.Join(top, "side.ige")
	if err := errors.Join(os.Rename(other, outside), os.Symlink("../side.ige", other)); err != nil {
		t.Fatal(err)
	}
	bridgetest.NotOpened(t, image, o, `"beside.ige" leads by a symbolic link out of the folder`, nil)
	data, err := os.ReadFile(image)
	if err != nil || !bytes.Contains(data, []byte("beside.ige")) {
		t.Fatalf("%v, %q", err, data)
	}
	if err := errors.Join(os.Rename(outside, filepath.Join(top, "ide.ige")), os.WriteFile(image, bytes.ReplaceAll(data, []byte("beside.ige"), []byte("../ide.ige")), 0o600)); err != nil {
		t.Fatal(err)
	}
	bridgetest.NotOpened(t, image, o, "which lies outside of its folder", formats.ErrNotRead)
}
