//go:build gdal && cgo

package gdal

// #cgo pkg-config: gdal
// #include <stdlib.h>
// #include <gdal.h>
// #include <cpl_conv.h>
// #include <cpl_error.h>
// #include <cpl_string.h>
//
// static void drxgdal_quiet(void) { CPLSetErrorHandler(CPLQuietErrorHandler); }
import "C"

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
)

// library is held during every call of GDAL.
var library sync.Mutex

// drivers are the drivers that stay registered: they read one file, and files beside it that
// filesStay checks. start removes all others, and PCIDSK, which does not report the files of its
// channels to the library.
var drivers = strings.Fields(`GTiff NITF ENVI EHdr GRIB JP2OpenJPEG HFA AAIGrid GRASSASCIIGrid DTED SRTMHGT USGSDEM PNG JPEG GIF BIGGIF
	BMP PNM BSB RST SGI Terragen ELAS CEOS SAR_CEOS GSAG GSBG GS7BG ROI_PAC PCRaster RMF L1B NDF XYZ BT LAN MEM`)

// start initialises the library.
var start = sync.OnceFunc(func() {
	C.drxgdal_quiet()
	for name, value := range map[string]string{"GDAL_PAM_ENABLED": "NO", "GDAL_DISABLE_READDIR_ON_OPEN": "TRUE", "GDAL_NUM_THREADS": "1"} {
		n, free := cstring(name)
		v, freeValue := cstring(value)
		C.CPLSetConfigOption(n, v)
		free()
		freeValue()
	}
	C.GDALAllRegister()
	for i := int(C.GDALGetDriverCount()) - 1; i >= 0; i-- {
		d := C.GDALGetDriver(C.int(i))
		if !slices.Contains(drivers, C.GoString(C.GDALGetDriverShortName(d))) {
			C.GDALDeregisterDriver(d)
		}
	}
})

// enter begins calls of the library: other goroutines wait until the function it returns is called.
// The library keeps the description of an error per thread.
func enter() (leave func()) {
	library.Lock()
	runtime.LockOSThread()
	start()
	C.CPLErrorReset()
	return func() {
		runtime.UnlockOSThread()
		library.Unlock()
	}
}

// limitCache limits the library's cache of blocks, which all files share, to half of memory, in
// bytes. GDAL's default is a twentieth of the machine's memory.
func limitCache(memory int64) {
	C.GDALSetCacheMax64(C.GIntBig(max(1<<20, memory/2)))
}

// failure returns the error of the preceding call, in one line.
func failure(doing string) error {
	text := strings.TrimSuffix(cformat.OneLine(C.GoString(C.CPLGetLastErrorMsg())), ".")
	C.CPLErrorReset()
	short := slices.ContainsFunc([]string{
		"Read error at", "Unable to read", "got 0 bytes", "nexpected end", "too short", "truncated", "I/O error",
	}, func(sign string) bool { return strings.Contains(text, sign) })
	return cformat.Failed(doing, "GDAL", text, cformat.Short(short))
}

// check returns the error of a call that has failed.
func check(doing string, status C.CPLErr) error {
	if status >= C.CE_Failure {
		return failure(doing)
	}
	return nil
}

// cstring returns a C string for a call, and the function that frees it.
func cstring(s string) (*C.char, func()) {
	p := C.CString(s)
	return p, func() { C.free(unsafe.Pointer(p)) }
}

// list returns a list of C strings, and the function that frees it.
func list(words []string) (**C.char, func()) {
	var all **C.char
	for _, w := range words {
		p, free := cstring(w)
		all = C.CSLAddString(all, p)
		free()
	}
	return all, func() { C.CSLDestroy(all) }
}

// goStrings returns the strings of a list that the library owns.
func goStrings(all **C.char) (out []string) {
	for i := range int(C.CSLCount(all)) {
		out = append(out, formats.Text(C.GoString(C.CSLGetField(all, C.int(i)))))
	}
	return out
}

// errorf returns an error that wraps kind.
func errorf(kind error, format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, kind)...)
}
