//go:build netcdf && cgo

package netcdf

// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	"drx/nd"
)

// A target is a file that is being written.
type target struct {
	id   C.int
	open int // writers that are not closed
}

// A writer writes a variable.
type writer struct {
	info      formats.Info
	name      string
	target    *target
	group, id C.int
	texts     *texts // nil unless the variable has strings
	width     int    // bytes of a string as characters, 0 for other variables
	written   int
	closed    bool
}

// WriteSection implements formats.Writer.
func (w *writer) WriteSection(sec nd.Section, buf []byte) error {
	sec, err := w.info.Check(sec, buf)
	if err != nil || len(buf) == 0 {
		return err
	}
	if w.info.DType == dtype.Bool && w.info.Labels == nil {
		if err := cformat.CheckBools(buf); err != nil {
			return fmt.Errorf("%s: section %v: %w", w.name, sec, err)
		}
	}
	defer enter()()
	switch {
	case w.closed:
		err = cformat.ErrClosed
	case w.texts != nil:
		err = w.writeStrings(sec, buf)
	case w.width > 0:
		err = w.writeChars(sec, buf)
	default:
		err = w.write(sec, pointer(w.info.DType.Little(buf)))
	}
	if err != nil {
		return fmt.Errorf("%s: section %v: %w", w.name, sec, err)
	}
	w.written += cformat.Count(sec)
	return nil
}

// write writes a section from memory.
func (w *writer) write(sec nd.Section, from unsafe.Pointer) error {
	start, counts := corner(sec)
	return check("write", C.nc_put_vara(w.group, w.id, &start[0], &counts[0], from))
}

// writeStrings writes the strings of a section, of which buf has the indices.
func (w *writer) writeStrings(sec nd.Section, buf []byte) error {
	return cformat.Pieces(sec, textPiece, func(box nd.Section, at int) error {
		for i := range cformat.Count(box) {
			label, err := w.info.Label(buf, at+i)
			if err != nil {
				return err
			}
			w.texts.piece[i] = w.texts.labels[label]
		}
		return w.write(box, unsafe.Pointer(w.texts.piece))
	})
}

// writeChars writes the strings of a section as characters, with zeros after the shorter ones.
func (w *writer) writeChars(sec nd.Section, buf []byte) error {
	most := max(1, cformat.PieceBytes/w.width)
	return cformat.Pieces(sec, most, func(box nd.Section, at int) error {
		tmp := make([]byte, cformat.Count(box)*w.width)
		for i := range cformat.Count(box) {
			label, err := w.info.Label(buf, at+i)
			if err != nil {
				return err
			}
			copy(tmp[i*w.width:], w.info.Labels[label])
		}
		return w.write(append(box, nd.Span(0, w.width)), pointer(tmp))
	})
}

// Close implements formats.Writer. The last writer of a file closes it.
func (w *writer) Close() error {
	defer enter()()
	if w.closed {
		return nil
	}
	w.closed = true
	w.texts.free()
	err := w.info.CheckWritten(w.written)
	if w.target.open--; w.target.open == 0 {
		err = errors.Join(err, check("close", C.nc_close(w.target.id)))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.name, err)
	}
	return nil
}

// texts are labels in memory of C, and a buffer for a piece of a section.
type texts struct {
	labels []*C.char
	piece  *[textPiece]*C.char
}

const textPiece = 4096

// newTexts returns strings without zero bytes as C has them.
func newTexts(labels []string) *texts {
	t := &texts{piece: (*[textPiece]*C.char)(C.calloc(textPiece, C.size_t(unsafe.Sizeof((*C.char)(nil)))))}
	for _, label := range labels {
		t.labels = append(t.labels, C.CString(label))
	}
	return t
}

// free frees the memory of C.
func (t *texts) free() {
	if t == nil {
		return
	}
	for _, p := range t.labels {
		C.free(unsafe.Pointer(p))
	}
	C.free(unsafe.Pointer(t.piece))
}
