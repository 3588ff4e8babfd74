// Package raster reads pictures as arrays: PNG, JPEG, TIFF, and the netpbm family (PBM,
// PGM, PPM, PAM, PFM). It writes PNG.
//
// A picture of h rows and w columns is an array of uint8, of uint16 when it has
// more than 8 bits per sample, or of float32 (PFM), row-major, of shape
//
//	(h, w)            grey
//	(h, w, 3)         red, green, blue; also pictures with a palette
//	(h, w, 4)         anything with transparency; the colours are not premultiplied
//	(h, w, n)         a PAM file of n samples per pixel, which keep their meaning
//	(pages, h, w...)  a TIFF file of several pages, all of one shape and type
//
// Samples keep their values: a PGM with a largest value of 100 gives 0 to 100. Only
// samples of 1, 2 and 4 bits are scaled to 0 to 255, so that black is 0 and white is 255
// in every two-tone picture. Colour profiles, resolutions and orientations are ignored.
package raster

import (
	"io"

	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// A Reader reads the samples of one picture, or of all pages of a TIFF file, sequentially:
// little-endian, dense and row-major. It holds one decoded page in memory, or a few rows of a
// netpbm file.
type Reader struct {
	DType dtype.DType // Uint8, Uint16, or Float32 of a PFM file
	Shape []int       // (h, w), (h, w, 3), (h, w, 4), of PAM (h, w, n), after the pages if several
	// Compression is the codec of the first page in the file: gzip (deflate), lzw, packbits, fax or
	// jpeg; empty if the page is not compressed.
	Compression string
	pages       []page // the page being read and those after it
	rows        rows   // decoder of the page being read, nil before its first row
	y           int    // number of its rows that were decoded
	buf         []byte // decoded samples not yet returned by Read
	err         error  // the first error
}

// formats are the supported formats, recognised by their first bytes.
var formats = []struct {
	match func(head []byte) bool
	open  func(r io.ReaderAt, size, memory int64) ([]page, error)
}{
	{isPNG, openPNG},
	{isTIFF, openTIFF},
	{isPNM, openPNM},
	{isJPEG, openJPEG},
	{isPAM, openPAM},
	{isPFM, openPFM},
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
	return nil, errkind.Errorf(ErrFormat, "starts with %q, so it is not a valid picture", head[:n])
}

// newReader checks that all pages have the same shape and type.
func newReader(pages []page) (*Reader, error) {
	first := pages[0]
	for i, p := range pages {
		if p.height != first.height || p.width != first.width || p.channels != first.channels || p.dtype != first.dtype {
			return nil, errkind.Errorf(nd.ErrRank, "page %d: shape %v of %v differs from %v of %v of page 0",
				i, p.shape(), p.dtype, first.shape(), first.dtype)
		}
	}
	shape := first.shape()
	if len(pages) > 1 {
		shape = append([]int{len(pages)}, shape...)
	}
	return &Reader{DType: first.dtype, Shape: shape, Compression: first.compression, pages: pages}, nil
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
