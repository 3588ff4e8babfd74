//go:build fits && cgo

package fits

// #cgo pkg-config: cfitsio
// #include <stdlib.h>
// #include <fitsio.h>
import "C"

import (
	"sync"

	"drx/formats/cformat"
)

// library is held during every call of CFITSIO.
var library sync.Mutex

// enter begins calls of the library: other goroutines wait until the function it returns is called.
func enter() (leave func()) {
	library.Lock()
	return library.Unlock
}

// check returns an error if status is not 0. Its single line says what was being done, what the
// status means, and the first message of the library, which names the cause.
func check(doing string, status C.int) error {
	if status == 0 {
		return nil
	}
	var text [C.FLEN_STATUS]C.char
	C.ffgerr(status, &text[0])
	description := C.GoString(&text[0])
	var message [C.FLEN_ERRMSG]C.char
	if C.ffgmsg(&message[0]) != 0 {
		description += ": " + C.GoString(&message[0])
	}
	C.ffcmsg()
	return cformat.Failed(doing, "CFITSIO", description, cformat.Short(status == C.END_OF_FILE || status == C.READ_ERROR))
}
