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
// those of 1, 2 and 4 bits are stretched to 0 to 255, so black is 0 and white is 255
// in every two-tone picture. Colour profiles, resolutions and orientations are not
// applied.
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
	// ErrFormat is returned when a file is no picture of a known format, or is damaged.
	ErrFormat = errors.New("not a valid picture")
	// ErrMode is returned when a picture is of a kind that has no place in an array of
	// uint8 or uint16 samples, or that is not decoded.
	ErrMode = errors.New("this kind of picture is not read")
	// ErrMemory is returned when decoding a picture may take more memory than is allowed.
	ErrMemory = errors.New("more memory than is allowed")
)

// A Reader delivers the samples of one picture, or of all pages of a TIFF file, front
// to back: little-endian, dense and row-major. It holds one decoded page in memory; of a netpbm file,
// whose samples are read as they come, a few rows.
type Reader struct {
	DType dtype.DType // Uint8 or Uint16
	Shape []int       // (h, w), (h, w, 3) or (h, w, 4), after the number of pages if there are several
	pages []page      // that being read, and those after it
	rows  rows        // of the page being read, nil before its first
	y     int         // its rows that were read
	buf   []byte      // what is left of them
	err   error       // the first one
}

// A page is one picture of a file: what its header says, and how to read its samples.
type page struct {
	height, width int
	channels      int // samples per pixel: 1, 3 or 4
	dtype         dtype.DType
	open          func() (rows, error)
	// memory is how many bytes open and the rows may take; they are known from the headers.
	memory int64
}

// rows returns the samples of n rows from row y on, which are good until the next call. It is called for all
// rows of a page, in their order.
type rows func(y, n int) ([]byte, error)

// bandBytes is about how many bytes of samples are converted at once.
const bandBytes = 1 << 18

// band returns how many rows are converted at once.
func (p page) band() int { return max(1, bandBytes/p.rowBytes()) }

// rowBytes returns the bytes of the samples of a row.
func (p page) rowBytes() int { return p.width * p.channels * p.dtype.Size() }

// formats are the kinds of file, told by their first bytes.
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

// NewReader reads the headers of the picture in the first size bytes of r. The pixels
// are decoded when they are read, one page at a time, in at most so many bytes of memory: what
// the headers ask for is checked first, so that a small file cannot claim all of it. 0 is
// DefaultMemory.
//
// The error wraps ErrFormat for a damaged file or one of another kind, ErrMode for a
// mode that is not read, ErrMemory, nd.ErrOverflow when a page takes more than MaxBytes, and
// nd.ErrRank when pages differ in shape or type.
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

// newReader checks that the pages make one array.
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

// fill gets the next rows.
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
	n := min(p.band(), p.height-r.y)
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

// check returns an error unless the page has pixels, fits MaxBytes, and takes so much memory at most.
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

// pixels returns the number of pixels; check has seen to it that it fits.
func (p page) pixels() int64 { return int64(p.height) * int64(p.width) }
