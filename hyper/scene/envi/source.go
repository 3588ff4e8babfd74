package envi

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"drx/hyper/scene"
	"drx/nd"
)

// A Source reads the spectra of an image, which its Header describes.
type Source struct {
	Header *Header

	file  io.ReaderAt
	name  string  // of the file, with a colon, for errors; "" if not known
	scale float64 // 0: values as stored
	close func() error
}

// New returns the source of an image whose numbers are in a file of size bytes. If scaled is set,
// values are divided by the header's reflectance scale factor, if there is one; otherwise they are
// as stored. It is an error if the file is too short, or a library.
func New(h *Header, file io.ReaderAt, size int64, scaled bool) (*Source, error) {
	if h.library() {
		return nil, fmt.Errorf("this is a spectral library, not an image")
	}
	s := &Source{Header: h, file: file}
	if err := h.checkSize(size); err != nil {
		return nil, err
	}
	if scaled {
		s.scale = h.ScaleFactor
	}
	return s, nil
}

// checkSize returns an error if a file of size bytes is too short.
func (h *Header) checkSize(size int64) error {
	n, err := nd.Product(h.Lines, h.Samples, h.Bands, sizes[h.DataType])
	if err == nil && int64(n) <= size && h.Offset <= size-int64(n) {
		return nil
	}
	return fmt.Errorf("%d lines x %d samples x %d bands x %d bytes after a header offset of %d are more than the file has, %d bytes",
		h.Lines, h.Samples, h.Bands, sizes[h.DataType], h.Offset, size)
}

// Bounds returns the lines and samples, from 0.
func (s *Source) Bounds() scene.Block {
	return scene.Block{Hi: scene.Pixel{Line: s.Header.Lines, Sample: s.Header.Samples}}
}

// Bands returns the number of bands, including bad ones.
func (s *Source) Bands() int { return s.Header.Bands }

// Integers16 reports whether all values are integers of at most 16 bits.
func (s *Source) Integers16() bool {
	return s.scale == 0 && slices.Contains([]int{1, 2, 12}, s.Header.DataType)
}

// Options returns the bad bands, wavelengths and missing value of the header.
func (s *Source) Options() scene.Options {
	h := s.Header
	o := scene.Options{BadBands: slices.Clone(h.BadBands), Wavelengths: slices.Clone(h.Wavelengths), Unit: h.Unit}
	if h.NoData != nil {
		v := *h.NoData
		if s.scale != 0 {
			v /= s.scale
		}
		o.NoData = &v
	}
	return o
}

// Close closes the file, if Open has opened it.
func (s *Source) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// A run is a sequence of consecutive numbers in the file.
type run struct {
	at   int64 // offset of the first number in the file, in bytes
	n    int   // count of numbers
	dst  int   // index of the first number in the destination
	step int   // distance of consecutive numbers there
}

// Read reads the spectra of a block. The error is one of the file.
func (s *Source) Read(ctx context.Context, b scene.Block, dst []float64) error {
	size := int64(sizes[s.Header.DataType])
	var buf []byte
	var together []run // runs that one call reads
	flush := func() error {
		if len(together) == 0 {
			return nil
		}
		last := together[len(together)-1]
		first := together[0].at
		n := int(last.at + int64(last.n)*size - first)
		buf = slices.Grow(buf[:0], n)[:n]
		if got, err := s.file.ReadAt(buf, first); got < n {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("%s%d bytes from byte %d: %w", s.name, n, first, err)
		}
		for _, r := range together {
			s.decode(dst[r.dst:], buf[r.at-first:], r.n, r.step)
		}
		together = together[:0]
		return ctx.Err()
	}
	for r := range s.runs(b) {
		if k := len(together); k > 0 {
			last := together[k-1]
			if end := last.at + int64(last.n)*size; r.at-end > maxGap || r.at+int64(r.n)*size-together[0].at > maxCall {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		together = append(together, r)
	}
	return flush()
}

// maxGap is the largest gap between two runs, in bytes, that is read and discarded to save a call,
// which costs about as much. maxCall limits the bytes of one call, except for a longer single run.
const (
	maxGap  = 4 << 10
	maxCall = 256 << 10
)

// runs yields the runs of a block in the order of the file.
func (s *Source) runs(b scene.Block) func(yield func(run) bool) {
	h := s.Header
	size, lines, samples, bands := int64(sizes[h.DataType]), int64(h.Lines), int64(h.Samples), int64(h.Bands)
	at := func(line, sample, band int) int64 {
		l, p, k := int64(line), int64(sample), int64(band)
		switch h.Interleave {
		case BSQ:
			return h.Offset + ((k*lines+l)*samples+p)*size
		case BIL:
			return h.Offset + ((l*bands+k)*samples+p)*size
		default:
			return h.Offset + ((l*samples+p)*bands+k)*size
		}
	}
	line := func(l, k int) run {
		return run{at(l, b.Lo.Sample, k), b.Samples(), (l-b.Lo.Line)*b.Samples()*h.Bands + k, h.Bands}
	}
	return func(yield func(run) bool) {
		switch h.Interleave {
		case BSQ:
			for k := range h.Bands {
				for l := b.Lo.Line; l < b.Hi.Line; l++ {
					if !yield(line(l, k)) {
						return
					}
				}
			}
		case BIL:
			for l := b.Lo.Line; l < b.Hi.Line; l++ {
				for k := range h.Bands {
					if !yield(line(l, k)) {
						return
					}
				}
			}
		default:
			for l := b.Lo.Line; l < b.Hi.Line; l++ {
				r := line(l, 0)
				r.n, r.step = b.Samples()*h.Bands, 1
				if !yield(r) {
					return
				}
			}
		}
	}
}

// decode stores n numbers of src in dst, step apart.
func (s *Source) decode(dst []float64, src []byte, n, step int) {
	var order binary.ByteOrder = binary.LittleEndian
	if s.Header.BigEndian {
		order = binary.BigEndian
	}
	number := numbers[s.Header.DataType]
	size := sizes[s.Header.DataType]
	for i := range n {
		v := number(order, src[i*size:])
		if s.scale != 0 {
			v /= s.scale
		}
		dst[i*step] = v
	}
}

// numbers reads one number, by data type.
var numbers = [16]func(o binary.ByteOrder, b []byte) float64{
	1:  func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) },
	2:  func(o binary.ByteOrder, b []byte) float64 { return float64(int16(o.Uint16(b))) },
	3:  func(o binary.ByteOrder, b []byte) float64 { return float64(int32(o.Uint32(b))) },
	4:  func(o binary.ByteOrder, b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) },
	5:  func(o binary.ByteOrder, b []byte) float64 { return math.Float64frombits(o.Uint64(b)) },
	12: func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint16(b)) },
	13: func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint32(b)) },
	14: func(o binary.ByteOrder, b []byte) float64 { return float64(int64(o.Uint64(b))) },
	15: func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint64(b)) },
}
