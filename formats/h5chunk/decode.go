//go:build (hdf5 || netcdf) && cgo

package h5chunk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"drx/formats/cformat"
	"drx/formats/h5filter"
	"drx/internal/codec"
	"drx/internal/errkind"

	"github.com/klauspost/compress/zlib"
)

// A decoder describes how the chunks of a dataset are stored.
type decoder struct {
	chunk       []int // its extents
	bytes, size int   // of a chunk and of an element
	filters     []cformat.Filter
	swap        func(elements []byte) // nil if the least significant byte is the first
	fill        []byte                // an element of a missing chunk
}

// buffers is the number of chunks in memory while one is decoded.
const buffers = 3

// A scratch is the working memory of a goroutine that decodes or encodes.
type scratch struct {
	stored, decompressed, sorted buffer // of decode
	elements, summed             buffer // of encode, beside stored and sorted
	inflater, deflater           any    // of inflate and deflate, used again
}

// A buffer is memory that is used again.
type buffer []byte

// of returns n bytes of the buffer, which grows if it has fewer.
func (b *buffer) of(n int) []byte {
	if cap(*b) < n {
		*b = make([]byte, n)
	}
	return (*b)[:n]
}

// readable reports whether chunks that have passed filters are decoded here: at most one sorts
// bytes, as there is one buffer for that, and one compresses, so that the bytes before it are
// known.
func readable(filters []cformat.Filter) bool {
	sorting, compressing := 0, 0
	for _, f := range filters {
		switch {
		case f.ID == cformat.FilterFletcher32:
		case f.ID == cformat.FilterShuffle && len(f.Values) > 0 && f.Values[0] > 0:
			sorting++
		case f.ID == cformat.FilterDeflate || h5filter.Has(f.ID):
			compressing++
		default:
			return false
		}
	}
	return sorting <= 1 && compressing <= 1
}

// decode decodes a stored chunk and copies its part of the section. Bit i of leftOut says that the
// chunk has not passed filter i. A whole chunk is decoded to where its elements belong, if they are
// together there.
func (d *decoder) decode(p part, s *scratch, chunk []byte, leftOut uint, buf []byte) error {
	whole := p.whole(buf, d.size, d.chunk)
	for i, f := range slices.Backward(d.passed(leftOut)) {
		out := func(b *buffer, n int) []byte {
			if i == 0 && n == len(whole) {
				return whole
			}
			return b.of(n)
		}
		in := chunk
		var err error
		switch f.ID {
		case cformat.FilterFletcher32:
			chunk, err = withoutSum(in)
		case cformat.FilterShuffle:
			chunk = out(&s.sorted, len(in))
			codec.UnshuffleBytes(chunk, in, int(f.Values[0]))
		default:
			chunk = out(&s.decompressed, f.before)
			err = s.decompress(f.ID, chunk, in)
		}
		if err != nil {
			return err
		}
	}
	if len(chunk) != d.bytes {
		return errkind.Errorf(io.ErrUnexpectedEOF, "%d bytes, expected %d: the file is damaged", len(chunk), d.bytes)
	}
	if d.swap != nil {
		d.swap(chunk)
	}
	if whole == nil || &whole[0] != &chunk[0] {
		p.copyFrom(buf, chunk, d.size, d.chunk)
	}
	return nil
}

// A passedFilter is a filter that a chunk has passed, and the bytes of the chunk before it: unknown
// behind one that compresses.
type passedFilter struct {
	cformat.Filter
	before int
}

// passed returns the filters that a chunk has passed; leftOut has a bit for each of the others.
func (d *decoder) passed(leftOut uint) (all []passedFilter) {
	before := d.bytes
	for i, f := range d.filters {
		if leftOut>>i&1 != 0 {
			continue
		}
		all = append(all, passedFilter{f, before})
		if f.ID == cformat.FilterFletcher32 {
			before += sumBytes
		}
	}
	return all
}

// decompress decodes the output of a filter that compresses to dst, which it must fill.
func (s *scratch) decompress(id int, dst, compressed []byte) error {
	if id != cformat.FilterDeflate {
		return h5filter.Decode(id, dst, compressed)
	}
	return damaged(id, inflate(s, dst, compressed))
}

// damaged returns the error of a filter that cannot decode a chunk, nil for nil.
func damaged(id int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: the file is damaged", cformat.InFilter(id, err))
}

// inflate inflates a chunk to dst, which it must fill, and checks its checksum. With the build tag
// deflate it is inflateByC.
var inflate = (*scratch).inflateAll

// errLong is an error for a chunk that is longer than its extents say.
var errLong = errors.New("more bytes than a chunk has")

// inflateAll is inflate in Go.
func (s *scratch) inflateAll(dst, compressed []byte) error {
	from := bytes.NewReader(compressed)
	r, ok := s.inflater.(zlib.Resetter)
	var err error
	if ok {
		err = r.Reset(from, nil)
	} else {
		s.inflater, err = zlib.NewReader(from)
	}
	if err == nil {
		_, err = io.ReadFull(s.inflater.(io.Reader), dst)
	}
	if err == nil {
		var more [1]byte
		n := 0
		if n, err = io.ReadFull(s.inflater.(io.Reader), more[:]); n > 0 {
			err = errLong
		} else if err == io.EOF {
			return nil
		}
	}
	s.inflater = nil // its state is unknown
	return err
}

// sumBytes is the size of the checksum that the filter fletcher32 appends.
const sumBytes = 4

// withoutSum returns the bytes before a checksum, or an error if it is not theirs. Like libhdf5 it
// accepts the sum of the bytes exchanged in pairs, which versions before 1.6.3 wrote.
func withoutSum(chunk []byte) ([]byte, error) {
	n := len(chunk) - sumBytes
	if n < 0 {
		return nil, damaged(cformat.FilterFletcher32, io.ErrUnexpectedEOF)
	}
	has, sum := binary.LittleEndian.Uint32(chunk[n:]), fletcher32(chunk[:n])
	exchanged := sum>>8&0x00ff00ff | sum&0x00ff00ff<<8
	if has != sum && has != exchanged {
		return nil, damaged(cformat.FilterFletcher32, errkind.Errorf(codec.ErrFrame, "its checksum is %08x instead of %08x", sum, has))
	}
	return chunk[:n], nil
}

// fletcher32 returns the checksum of libhdf5: two sums modulo 2^16 - 1 of numbers of 16 bits, the
// most significant byte first.
func fletcher32(b []byte) uint32 {
	const most = 360 // numbers for which the sums fit 32 bits
	var low, high uint32
	fold := func() { low, high = low&0xffff+low>>16, high&0xffff+high>>16 }
	for len(b) > 1 {
		part := b[:min(len(b)&^1, 2*most)]
		b = b[len(part):]
		for ; len(part) > 1; part = part[2:] {
			low += uint32(binary.BigEndian.Uint16(part))
			high += low
		}
		fold()
	}
	if len(b) > 0 {
		low += uint32(b[0]) << 8
		high += low
		fold()
	}
	fold()
	return high<<16 | low
}
