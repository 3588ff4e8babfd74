//go:build matio && cgo

package mat

// #cgo pkg-config: matio hdf5-serial
// #include "bridge.h"
import "C"

import (
	"runtime"

	"drx/formats/cformat"
	"drx/formats/lock"
)

// enter locks the library: other goroutines wait until the returned function is called.
func enter() (leave func()) {
	lock.HDF5.Lock()
	runtime.LockOSThread()
	C.drxmat_begin()
	return func() {
		runtime.UnlockOSThread()
		lock.HDF5.Unlock()
	}
}

// failure returns the error of the last call, in one line: the operation and the last message of
// the library.
func failure(doing string) error {
	return cformat.Failed(doing, "libmatio", C.GoString(C.drxmat_message()), nil)
}

// check returns an error if status, the result of the last call, is not 0.
func check(doing string, status C.int) error {
	if status == 0 {
		return nil
	}
	return failure(doing)
}
