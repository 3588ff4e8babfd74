package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"drx/dtype"
)

// maxHeader limits the bytes of a header; 64 dimensions need less than 2 KiB.
const maxHeader = 1 << 20

// A Reader delivers the elements of one .npy file: little-endian, dense, in the
// order of the file, see ColMajor.
type Reader struct {
	Header
	r    io.Reader
	swap bool // the file is big-endian
	size int  // bytes of all elements
	left int  // bytes not yet read from r
	one  [16]byte
	rest []byte // what is left of one, an element asked for in parts
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
	return &Reader{Header: h, r: r, swap: big, size: size, left: size}, nil
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
		err = fmt.Errorf("npy: shape %v of %v: expected %d bytes after the header, found %d: %w",
			r.Shape, r.DType, r.size, start+n, io.ErrUnexpectedEOF)
	}
	p = p[:n/size*size]
	if r.swap {
		r.DType.Swap(p)
	}
	if r.DType == dtype.Bool {
		if i := slices.IndexFunc(p, func(b byte) bool { return b > 1 }); i >= 0 {
			return i, fmt.Errorf("npy: element %d: bool %d is neither 0 nor 1: %w", start+i, p[i], ErrFormat)
		}
	}
	return len(p), err
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

// readHeader returns the text of the header and where the elements start.
func readHeader(r io.Reader) (text string, start int, err error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:8]); err != nil {
		return "", 0, truncated(err)
	}
	if string(head[:6]) != Magic {
		return "", 0, fmt.Errorf("starts with %q, not %q: %w", head[:6], Magic, ErrFormat)
	}
	width := 4
	switch major, minor := head[6], head[7]; {
	case minor != 0 || major < 1 || major > 3:
		return "", 0, fmt.Errorf("version %d.%d: known are 1.0, 2.0 and 3.0: %w", major, minor, ErrFormat)
	case major == 1:
		width = 2
	}
	if _, err := io.ReadFull(r, head[8:8+width]); err != nil {
		return "", 0, truncated(err)
	}
	// In version 1.0 the upper two bytes of head are still zero.
	length := binary.LittleEndian.Uint32(head[8:])
	if length > maxHeader {
		return "", 0, fmt.Errorf("header of %d bytes: the limit is %d: %w", length, maxHeader, ErrFormat)
	}
	// A buffer that grows with what is there, not with what is claimed.
	var b bytes.Buffer
	if n, err := io.CopyN(&b, r, int64(length)); err != nil {
		return "", 0, fmt.Errorf("header of %d bytes, found %d: %w", length, n, truncated(err))
	}
	return b.String(), 8 + width + int(length), nil
}

// truncated turns an end of the input into an unexpected one.
func truncated(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// parseHeader reads the dict and tells whether the elements are big-endian.
func parseHeader(text string) (h Header, big bool, err error) {
	dict, err := parseDict(text)
	if err != nil {
		return h, false, err
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if _, ok := dict[key]; !ok {
			return h, false, fmt.Errorf("header has no %s: %w", key, ErrFormat)
		}
	}
	if len(dict) > 3 {
		return h, false, fmt.Errorf("header has other keys than descr, fortran_order and shape: %w", ErrFormat)
	}
	descr, ok := dict["descr"].value.(string)
	if !ok {
		return h, false, badDescr(dict["descr"].text)
	}
	if h.DType, big, err = parseDescr(descr); err != nil {
		return h, false, err
	}
	if h.ColMajor, ok = dict["fortran_order"].value.(bool); !ok {
		return h, false, fmt.Errorf("fortran_order %.40s is not True or False: %w", dict["fortran_order"].text, ErrFormat)
	}
	h.Shape, err = parseShape(dict["shape"])
	return h, big, err
}

// parseShape takes a tuple of integers.
func parseShape(shape item) ([]int, error) {
	values, ok := shape.value.(tuple)
	extents := make([]int, len(values))
	for d, v := range values {
		if extents[d], ok = v.(int); !ok {
			break
		}
	}
	if !ok {
		return nil, fmt.Errorf("shape %.40s is not a tuple of integers: %w", shape.text, ErrFormat)
	}
	return extents, nil
}
