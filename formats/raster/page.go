package raster

import (
	"errors"
	"fmt"

	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// MaxBytes limits the samples of one picture or page, in bytes.
const MaxBytes = 1 << 31

// DefaultMemory is the limit on memory, in bytes, if NewReader gets none.
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

// A page is one picture of a file: its header, and a function that decodes it.
type page struct {
	height, width int
	channels      int // samples per pixel: 1, 3 or 4; any number in a PAM file
	dtype         dtype.DType
	open          func() (rows, error)
	// memory is an upper bound for the memory of open and of the rows it returns, in bytes,
	// computed from the headers.
	memory      int64
	compression string // see Reader.Compression
	// plain reports that all programs read the page as the same elements: shape (h, w), with the
	// samples as stored.
	plain bool
}

// rows returns the samples of the n rows that begin with row y. They are valid until the next call.
// It must be called for all rows of a page in order.
type rows func(y, n int) ([]byte, error)

// bandBytes is the approximate number of bytes that are converted at once.
const bandBytes = 1 << 18

// bandRows returns the number of rows that are converted at once.
func (p page) bandRows() int { return max(1, bandBytes/p.rowBytes()) }

// rowBytes returns the bytes of the samples of a row.
func (p page) rowBytes() int { return p.width * p.channels * p.dtype.Size() }

func (p page) shape() []int {
	if p.channels == 1 {
		return []int{p.height, p.width}
	}
	return []int{p.height, p.width, p.channels}
}

// check returns an error if the page has no pixels, takes more than MaxBytes, or needs more memory
// to decode than the limit.
func (p page) check(memory int64) error {
	if p.height < 1 || p.width < 1 {
		return errkind.Errorf(ErrFormat, "%d x %d pixels: want at least one", p.width, p.height)
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
