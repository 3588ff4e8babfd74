//go:build gdal && cgo

package gdal

// #include <gdal.h>
import "C"

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drx/formats"
	"drx/formats/cformat"
)

// tiff are the first bytes of TIFF files, the last two of BigTIFF.
var tiff = []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"}

func init() {
	jp2 := []string{"\x00\x00\x00\x0cjP  ", "\xff\x4f\xff\x51"}
	register("geotiff", []string{".tif", ".tiff"}, tiff, []string{"GTiff"}, "GTiff")
	register("envi", []string{".img", ".hdr", ".bil", ".bip", ".bsq", ".dat"}, nil, []string{"ENVI", "EHdr"}, "ENVI")
	register("nitf", []string{".ntf", ".nitf", ".nsf"}, []string{"NITF", "NSIF"}, []string{"NITF"}, "")
	// Frames such as 0000M033.GN3 begin like NITF files.
	register("rpf", []string{".rpf"}, nil, []string{"NITF"}, "")
	register("grib", []string{".grb", ".grib", ".grb2", ".grib2", ".grib1"}, []string{"GRIB"}, []string{"GRIB"}, "")
	register("jp2", []string{".jp2", ".j2k", ".j2c", ".jpc", ".jpx"}, jp2, []string{"JP2OpenJPEG"}, "")
	register("gdal", nil, nil, drivers, "")
}

// register registers a format that the drivers in readers read. writer is the driver that writes
// it, "" if none does.
func register(name string, extensions, magics, readers []string, writer string) {
	library := cformat.Library{Enter: enter, Read: func(in *formats.Input) (cformat.File, error) { return readCatalog(in, readers) }}
	f := formats.Format{Name: name, Extensions: extensions, Open: library.Open, List: library.List}
	if magics != nil {
		f.Recognise = func(head []byte) bool {
			return slices.ContainsFunc(magics, func(m string) bool { return bytes.HasPrefix(head, []byte(m)) })
		}
	}
	if writer != "" {
		f.CreatePath = func(path string, c formats.Content) ([]formats.Writer, error) { return create(path, writer, c) }
	}
	if writer == "GTiff" {
		f.Usual = formats.CodecSpec{Name: "gzip", Level: 6} // GDAL's level of deflate
	}
	formats.Register(f)
}

// locate returns the path to pass to the library: if the file is a header, that of its data.
func locate(in *formats.Input) (string, error) {
	if err := cformat.NeedFile(in, "a raster"); err != nil {
		return "", err
	}
	path, err := filepath.Abs(in.Path)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(path, "/vsi") {
		return "", errorf(formats.ErrNotRead, "GDAL takes a name that begins with /vsi for something else: move the file")
	}
	stem, isHeader := strings.TrimSuffix(path, filepath.Ext(path)), strings.EqualFold(filepath.Ext(path), ".hdr")
	if !isHeader {
		return path, headersStay(path, stem)
	}
	for _, ext := range []string{"", ".img", ".dat", ".bsq", ".bil", ".bip", ".raw", ".IMG", ".DAT"} {
		if info, err := os.Stat(stem + ext); err == nil && info.Mode().IsRegular() {
			return stem + ext, cformat.StaysBelow(path, stem+ext, filepath.Base(stem)+ext)
		}
	}
	return "", errorf(formats.ErrNotRead, "is a header, but there is no %s.img, .dat, .bsq, .bil, .bip or .raw beside it with the data", filepath.Base(stem))
}

// headersStay returns an error if a file that the library may read beside a raster is a link to
// another folder. Drivers find such files by name.
func headersStay(path, stem string) error {
	for _, beside := range []string{
		stem + ".hdr", stem + ".HDR", path + ".hdr", path + ".HDR", stem + ".prj", stem + ".PRJ", stem + ".clr", stem + ".CLR", stem + ".sta", stem + ".stx",
	} {
		if _, err := os.Lstat(beside); err != nil || beside == path {
			continue
		}
		if err := cformat.StaysBelow(path, beside, filepath.Base(beside)); err != nil {
			return err
		}
	}
	return nil
}
