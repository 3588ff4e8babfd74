package npy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"drx/dtype"
	"drx/internal/errkind"
)

// A Reader reads the elements of one .npy file: little-endian, dense, in the order of the
// file, see ColMajor. Read reads them sequentially, ReadAt at any offset.
type Reader struct {
	Header
	r         io.Reader
	dataStart int  // bytes before the first element
	swap      bool // the file is big-endian
	size      int  // bytes of all elements
	remaining int  // bytes of elements not yet read from r
	element   [16]byte
	pending   []byte // the unread rest of element, after a caller has read only part of it
}

// NewReader reads the header from r, which must hold one array and nothing after it. It
// allocates memory only for the header, whatever the shape. If r can seek (a regular
// file, a bytes.Reader), it checks the size at once, otherwise Read does at the end.
//
// The error wraps ErrFormat for a malformed header or too many bytes,
// io.ErrUnexpectedEOF for too few bytes, dtype.ErrDType for an element type without
// counterpart, and the errors of Header.Size.
func NewReader(r io.Reader) (*Reader, error) {
	known := bytesLeft(r)
	text, start, err := readHeader(r)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	h, big, err := parseHeader(text)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	size, err := h.Size()
	if err != nil {
		return nil, fmt.Errorf("npy: shape %v: %w", h.Shape, err)
	}
	if found := known - int64(start); known >= 0 && found != int64(size) {
		reason := ErrFormat
		if found < int64(size) {
			reason = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("npy: shape %v of %v: expected %d bytes after the header, found %d: %w",
			h.Shape, h.DType, size, found, reason)
	}
	return &Reader{Header: h, r: r, dataStart: start, swap: big, size: size, remaining: size}, nil
}

// Read reads elements into p. It returns io.EOF after the last one, an error
// wrapping io.ErrUnexpectedEOF when the input ends before it, and one wrapping
// ErrFormat when the input goes on after it or a bool is neither 0 nor 1.
func (r *Reader) Read(p []byte) (int, error) {
	if len(r.pending) == 0 && r.remaining > 0 && len(p) > 0 && len(p) < r.DType.Size() {
		one := r.element[:r.DType.Size()]
		if _, err := r.elements(one); err != nil {
			return 0, err
		}
		r.pending = one
	}
	if len(r.pending) > 0 {
		n := copy(p, r.pending)
		r.pending = r.pending[n:]
		return n, nil
	}
	if r.remaining == 0 {
		return 0, r.end()
	}
	return r.elements(p)
}

// elements fills p with whole elements, as many as fit.
func (r *Reader) elements(p []byte) (int, error) {
	size, start := r.DType.Size(), r.size-r.remaining
	p = p[:min(len(p)/size*size, r.remaining)]
	n, err := io.ReadFull(r.r, p)
	r.remaining -= n
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = r.errTruncated(start + n)
	}
	p = p[:n/size*size]
	if n, err := r.decode(p, start); err != nil {
		return n, err
	}
	return len(p), err
}

// ReadAt reads elements into p. off is in bytes from the first element; off and len(p) are
// multiples of the element size. ReadAt does not affect Read. The input must be an io.ReaderAt
// with the header at byte 0. The error wraps io.ErrUnexpectedEOF when the input ends before p is
// full, ErrFormat when a bool is neither 0 nor 1, and errors.ErrUnsupported when the input is
// not an io.ReaderAt.
func (r *Reader) ReadAt(p []byte, off int64) (int, error) {
	at, ok := r.r.(io.ReaderAt)
	if !ok {
		return 0, errkind.Errorf(errors.ErrUnsupported, "npy: elements from byte %d on: the input can only be read sequentially", off)
	}
	n, err := at.ReadAt(p, int64(r.dataStart)+off)
	if n < len(p) && err == io.EOF {
		return n, r.errTruncated(int(off) + n)
	}
	if n < len(p) {
		return n, err
	}
	return r.decode(p, int(off))
}

// errTruncated returns the error that the input ends after found bytes of elements.
func (r *Reader) errTruncated(found int) error {
	return errkind.Errorf(io.ErrUnexpectedEOF, "npy: shape %v of %v: expected %d bytes after the header, found %d",
		r.Shape, r.DType, r.size, found)
}

// decode converts whole elements of the file to little-endian, in place, and checks bools. off is
// the offset of the first one in bytes. It returns the number of bytes before the first wrong
// element.
func (r *Reader) decode(p []byte, off int) (int, error) {
	if r.swap {
		r.DType.Swap(p)
	}
	if r.DType == dtype.Bool {
		if i := slices.IndexFunc(p, func(b byte) bool { return b > 1 }); i >= 0 {
			return i, errkind.Errorf(ErrFormat, "npy: element %d: bool %d is neither 0 nor 1", off+i, p[i])
		}
	}
	return len(p), nil
}

// end returns io.EOF if the input ends here.
func (r *Reader) end() error {
	switch n, err := io.ReadFull(r.r, r.element[:1]); {
	case n > 0:
		return errkind.Errorf(ErrFormat, "npy: shape %v of %v: expected %d bytes after the header, found more",
			r.Shape, r.DType, r.size)
	default:
		return err
	}
}

// bytesLeft returns the number of bytes from the current position to the end of r, or -1 if
// r cannot seek: a pipe, a terminal, a device.
func bytesLeft(r io.Reader) int64 {
	if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			return -1
		}
	}
	s, ok := r.(io.Seeker)
	if !ok {
		return -1
	}
	here, err1 := s.Seek(0, io.SeekCurrent)
	end, err2 := s.Seek(0, io.SeekEnd)
	if _, err3 := s.Seek(here, io.SeekStart); errors.Join(err1, err2, err3) != nil {
		return -1
	}
	return end - here
}
