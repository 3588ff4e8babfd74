//go:build hdf5 && cgo

package hdf5

// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
	"drx/nd"
)

// A target is a file that is being written.
type target struct {
	id   handle
	open int // writers that are not closed

	cache int64 // bytes of the chunk cache of a dataset that is opened to append to it
}

// A writer writes a variable.
type writer struct {
	info    formats.Info
	name    string
	target  *target
	dataset handle
	mem     handle
	texts   *texts // nil unless the variable has labels
	written int
	closed  bool
}

// setMemory sets the type of elements in buffers: that of the file for an enumeration, to which the
// library converts no integers.
func (w *writer) setMemory() error {
	t := handle(C.H5Dget_type(w.dataset.id()))
	if !t.ok() {
		return failure("its type")
	}
	if C.H5Tget_class(t.id()) != C.H5T_ENUM || w.info.DType == dtype.Bool {
		t.close()
		if w.mem = fileType(&w.info); !w.mem.ok() {
			return failure("its type")
		}
		return nil
	}
	of, elements := handle(C.H5Tget_super(t.id())), standard(w.info.DType)
	defer of.close()
	defer elements.close()
	if C.H5Tequal(of.id(), elements.id()) <= 0 { // the library would set elements that are none of the values to -1
		t.close()
		return fmt.Errorf("is an enumeration of other integers than little-endian %v in the file: %w", w.info.DType, formats.ErrSize)
	}
	w.mem = t
	return nil
}

// WriteSection implements formats.Writer.
func (w *writer) WriteSection(sec nd.Section, buf []byte) error {
	sec, err := w.info.Check(sec, buf)
	if err != nil || len(buf) == 0 {
		return err
	}
	if w.info.DType == dtype.Bool && w.texts == nil {
		if err := cformat.CheckBools(buf); err != nil {
			return fmt.Errorf("%s: section %v: %w", w.name, sec, err)
		}
	}
	defer enter()()
	switch {
	case w.closed:
		err = cformat.ErrClosed
	case w.texts != nil:
		err = w.writeTexts(sec, buf)
	default:
		err = w.write(sec, unsafe.Pointer(&buf[0]))
	}
	if err != nil {
		return fmt.Errorf("%s: section %v: %w", w.name, sec, err)
	}
	w.written += cformat.Count(sec)
	return nil
}

// write writes a section from memory.
func (w *writer) write(sec nd.Section, from unsafe.Pointer) error {
	mem, inFile, err := selection(w.dataset, sec)
	if err != nil {
		return err
	}
	defer mem.close()
	defer inFile.close()
	return check("write", C.H5Dwrite(w.dataset.id(), w.mem.id(), mem.id(), inFile.id(), C.H5P_DEFAULT, from))
}

// writeTexts writes the strings of a section, piece by piece. buf has their indices.
func (w *writer) writeTexts(sec nd.Section, buf []byte) error {
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

// Close implements formats.Writer. The last writer of a file closes it.
func (w *writer) Close() error {
	defer enter()()
	if w.closed {
		return nil
	}
	w.closed = true
	err := check("close", C.H5Dclose(w.dataset.id()))
	w.mem.close()
	w.texts.free()
	err = errors.Join(err, w.info.CheckWritten(w.written))
	if w.target.open--; w.target.open == 0 {
		err = errors.Join(err, check("close", C.H5Fclose(w.target.id.id())))
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

// newTexts returns nil for nil.
func newTexts(labels []string) (*texts, error) {
	if labels == nil {
		return nil, nil
	}
	for _, label := range labels {
		if strings.Contains(label, "\x00") {
			return nil, fmt.Errorf("label %q: strings in HDF5 have no zero bytes: %w", label, formats.ErrType)
		}
	}
	t := &texts{piece: (*[textPiece]*C.char)(C.calloc(textPiece, C.size_t(unsafe.Sizeof((*C.char)(nil)))))}
	for _, label := range labels {
		t.labels = append(t.labels, C.CString(label))
	}
	return t, nil
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
