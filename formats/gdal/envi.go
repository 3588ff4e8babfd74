//go:build gdal && cgo

package gdal

// #include <gdal.h>
import "C"

import (
	"errors"
	"io"
	"math/big"
	"os"
	"strconv"
	"strings"
)

// checkWhole returns an error if the file of an ENVI raster is shorter than its header says. GDAL
// reads the missing part as zeros, because programs may leave elements unwritten; in a truncated
// file these zeros would pass for measurements.
func checkWhole(h C.GDALDatasetH, path string) error {
	driver := C.GDALGetDatasetDriver(h)
	if driver == nil || C.GoString(C.GDALGetDriverShortName(driver)) != "ENVI" || enviField(h, "file_compression") == "1" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	var offset int64
	if text := enviField(h, "header_offset"); text != "" {
		if offset, err = strconv.ParseInt(text, 10, 64); err != nil {
			return errors.New("header offset " + strconv.Quote(text) + ": want a number")
		}
	}
	size := C.GDALGetDataTypeSizeBytes(C.GDALGetRasterDataType(C.GDALGetRasterBand(h, 1)))
	want := big.NewInt(int64(size))
	for _, n := range []C.int{C.GDALGetRasterXSize(h), C.GDALGetRasterYSize(h), C.GDALGetRasterCount(h)} {
		want.Mul(want, big.NewInt(int64(n)))
	}
	if want.Add(want, big.NewInt(offset)).Cmp(big.NewInt(info.Size())) <= 0 {
		return nil
	}
	return errorf(io.ErrUnexpectedEOF, "its header wants %v bytes, the file has %d", want, info.Size())
}

// enviField returns a field of the header, or "" if the header does not have it.
func enviField(h C.GDALDatasetH, name string) string {
	n, free := cstring(name)
	defer free()
	domain, freeDomain := cstring(enviDomain)
	defer freeDomain()
	return strings.TrimSpace(C.GoString(C.GDALGetMetadataItem(C.GDALMajorObjectH(h), n, domain)))
}
