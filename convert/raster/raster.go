// Package raster reads pictures as arrays: PNG, TIFF, and the netpbm family (PBM,
// PGM, PPM).
//
// A picture of h rows and w columns is an array of uint8, or of uint16 when it has
// more than 8 bits per sample, row-major, of shape
//
//	(h, w)            grey
//	(h, w, 3)         red, green, blue; also pictures with a palette
//	(h, w, 4)         anything with transparency; the colours are not premultiplied
//	(pages, h, w...)  a TIFF file of several pages, all of one shape and type
//
// Samples keep their values: a PGM with a largest value of 100 gives 0 to 100. Only
// samples of 1, 2 and 4 bits are scaled to 0 to 255, so that black is 0 and white is 255
// in every two-tone picture. Colour profiles, resolutions and orientations are ignored.
package raster

import (
	"errors"
	"fmt"
	"io"

	"drx/dtype"
	"drx/nd"
)

// MaxBytes limits the samples of one picture or page, in bytes.
const MaxBytes = 1 << 31

// DefaultMemory is the bound on memory when NewReader is given none, in bytes.
const DefaultMemory = 512 << 20

var (
	// ErrFormat is returned when a file is not a picture in a known format, or is damaged.
	ErrFormat = errors.New("not a valid picture")
	// ErrMode is returned when the samples of a picture do not fit uint8 or uint16, or when
	// its encoding is not supported.
	ErrMode = errors.New("this kind of picture is not read")
	// ErrMemory is returned when decoding a picture may take more memory than is allowed.
	ErrMemory = errors.New("more memory than is allowed")
)

// A Reader reads the samples of one picture, or of all pages of a TIFF file, sequentially:
// little-endian, dense and row-major. It holds one decoded page in memory, or a few rows of a
// netpbm file.
type Reader struct {
	DType dtype.DType // Uint8 or Uint16
	Shape []int       // (h, w), (h, w, 3) or (h, w, 4), after the number of pages if there are several
	pages []page      // the page being read and those after it
	rows  rows        // decoder of the page being read, nil before its first row
	y     int         // number of its rows that were decoded
	buf   []byte      // decoded samples not yet returned by Read
	err   error       // the first error
}

// A page is one picture of a file: its header, and a function that decodes it.
type page struct {
	height, width int
	channels      int // samples per pixel: 1, 3 or 4
	dtype         dtype.DType
	open          func() (rows, error)
	// memory is an upper limit for the memory of open and the rows in bytes, computed from the headers.
	memory int64
}

// rows returns the samples of the n rows that begin with row y. They are valid until the next call. It must
// be called for all rows of a page in order.
type rows func(y, n int) ([]byte, error)

// bandBytes is the approximate number of bytes that are converted at once.
const bandBytes = 1 << 18

// bandRows returns the number of rows that are converted at once.
func (p page) bandRows() int { return max(1, bandBytes/p.rowBytes()) }

// rowBytes returns the bytes of the samples of a row.
func (p page) rowBytes() int { return p.width * p.channels * p.dtype.Size() }

// formats are the supported formats, recognised by their first bytes.
var formats = []struct {
	match func(head []byte) bool
	open  func(r io.ReaderAt, size, memory int64) ([]page, error)
}{
	{isPNG, openPNG},
	{isTIFF, openTIFF},
	{isPNM, openPNM},
}

// Match reports whether a file that starts with head, 8 bytes or more, is one that
// NewReader knows.
func Match(head []byte) bool {
	for _, f := range formats {
		if f.match(head) {
			return true
		}
	}
	return false
}

// NewReader reads the headers of the picture in the first size bytes of r. Read decodes the
// pixels, one page at a time, in at most memory bytes (0 is DefaultMemory). NewReader checks
// that limit against the headers, so that a small file with a wrong header cannot exhaust the
// memory.
//
// The error wraps ErrFormat for a damaged file or another format, ErrMode for a kind of
// picture that is not supported, ErrMemory, nd.ErrOverflow when a page takes more than
// MaxBytes, and nd.ErrRank when pages differ in shape or type.
func NewReader(r io.ReaderAt, size, memory int64) (*Reader, error) {
	if memory == 0 {
		memory = DefaultMemory
	}
	head := make([]byte, 8)
	n, err := r.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	for _, f := range formats {
		if !f.match(head[:n]) {
			continue
		}
		pages, err := f.open(r, size, memory)
		if err != nil {
			return nil, err
		}
		return newReader(pages)
	}
	return nil, fmt.Errorf("starts with %q: %w", head[:n], ErrFormat)
}

// newReader checks that all pages have the same shape and type.
func newReader(pages []page) (*Reader, error) {
	first := pages[0]
	for i, p := range pages {
		if p.height != first.height || p.width != first.width || p.channels != first.channels || p.dtype != first.dtype {
			return nil, fmt.Errorf("page %d: shape %v of %v differs from %v of %v of page 0: %w",
				i, p.shape(), p.dtype, first.shape(), first.dtype, nd.ErrRank)
		}
	}
	shape := first.shape()
	if len(pages) > 1 {
		shape = append([]int{len(pages)}, shape...)
	}
	return &Reader{DType: first.dtype, Shape: shape, pages: pages}, nil
}

// Read reads samples into p; it returns io.EOF after the last one. The error wraps
// ErrFormat when the pixels are damaged or missing.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.buf) == 0 {
		if r.err == nil {
			r.err = r.fill()
		}
		if r.err != nil {
			return 0, r.err
		}
	}
	n := copy(p, r.buf)
	r.buf = r.buf[n:]
	return n, nil
}

// fill decodes the next rows into buf.
func (r *Reader) fill() (err error) {
	if len(r.pages) == 0 {
		return io.EOF
	}
	p := r.pages[0]
	if r.rows == nil {
		if r.rows, err = p.open(); err != nil {
			return err
		}
	}
	n := min(p.bandRows(), p.height-r.y)
	if r.buf, err = r.rows(r.y, n); err != nil {
		return err
	}
	if r.y += n; r.y == p.height { // frees the page before the next one is decoded
		r.pages, r.rows, r.y = r.pages[1:], nil, 0
	}
	return nil
}

func (p page) shape() []int {
	if p.channels == 1 {
		return []int{p.height, p.width}
	}
	return []int{p.height, p.width, p.channels}
}

// check returns an error if the page has no pixels, takes more than MaxBytes, or needs more memory to decode
// than the limit.
func (p page) check(memory int64) error {
	if p.height < 1 || p.width < 1 {
		return fmt.Errorf("%d x %d pixels: %w", p.width, p.height, ErrFormat)
	}
	n, err := nd.Product(p.height, p.width, p.channels, p.dtype.Size())
	if err != nil || int64(n) > MaxBytes {
		return fmt.Errorf("%d x %d pixels with %d samples of %v: %w: the limit is %d bytes",
			p.width, p.height, p.channels, p.dtype, nd.ErrOverflow, int64(MaxBytes))
	}
	if need := p.memory + int64(max(p.rowBytes(), min(n, bandBytes))); need > memory {
		return fmt.Errorf("%d x %d pixels may take %d bytes to decode: %w: the limit is %d bytes",
			p.width, p.height, need, ErrMemory, memory)
	}
	return nil
}

// pixels returns the number of pixels.
func (p page) pixels() int64 { return int64(p.height) * int64(p.width) }
