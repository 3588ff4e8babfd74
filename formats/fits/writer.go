//go:build fits && cgo

package fits

// #include <fitsio.h>
import "C"

import (
	"bytes"
	"unsafe"

	"drx/formats"
	"drx/nd"
)

// A target is a file that is being written.
type target struct {
	fits    *C.fitsfile
	current int // header
}

// A writer writes a variable.
type writer struct {
	varDef
	target  *target
	header  int
	tiles   map[int]*tile // incomplete tiles, by the number of their first element
	waiting int           // bytes of these tiles
}

// pieceBytes is the memory, in bytes, for elements whose stored form differs from the caller's
// buffer.
const pieceBytes = 1 << 19

// Write implements cformat.Sink.
func (w *writer) Write(sec nd.Section, buf []byte) error {
	if err := w.target.move(w.header); err != nil {
		return err
	}
	if w.tile != nil {
		return w.writeTiles(sec, buf)
	}
	return w.writeRuns(sec, buf)
}

// move makes a header the current one.
func (t *target) move(header int) error {
	if t.current == header {
		return nil
	}
	var status C.int
	C.ffmahd(t.fits, C.int(header), nil, &status)
	if err := check("move", status); err != nil {
		return err
	}
	t.current = header
	return unscaled(t.fits)
}

// writeRuns writes a section of an image that is not compressed.
func (w *writer) writeRuns(sec nd.Section, buf []byte) error {
	size := w.elem.dtype.Size()
	return formats.Runs(w.info.Shape, nil, sec, func(first, at, n int) error {
		for from := 0; from < n; from += pieceBytes / size {
			to := min(n, from+pieceBytes/size)
			data := w.stored(bytes.Clone(buf[(at+from)*size : (at+to)*size]))
			var status C.int
			C.ffppr(w.target.fits, w.elem.code, C.LONGLONG(first+from+1), C.LONGLONG(to-from), unsafe.Pointer(&data[0]), &status)
			if err := check("write", status); err != nil {
				return err
			}
		}
		return nil
	})
}

// stored converts little-endian elements to the form that the library expects: native byte order,
// with the highest bit inverted where the convention requires it.
func (w *writer) stored(data []byte) []byte {
	w.elem.turn(data)
	return w.elem.dtype.Little(data)
}

// Finish implements cformat.Sink.
func (w *writer) Finish(bool) error {
	w.tiles = nil
	return nil
}

// Close closes the file.
func (t *target) Close() error {
	var status C.int
	C.ffclos(t.fits, &status)
	return check("close", status)
}
