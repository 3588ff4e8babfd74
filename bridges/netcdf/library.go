//go:build netcdf && cgo

package netcdf

// #cgo pkg-config: netcdf hdf5-serial
// #include "bridge.h"
import "C"

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"unicode/utf8"
	"unsafe"

	"drx/bridges/lock"
)

// Built reports whether libnetcdf is compiled in.
const Built = true

// Library returns the name and the version of the library: "NetCDF 4.9.0".
func Library() (string, error) {
	defer enter()()
	version, _, _ := strings.Cut(C.GoString(C.nc_inq_libvers()), " ")
	return "NetCDF " + version, nil
}

// enter begins calls of the library: other goroutines wait until the function it returns is called.
func enter() (leave func()) {
	lock.HDF5.Lock()
	runtime.LockOSThread()
	C.drxnc_quiet()
	return func() {
		runtime.UnlockOSThread()
		lock.HDF5.Unlock()
	}
}

// A libraryError is an error that the library has described.
type libraryError struct {
	doing  string
	status C.int
}

// Error returns one line.
func (e *libraryError) Error() string {
	text := e.doing + ": " + plain(C.GoString(C.nc_strerror(e.status)))
	if e.status == C.NC_ENOTNC { // its first bytes were recognised
		text += "; it begins as a NetCDF file, so it is damaged: get it again"
	}
	return text
}

// Unwrap returns io.ErrUnexpectedEOF for a file that is too short.
func (e *libraryError) Unwrap() error {
	if e.status == C.NC_ETRUNC {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// A refusal is a reason for people, which is an error of another kind for errors.Is.
type refusal struct {
	text string
	kind error
}

// Error returns the reason alone.
func (r *refusal) Error() string { return r.text }

// Unwrap returns the kind.
func (r *refusal) Unwrap() error { return r.kind }

// check returns the error of a call that has returned a status other than 0.
func check(doing string, status C.int) error {
	if status != C.NC_NOERR {
		return &libraryError{doing, status}
	}
	return nil
}

// plain returns a text of a file or of the library as valid UTF-8 in one line.
func plain(s string) string { return strings.Join(strings.Fields(utf8Text([]byte(s))), " ") }

// utf8Text returns b as a string, or if it is not valid UTF-8 as the Latin-1 that it most likely is.
func utf8Text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

// charText returns the string in an array of characters, without the zeros that fill it up.
func charText(b []byte) string { return utf8Text(bytes.TrimRight(b, "\x00")) }

// cstring returns a C string for a call, and the function that frees it.
func cstring(s string) (*C.char, func()) {
	p := C.CString(s)
	return p, func() { C.free(unsafe.Pointer(p)) }
}

// A nameBuffer receives a name.
type nameBuffer [C.NC_MAX_NAME + 1]C.char

// String returns the name as it is in the file.
func (b *nameBuffer) String() string { return C.GoString(&b[0]) }

// first returns a pointer to the first element for C, nil if there is none.
func first[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}

// sizes returns numbers as C has them.
func sizes(ns []int) []C.size_t {
	out := make([]C.size_t, len(ns))
	for i, n := range ns {
		out[i] = C.size_t(n)
	}
	return out
}

// extent returns a number of the library as an int, or an error if it does not fit.
func extent(n C.size_t) (int, error) {
	if out := int(n); out >= 0 && C.size_t(out) == n {
		return out, nil
	}
	return 0, fmt.Errorf("%d elements: larger than this machine can address", uint64(n))
}

// multiply returns a product, or the largest number.
func multiply(n int64, factors ...int) int64 {
	for _, f := range factors {
		if f > 0 && n > (1<<62)/int64(f) {
			return 1 << 62
		}
		n *= int64(f)
	}
	return n
}
