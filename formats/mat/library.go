//go:build matio && cgo

package mat

// #cgo pkg-config: matio hdf5-serial
// #include "bridge.h"
import "C"

import (
	"fmt"
	"runtime"

	"drx/formats/cformat"
	"drx/formats/lock"
)

// Built reports whether libmatio is compiled in.
const Built = true

// enter begins calls of the library: other goroutines wait until the function it returns is called.
func enter() (leave func()) {
	lock.HDF5.Lock()
	runtime.LockOSThread()
	C.drxmat_begin()
	return func() {
		runtime.UnlockOSThread()
		lock.HDF5.Unlock()
	}
}

// Library returns the name and the version of the library: "libmatio 1.5.23".
func Library() (string, error) {
	var major, minor, release C.int
	C.Mat_GetLibraryVersion(&major, &minor, &release)
	return fmt.Sprintf("libmatio %d.%d.%d", major, minor, release), nil
}

// failure returns the error of the call before, in one line: what was being done, and the last
// message of the library.
func failure(doing string) error {
	return cformat.Failed(doing, "libmatio", C.GoString(C.drxmat_message()), false)
}

// check returns the error of a call that has returned a number other than 0.
func check(doing string, status C.int) error {
	if status == 0 {
		return nil
	}
	return failure(doing)
}
