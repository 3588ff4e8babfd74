package npy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"drx/dtype"
)

// A Reader delivers the elements of one .npy file: little-endian, dense, in the
// order of the file, see ColMajor. Read delivers them front to back, ReadAt from any place.
type Reader struct {
	Header
	r     io.Reader
	start int  // bytes before the first element
	swap  bool // the file is big-endian
	size  int  // bytes of all elements
	left  int  // bytes not yet read from r
	one   [16]byte
	rest  []byte // what is left of one, an element asked for in parts
}

// NewReader reads the header from r, which must hold one array and nothing after
// it. Nothing but the header is allocated, whatever the shape. When r can seek (a
// regular file, a bytes.Reader) its size is checked now, else when it ends.
//
// The error wraps ErrFormat for a malformed header or bytes too many,
// io.ErrUnexpectedEOF for bytes too few, dtype.ErrDType for an element type without
// counterpart, and what Header.Size says for a shape that is too large.
func NewReader(r io.Reader) (*Reader, error) {
	known := remaining(r)
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
	return &Reader{Header: h, r: r, start: start, swap: big, size: size, left: size}, nil
}

// Read reads elements into p. It returns io.EOF after the last one, an error
// wrapping io.ErrUnexpectedEOF when the input ends before it, and one wrapping
// ErrFormat when the input goes on after it or a bool is neither 0 nor 1.
func (r *Reader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 && r.left > 0 && len(p) > 0 && len(p) < r.DType.Size() {
		one := r.one[:r.DType.Size()]
		if _, err := r.elements(one); err != nil {
			return 0, err
		}
		r.rest = one
	}
	if len(r.rest) > 0 {
		n := copy(p, r.rest)
		r.rest = r.rest[n:]
		return n, nil
	}
	if r.left == 0 {
		return 0, r.end()
	}
	return r.elements(p)
}

// elements fills p with as many whole elements as fit it.
func (r *Reader) elements(p []byte) (int, error) {
	size, start := r.DType.Size(), r.size-r.left
	p = p[:min(len(p)/size*size, r.left)]
	n, err := io.ReadFull(r.r, p)
	r.left -= n
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = r.short(start + n)
	}
	p = p[:n/size*size]
	if n, err := r.decode(p, start); err != nil {
		return n, err
	}
	return len(p), err
}

// ReadAt reads the elements from byte off of the elements on into p; both are multiples of the
// element size. It changes nothing that Read does. The input must be an io.ReaderAt that has
// the header at its byte 0. The error wraps io.ErrUnexpectedEOF when the input ends before p is
// full, ErrFormat when a bool is neither 0 nor 1, and errors.ErrUnsupported when the input
// cannot be read from any place.
func (r *Reader) ReadAt(p []byte, off int64) (int, error) {
	at, ok := r.r.(io.ReaderAt)
	if !ok {
		return 0, fmt.Errorf("npy: elements from byte %d on: the input is read from front to back: %w", off, errors.ErrUnsupported)
	}
	n, err := at.ReadAt(p, int64(r.start)+off)
	if n < len(p) && err == io.EOF {
		return n, r.short(int(off) + n)
	}
	if n < len(p) {
		return n, err
	}
	return r.decode(p, int(off))
}

// short says that the input ends after found bytes of the elements.
func (r *Reader) short(found int) error {
	return fmt.Errorf("npy: shape %v of %v: expected %d bytes after the header, found %d: %w",
		r.Shape, r.DType, r.size, found, io.ErrUnexpectedEOF)
}

// decode turns whole elements, which begin at byte off of all elements, from what the file has to
// little-endian ones. It returns how many bytes of them are good.
func (r *Reader) decode(p []byte, off int) (int, error) {
	if r.swap {
		r.DType.Swap(p)
	}
	if r.DType == dtype.Bool {
		if i := slices.IndexFunc(p, func(b byte) bool { return b > 1 }); i >= 0 {
			return i, fmt.Errorf("npy: element %d: bool %d is neither 0 nor 1: %w", off+i, p[i], ErrFormat)
		}
	}
	return len(p), nil
}

// end returns io.EOF if the input ends here.
func (r *Reader) end() error {
	switch n, err := io.ReadFull(r.r, r.one[:1]); {
	case n > 0:
		return fmt.Errorf("npy: shape %v of %v: expected %d bytes after the header, found more: %w",
			r.Shape, r.DType, r.size, ErrFormat)
	default:
		return err
	}
}

// remaining returns the bytes from here to the end of r, or -1 when only reading
// will tell: a pipe, a terminal, a device.
func remaining(r io.Reader) int64 {
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
