//go:build hdf5 && cgo

package hdf5

// #cgo pkg-config: hdf5-serial
// #cgo LDFLAGS: -lhdf5_hl
// #include "bridge.h"
// #include "lzf.h"
import "C"

import (
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"drx/formats/cformat"
	"drx/formats/h5filter"
	"drx/formats/lock"
)

// enter locks the library: other goroutines wait until the returned function is called.
func enter() (leave func()) {
	lock.HDF5.Lock()
	runtime.LockOSThread()
	C.drxh5_quiet()
	registerLZF()
	h5filter.Begin()
	return func() {
		runtime.UnlockOSThread()
		lock.HDF5.Unlock()
	}
}

// registerLZF registers the filter lzf with the library, once. If that fails, datasets that need it
// are refused.
var registerLZF = sync.OnceFunc(func() {
	if C.H5Zfilter_avail(C.H5Z_filter_t(lzf)) <= 0 {
		C.drxh5_register_lzf()
	}
	C.H5Eclear2(C.H5E_DEFAULT)
})

// lzf is the registered number of the filter lzf.
const lzf = 32000

// A handle is an identifier of the library that its owner closes.
type handle C.hid_t

// ok reports whether a call has returned an identifier.
func (h handle) ok() bool { return h >= 0 }

// id returns the identifier for calls of the library.
func (h handle) id() C.hid_t { return C.hid_t(h) }

// close closes what the handle identifies, unless it identifies nothing.
func (h handle) close() {
	if h > 0 {
		C.H5Idec_ref(h.id())
	}
}

// failure returns the error of the last call, in one line: the operation, the description by the
// outermost function of the library, and that by the innermost, which found the reason, or by a
// filter of package h5filter, which the error then wraps.
func failure(doing string) error {
	const size = 512
	var outer, inner [size]C.char
	cause := cformat.Short(C.drxh5_error(&outer[0], &inner[0], size) != 0)
	text, why := cformat.OneLine(C.GoString(&outer[0])), cformat.OneLine(C.GoString(&inner[0]))
	if err := h5filter.Failed(); err != nil {
		return cformat.Failed(doing, "HDF5", text+": "+err.Error(), err)
	}
	if why != "" && why != text {
		text += ": " + why
	}
	return cformat.Failed(doing, "HDF5", text, cause)
}

// check returns an error if status, the result of the last call, is negative.
func check(doing string, status C.herr_t) error {
	if status < 0 {
		return failure(doing)
	}
	return nil
}

// cstring returns a C string for a call, and the function that frees it.
func cstring(s string) (*C.char, func()) {
	p := C.CString(s)
	return p, func() { C.free(unsafe.Pointer(p)) }
}

// extents returns numbers of the library as ints. It is false if one does not fit.
func extents(dims []C.hsize_t) (out []int, fit bool) {
	out = make([]int, len(dims))
	for i, n := range dims {
		out[i] = int(n)
		if out[i] < 0 || C.hsize_t(out[i]) != n {
			return nil, false
		}
	}
	return out, true
}

// names returns the names in a drxh5_names and frees it. Each name is prefixed by its kind.
func names(n *C.drxh5_names) []string {
	if n.text == nil {
		return nil
	}
	all := C.GoStringN(n.text, C.int(n.used))
	C.free(unsafe.Pointer(n.text))
	return strings.Split(strings.TrimSuffix(all, "\x00"), "\x00")
}

// nameOf returns a name from the library. It calls get twice: for the length, then for the name.
func nameOf(doing string, get func(buf *C.char, size C.size_t) C.ssize_t) (string, error) {
	n := get(nil, 0)
	if n < 0 || n > 1<<20 {
		return "", failure(doing)
	}
	buf := make([]C.char, n+1)
	if get(&buf[0], C.size_t(len(buf))) < 0 {
		return "", failure(doing)
	}
	return C.GoString(&buf[0]), nil
}
