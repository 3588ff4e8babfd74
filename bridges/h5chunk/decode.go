//go:build (hdf5 || netcdf) && cgo

package h5chunk

import (
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/zlib"
)

// A decoder says how the chunks of a dataset are stored.
type decoder struct {
	chunk              []int // its extents
	bytes, size        int   // of a chunk and of an element
	shuffled, deflated bool
}

// A scratch is the memory of one that decodes.
type scratch struct {
	stored, decoded []byte
	inflate         io.ReadCloser // reset for each chunk
}

// resized returns a slice of n bytes, in the memory of b if it is enough.
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
		if err := s.inflateAll(); err != nil {
			return err
		}
		from = s.decoded
	}
	if len(from) != d.bytes {
		return fmt.Errorf("%d bytes, expected %d: the file is damaged: %w", len(from), d.bytes, io.ErrUnexpectedEOF)
	}
	if d.shuffled {
		p.unshuffle(buf, from, d.size, d.chunk)
	} else {
		p.copyFrom(buf, from, d.size, d.chunk)
	}
	return nil
}

// inflateAll inflates stored to decoded, which it must fill, and checks its checksum.
func (s *scratch) inflateAll() (err error) {
	from := bytes.NewReader(s.stored)
	if s.inflate == nil {
		s.inflate, err = zlib.NewReader(from)
	} else {
		err = s.inflate.(zlib.Resetter).Reset(from, nil)
	}
	if err == nil {
		_, err = io.ReadFull(s.inflate, s.decoded)
	}
	if err == nil {
		var more [1]byte
		n := 0
		if n, err = io.ReadFull(s.inflate, more[:]); n > 0 {
			err = fmt.Errorf("more than %d bytes", len(s.decoded))
		} else if err == io.EOF {
			return nil
		}
	}
	s.inflate = nil // its state is unknown
	return fmt.Errorf("deflate: %w: the file is damaged", err)
}
