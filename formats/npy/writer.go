package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"drx/internal/errkind"
)

// A Writer writes one .npy file: the header at once, then the elements given to Write, or to
// WriteAt in any order. The bytes are those that NumPy's save writes for the same array.
type Writer struct {
	w         io.Writer
	h         Header
	dataStart int // bytes before the first element
	size      int // bytes of all elements
	written   int
}

// NewWriter writes the header to w. It returns the error of Header.Size if h is not
// valid, otherwise that of w.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	size, err := h.Size()
	if err != nil {
		return nil, fmt.Errorf("npy: shape %v: %w", h.Shape, err)
	}
	n, err := w.Write(h.encode())
	if err != nil {
		return nil, fmt.Errorf("npy: header: %w", err)
	}
	return &Writer{w: w, h: h, dataStart: n, size: size}, nil
}

// Write appends elements, little-endian, dense and in the order of the header; p
// may end inside an element. Bytes beyond the last element are not written, and
// the error wraps io.ErrShortWrite.
func (w *Writer) Write(p []byte) (int, error) {
	fit := min(len(p), w.size-w.written)
	n, err := w.w.Write(p[:fit])
	w.written += n
	if err == nil && fit < len(p) {
		err = w.errTooLong(w.written + len(p) - fit)
	}
	return n, err
}

// WriteAt writes elements. off is in bytes from the first element. Each element must be written
// once, because Close checks only the number of bytes. The underlying writer must be an io.WriterAt
// with the header at byte 0, otherwise the error wraps errors.ErrUnsupported. If p extends beyond
// the last element, nothing is written and the error wraps io.ErrShortWrite.
func (w *Writer) WriteAt(p []byte, off int64) (int, error) {
	to, ok := w.w.(io.WriterAt)
	if !ok {
		return 0, errkind.Errorf(errors.ErrUnsupported, "npy: elements from byte %d on: the output can only be written sequentially", off)
	}
	if off+int64(len(p)) > int64(w.size) {
		return 0, w.errTooLong(int(off) + len(p))
	}
	n, err := to.WriteAt(p, int64(w.dataStart)+off)
	w.written += n
	return n, err
}

// errTooLong returns the error for a caller that gave got bytes of elements or more.
func (w *Writer) errTooLong(got int) error {
	return errkind.Errorf(io.ErrShortWrite, "npy: shape %v of %v: expected %d bytes, got %d or more", w.h.Shape, w.h.DType, w.size, got)
}

// Close returns an error wrapping io.ErrUnexpectedEOF unless every element was
// written. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.written < w.size {
		return errkind.Errorf(io.ErrUnexpectedEOF, "npy: shape %v of %v: expected %d bytes, got %d",
			w.h.Shape, w.h.DType, w.size, w.written)
	}
	return nil
}

// reservedDigits is the number of characters that NumPy reserves for the extent of the
// slowest dimension, so that it can be increased in place.
const reservedDigits = 21

// encode returns all bytes before the elements. Since nd.MaxRank extents take less than
// 2 KiB, the header always fits the 16-bit length of version 1.0.
func (h Header) encode() []byte {
	code := codes[h.DType]
	mark := "<"
	if h.DType.Size() == 1 {
		mark = "|"
	}
	fortran, slowest := "False", 0
	if h.isFortran() {
		fortran, slowest = "True", len(h.Shape)-1
	}
	text := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': %s, 'shape': %s, }", mark, code, fortran, pythonTuple(h.Shape))
	if len(h.Shape) > 0 {
		text += strings.Repeat(" ", reservedDigits-len(strconv.Itoa(h.Shape[slowest])))
	}
	// One to 64 bytes of blanks and the newline, so that the elements are aligned.
	const prefix = len(Magic) + 2 + 2
	text += strings.Repeat(" ", 64-(prefix+len(text)+1)%64) + "\n"
	b := append([]byte(Magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}

// isFortran returns the value of fortran_order. As in NumPy it is false if both orders are
// the same: if at most one extent is not 1, or if there are no elements.
func (h Header) isFortran() bool {
	long := 0
	for _, n := range h.Shape {
		if n == 0 {
			return false
		}
		if n > 1 {
			long++
		}
	}
	return h.ColMajor && long > 1
}

// pythonTuple formats extents as (), (3,) or (3, 4).
func pythonTuple(extents []int) string {
	parts := make([]string, len(extents))
	for d, n := range extents {
		parts[d] = strconv.Itoa(n)
	}
	if len(parts) == 1 {
		return "(" + parts[0] + ",)"
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
