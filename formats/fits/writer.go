//go:build fits && cgo

package fits

// #include <fitsio.h>
import "C"

import (
	"bytes"
	"errors"
	"fmt"
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
	"drx/nd"
)

// A target is a file that is being written.
type target struct {
	fits    *C.fitsfile
	current int // header
	open    int // writers that are not closed
}

// A writer writes a variable.
type writer struct {
	planned
	target  *target
	header  int
	tiles   map[int]*tile // those that are not complete, by the number of their first element
	waiting int           // bytes of these
	written int
	closed  bool
}

// pieceBytes is the memory for elements that are stored otherwise than in the caller's buffer.
const pieceBytes = 1 << 19

// WriteSection implements formats.Writer.
func (w *writer) WriteSection(sec nd.Section, buf []byte) error {
	sec, err := w.info.Check(sec, buf)
	if err != nil || len(buf) == 0 {
		return err
	}
	defer enter()()
	switch {
	case w.closed:
		err = cformat.ErrClosed
	default:
		if err = w.target.move(w.header); err == nil {
			err = w.write(sec, buf)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: section %v: %w", w.name, sec, err)
	}
	w.written += cformat.Count(sec)
	return nil
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

// write writes a section.
func (w *writer) write(sec nd.Section, buf []byte) error {
	if w.tile != nil {
		return w.writeTiles(sec, buf)
	}
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

// stored changes little-endian elements to those of this machine that the library takes.
func (w *writer) stored(data []byte) []byte {
	w.elem.turn(data)
	return w.elem.dtype.Little(data)
}

// Close implements formats.Writer. The last writer of a file closes it.
func (w *writer) Close() error {
	defer enter()()
	if w.closed {
		return nil
	}
	w.closed, w.tiles = true, nil
	err := w.info.CheckWritten(w.written)
	if w.target.open--; w.target.open == 0 {
		err = errors.Join(err, w.target.close())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.name, err)
	}
	return nil
}

// close closes the file.
func (t *target) close() error {
	var status C.int
	C.ffclos(t.fits, &status)
	return check("close", status)
}
