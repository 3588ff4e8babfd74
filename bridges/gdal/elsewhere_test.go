//go:build gdal && cgo

package gdal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"drx/bridges/bridgetest"
	"drx/convert"
	"drx/dtype"
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
			o := convert.Options{Format: "envi"}
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
