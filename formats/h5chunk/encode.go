//go:build (hdf5 || netcdf) && cgo

package h5chunk

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"drx/formats/cformat"
	"drx/formats/h5filter"
	"drx/internal/codec"
	"drx/nd"

	"github.com/klauspost/compress/zlib"
)

// An encoded is a chunk that passes the filters in another goroutine.
type encoded struct {
	index   []int
	work    *scratch
	done    chan struct{}
	chunk   []byte // after done, until work is free
	leftOut uint   // bit i is set if filter i made the chunk no shorter
	err     error
}

// Write writes a section of whole chunks from buf, little-endian and in row-major order. It encodes
// several chunks at a time, and writes them in the order of the section, so that equal elements
// make equal files. The error names the chunk; ok is false if libhdf5 knows more of it.
func (d *Dataset) Write(sec nd.Section, buf []byte) (ok bool, err error) {
	var started []*encoded
	ok = true
	finish := func() {
		e := started[0]
		started = started[1:]
		<-e.done
		if ok && err == nil {
			if err = e.err; err == nil {
				ok = d.stored.write(e.index, e.chunk, e.leftOut)
			}
			if err != nil {
				err = fmt.Errorf("chunk %v: %w", e.index, err)
			}
		}
		d.free <- e.work
	}
	d.eachPart(sec, func(p part) (more bool) {
		if len(started) == cap(d.free) {
			finish()
		}
		e := &encoded{index: p.index, work: <-d.free, done: make(chan struct{})}
		started = append(started, e)
		go func() {
			defer close(e.done)
			e.chunk, e.leftOut, e.err = d.encode(p, e.work, buf)
		}()
		return ok && err == nil
	})
	for len(started) > 0 {
		finish()
	}
	return ok, err
}

// encode returns the chunk of a part as it is stored, and which filters were left out. What is
// beyond the array is the fill value, as with libhdf5: the array may grow later.
func (d *decoder) encode(p part, s *scratch, buf []byte) (chunk []byte, leftOut uint, err error) {
	if chunk = p.whole(buf, d.size, d.chunk); chunk == nil {
		chunk = s.elements.of(d.bytes)
		if n, _ := p.box.Len(); n*d.size < d.bytes {
			for at := 0; at < len(chunk); at += d.size {
				copy(chunk[at:], d.fill)
			}
		}
		p.copyTo(chunk, buf, d.size, d.chunk)
	}
	for i, f := range d.filters {
		in := chunk
		switch f.ID {
		case cformat.FilterFletcher32:
			chunk = append(s.summed.of(len(in) + sumBytes)[:0], in...)
			chunk = binary.LittleEndian.AppendUint32(chunk, fletcher32(in))
		case cformat.FilterShuffle:
			chunk = s.sorted.of(len(in))
			codec.ShuffleBytes(chunk, in, int(f.Values[0]))
		case cformat.FilterDeflate:
			chunk, err = deflate(s, s.stored.of(len(in)), in, level(f))
			if err == nil && chunk == nil {
				chunk, leftOut = in, leftOut|1<<i
			}
		default:
			chunk, err = h5filter.Encode(f.ID, f.Values, in)
		}
		if err != nil {
			return nil, 0, cformat.InFilter(f.ID, err)
		}
	}
	return chunk, leftOut, nil
}

// level returns the level of deflate.
func level(f cformat.Filter) int {
	const usual, most = 6, 9
	if len(f.Values) == 0 {
		return usual
	}
	return int(min(f.Values[0], most))
}

// deflate deflates a chunk to dst, which has its length. It returns nil if the result would be no
// shorter. With the build tag deflate it is deflateByC.
var deflate = (*scratch).deflateAll

// deflateAll is deflate in Go.
func (s *scratch) deflateAll(dst, chunk []byte, level int) ([]byte, error) {
	out := bytes.NewBuffer(dst[:0])
	w, ok := s.deflater.(*zlib.Writer)
	if !ok {
		var err error
		if w, err = zlib.NewWriterLevel(out, level); err != nil {
			return nil, err
		}
		s.deflater = w
	}
	w.Reset(out)
	if _, err := w.Write(chunk); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if out.Len() >= len(chunk) {
		return nil, nil
	}
	return out.Bytes(), nil
}
