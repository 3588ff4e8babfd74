//go:build (hdf5 || netcdf) && cgo

package h5chunk

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"drx/internal/errkind"

	"github.com/klauspost/compress/zlib"
)

// A decoder describes how the chunks of a dataset are stored.
type decoder struct {
	chunk              []int // its extents
	bytes, size        int   // of a chunk and of an element
	shuffled, deflated bool
}

// A scratch is the working memory of a decoding goroutine.
type scratch struct {
	stored, decoded []byte
	inflater        any // of inflate, used again
}

// resized returns a slice of n bytes, in the memory of b if that is large enough.
func resized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// decode decodes the stored bytes of a chunk and copies its part of the section.
func (d *decoder) decode(p part, s *scratch, buf []byte) error {
	from := s.stored
	if d.deflated {
		s.decoded = resized(s.decoded, d.bytes)
		if err := inflate(s); err != nil {
			return err
		}
		from = s.decoded
	}
	if len(from) != d.bytes {
		return errkind.Errorf(io.ErrUnexpectedEOF, "%d bytes, expected %d: the file is damaged", len(from), d.bytes)
	}
	if d.shuffled {
		p.unshuffle(buf, from, d.size, d.chunk)
	} else {
		p.copyFrom(buf, from, d.size, d.chunk)
	}
	return nil
}

// inflate inflates stored to decoded, which it must fill, and checks its checksum. With the build
// tag deflate it is inflateByC.
var inflate = (*scratch).inflateAll

// errLong is an error for a chunk that is longer than its extents say.
var errLong = errors.New("more bytes than a chunk has")

// inflateAll is inflate in Go.
func (s *scratch) inflateAll() error {
	from := bytes.NewReader(s.stored)
	r, ok := s.inflater.(zlib.Resetter)
	var err error
	if ok {
		err = r.Reset(from, nil)
	} else {
		s.inflater, err = zlib.NewReader(from)
	}
	if err == nil {
		_, err = io.ReadFull(s.inflater.(io.Reader), s.decoded)
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
	return damaged(err)
}

// damaged returns the error of a chunk that cannot be inflated, nil for nil.
func damaged(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("deflate: %w: the file is damaged", err)
}
