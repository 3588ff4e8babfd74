package chunkstore

import (
	"errors"

	"drx/axial"
	"drx/internal/crc32c"
)

// StoredChunk is what is stored of a chunk: a frame, or the chunk as it is. It has been compared
// with the checksum of the chunk, so that WriteStored need not compute that again.
type StoredChunk struct {
	Bytes []byte // a part of the buffer of ReadStored
	sum   uint32
	raw   bool
}

// errOtherCodec is returned for a frame that another codec has made, or may have made.
var errOtherCodec = errors.New("the chunk may be compressed by another codec")

// ReadStored reads what is stored of chunk q into buf, of ChunkBytes bytes, and checks it. It
// returns ErrUnwritten for a chunk that was never written. Unlike Check it does not try again:
// after any other error Check tells whether the chunk is damaged, or was just being written.
func (s *Store) ReadStored(q axial.Number, buf []byte) (StoredChunk, error) {
	c, err := s.lookup(q)
	if err != nil {
		return StoredChunk{}, err
	}
	e := c.entry
	if e.Length == 0 {
		return StoredChunk{}, ErrUnwritten
	}
	if !s.isPossible(e.Length) {
		return StoredChunk{}, s.corrupt(q, s.wrongLength(e))
	}
	r := StoredChunk{buf[:e.Length], e.Sum, s.isRaw(e)}
	if err := s.readBytes(q, c, r.Bytes); err != nil {
		return r, err
	}
	if sum := crc32c.Sum(r.Bytes); sum != e.Sum {
		return r, s.wrongSum(q, sum, e)
	}
	if m, ok := s.files.Codec.(maker); !r.raw && (s.files.Mixed || ok && !m.Makes(r.Bytes, s.size)) {
		return r, errOtherCodec
	}
	return r, nil
}

// WriteStored stores chunk q as Write does, in the form in which another array with chunks of the
// same bytes, and with the same codec, has it.
func (w *Writer) WriteStored(q axial.Number, r StoredChunk) error {
	return w.writeForm(q, form{bytes: r.Bytes, isFrame: !r.raw, sum: &r.sum})
}

// Frame returns what is stored if that is a frame, otherwise nil.
func (r StoredChunk) Frame() []byte {
	if r.raw {
		return nil
	}
	return r.Bytes
}

// DecodeFrame decodes a frame that somebody else has made into buf, of ChunkBytes bytes.
func (s *Store) DecodeFrame(buf, frame []byte) error { return s.files.Decoder.Decode(buf, frame) }

// WriteFrame stores chunk q as Write does, as a frame that decodes to it and is shorter.
func (w *Writer) WriteFrame(q axial.Number, frame []byte) error {
	return w.writeForm(q, form{bytes: frame, isFrame: true})
}
