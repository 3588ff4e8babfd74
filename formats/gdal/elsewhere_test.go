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

// Neither the data of a header nor the header of data may be read through a symbolic link that
// leads out of the folder.
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

// A file that a raster names may be read only in the folder and below.
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

// Formats whose files name other files, in all ways that GDAL has, or network addresses, must not
// be read: neither by the format that accepts most files, nor if a file has the extension of
// another format.
func TestFormatsThatNameFiles(t *testing.T) {
	raster := raster(t, "a.tif", dtype.Uint8, []int{1, 4, 5}, nil)
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside.tif")
	tool(t, "gdal_translate", "-q", raster, outside)
	vrt, raw := filepath.Join(dir, "a.vrt"), `<VRTDataset rasterXSize="5" rasterYSize="4"><VRTRasterBand dataType="Byte" band="1" subClass="VRTRawRasterBand">`+
		`<SourceFilename relativeToVRT="0">NAME</SourceFilename><PixelOffset>1</PixelOffset><LineOffset>5</LineOffset></VRTRasterBand></VRTDataset>`
	tool(t, "gdal_translate", "-q", "-of", "VRT", outside, vrt)
	source, err := os.ReadFile(vrt)
	if err != nil || !bytes.Contains(source, []byte(`relativeToVRT="1">outside.tif<`)) {
		t.Fatalf("%v: %s", err, source)
	}
	wms := `<GDAL_WMS><Service name="TMS"><ServerUrl>NAME</ServerUrl></Service><DataWindow><UpperLeftX>0</UpperLeftX><UpperLeftY>4</UpperLeftY>` +
		`<LowerRightX>5</LowerRightX><LowerRightY>0</LowerRightY><SizeX>5</SizeX><SizeY>4</SizeY></DataWindow><BandsCount>1</BandsCount></GDAL_WMS>`
	for _, name := range []string{
		outside, "../outside.tif", "/vsicurl/http://127.0.0.1:9/a.tif", "/vsizip/" + outside + ".zip/a.tif", "/vsisubfile/0_400," + outside,
		"/vsistdin/", "http://127.0.0.1:9/a.tif", "file://" + outside,
	} {
		for kind, text := range map[string]string{
			"vrt": string(bytes.ReplaceAll(source, []byte(`relativeToVRT="1">outside.tif<`), []byte(`relativeToVRT="0">`+name+"<"))),
			"raw": string(bytes.ReplaceAll([]byte(raw), []byte("NAME"), []byte(name))),
			"wms": string(bytes.ReplaceAll([]byte(wms), []byte("NAME"), []byte(name))),
		} {
			for _, ext := range []string{".vrt", ".xml", ".tif", ".img"} {
				path := filepath.Join(t.TempDir(), kind+ext)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				bridgetest.NotOpened(t, path, formats.Options{Format: "gdal"}, "not recognized as a supported file format", nil)
			}
		}
	}
}
