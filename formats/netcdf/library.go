//go:build netcdf && cgo

package netcdf

// #cgo pkg-config: netcdf hdf5-serial
// #include "bridge.h"
import "C"

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
	"drx/formats/h5filter"
	"drx/formats/lock"
)

// enter locks the library: other goroutines wait until the returned function is called.
func enter() (leave func()) {
	lock.HDF5.Lock()
	runtime.LockOSThread()
	C.drxnc_quiet()
	h5filter.Begin()
	return func() {
		runtime.UnlockOSThread()
		lock.HDF5.Unlock()
	}
}

// check returns an error if status, the result of the last call, is not 0.
func check(doing string, status C.int) error {
	if status == C.NC_NOERR {
		return nil
	}
	text, cause := C.GoString(C.nc_strerror(status)), cformat.Short(status == C.NC_ETRUNC)
	if err := h5filter.Failed(); err != nil && status == C.NC_EHDFERR {
		text, cause = text+": "+err.Error(), err
	}
	switch {
	case status == C.NC_ENOTNC: // its first bytes were recognised
		text += "; it begins as a NetCDF file, so it is damaged: get it again"
	case status == C.NC_EHDFERR && doing == "open": // the library reports no details
		text += "; it is cut off or damaged, or an HDF5 file that is no NetCDF file: reading it in format hdf5 says more"
	}
	return cformat.Failed(doing, "NetCDF", strings.TrimPrefix(text, "NetCDF: "), cause)
}

// ehdferr is the library's status for errors of libhdf5.
const ehdferr = C.NC_EHDFERR

// charText returns the string in an array of characters, without the trailing zeros.
func charText(b []byte) string { return formats.Text(bytes.TrimRight(b, "\x00")) }

// cstring returns a C string for a call, and the function that frees it.
func cstring(s string) (*C.char, func()) {
	p := C.CString(s)
	return p, func() { C.free(unsafe.Pointer(p)) }
}

// A nameBuffer receives a name.
type nameBuffer [C.NC_MAX_NAME + 1]C.char

// String returns the name as the file has it.
func (b *nameBuffer) String() string { return C.GoString(&b[0]) }

// extent returns a number of the library as an int, or an error if it does not fit.
func extent(n C.size_t) (int, error) {
	if out := int(n); out >= 0 && C.size_t(out) == n {
		return out, nil
	}
	return 0, fmt.Errorf("%d elements: larger than this machine can address", uint64(n))
}
