package chunkstore

import (
	"fmt"
	"sync"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/crc32c"
)

// A maker is a codec.Codec that recognises its own frames.
type maker interface {
	// Makes reports whether a frame of a chunk of size bytes looks like one of the codec.
	Makes(frame []byte, size int) bool
}

// A form is the stored form of a chunk: a frame, or the raw chunk.
type form struct {
	bytes   []byte
	isFrame bool    // false: they are those of the chunk
	memory  *[]byte // which free gives back, nil for none
	sum     *uint32 // their checksum, nil if it is not known yet
	recoded bool    // the elements are those that the chunk has
}

// frames recycles the memory of frames, and of parts of chunks.
var frames = sync.Pool{New: func() any { return new([]byte) }}

// frameMemory returns memory for n bytes. The caller returns it to frames.
func frameMemory(n int) *[]byte {
	memory := frames.Get().(*[]byte)
	if cap(*memory) < n {
		*memory = make([]byte, n)
	}
	return memory
}

// encode returns the form in which a chunk is stored. It must be freed when it is written.
func (s *Store) encode(chunk []byte) form {
	if s.files.Codec == nil {
		return form{bytes: chunk}
	}
	memory := frameMemory(s.size)
	frame, ok := s.files.Codec.Encode((*memory)[:0], chunk)
	if !ok || len(frame) == 0 || len(frame) >= len(chunk) {
		frames.Put(memory)
		return form{bytes: chunk}
	}
	if cap(frame) > cap(*memory) {
		*memory = frame
	}
	return form{bytes: frame, isFrame: true, memory: memory}
}

// free gives the memory of a form back.
func (f form) free() {
	if f.memory != nil {
		frames.Put(f.memory)
	}
}

// isRaw reports whether the chunk with an entry is stored uncompressed.
func (s *Store) isRaw(e chunktable.Entry) bool { return int64(e.Length) == int64(s.size) }

// isPossible reports whether a written chunk can have this number of stored bytes.
func (s *Store) isPossible(length uint32) bool {
	return int64(length) == int64(s.size) || s.files.Decoder != nil && 0 < length && int64(length) < int64(s.size)
}

// wrongLength returns what an error says of an entry whose length is not possible.
func (s *Store) wrongLength(e chunktable.Entry) string {
	if s.files.Decoder != nil {
		return fmt.Sprintf("its table entry says %d bytes, chunks have at most %d", e.Length, s.size)
	}
	return fmt.Sprintf("its table entry says %d bytes, chunks have %d", e.Length, s.size)
}

// readFrame reads chunk q, which is stored as a frame, into buf.
func (s *Store) readFrame(q axial.Number, c change, buf []byte, check bool) error {
	memory := frameMemory(int(c.entry.Length))
	defer frames.Put(memory)
	frame := (*memory)[:c.entry.Length]
	if err := s.readChecked(q, c, frame, check); err != nil {
		return err
	}
	return s.decode(q, buf, frame)
}

// decodeInPlace decodes chunk q into buf straight from the mapped file, without a system call that
// reads, and reports whether it did. It does not if another process may be writing, if the chunk is
// not a frame in its slot, or if anything is wrong: then read determines the cause.
func (s *Store) decodeInPlace(q axial.Number, buf []byte, checking Checking) (done bool) {
	if s.files.Decoder == nil || s.mapped.data == nil || checking == CheckAlways || !s.role.undisturbed() {
		return false
	}
	err := s.mapped.guard(func() error {
		l, ok := s.role.locate(q, false)
		e := l.change.entry
		if !ok || l.live == nil || !l.change.inPlace() || e.Length == 0 || s.isRaw(e) || !s.isPossible(e.Length) {
			return nil
		}
		off, n := int64(s.OffsetOf(q)), int(e.Length)
		if s.mapped.exceedsBudget(off, n) {
			return nil
		}
		check := s.mustCheck(q, e, checking)
		if check && n >= smallRead { // all of it will be read, not just some pages
			s.mapped.data.Ahead(off, n)
		}
		frame, err := s.mapped.data.Bytes(off, n)
		if err != nil || check && crc32c.Sum(frame) != e.Sum || s.files.Decoder.Decode(buf, frame) != nil {
			return nil
		}
		fence() // the frame is read before the entry
		if done = chunktable.LoadWords(l.live) == l.words; done && check {
			s.verified.Add(q, e)
		}
		return nil
	})
	return done && err == nil
}

// decode decodes the frame of chunk q into buf. The error wraps state.ErrCorrupt.
func (s *Store) decode(q axial.Number, buf, frame []byte) error {
	if err := s.files.Decoder.Decode(buf, frame); err != nil {
		return s.corrupt(q, err.Error())
	}
	return nil
}

// punchRest frees the bytes of chunk q's slot after the first n, where the previous version of the
// chunk was longer. It does nothing for less than a block.
func (s *Store) punchRest(q axial.Number, n int) {
	if s.size-n >= sparseBlock {
		_ = s.files.Data.Punch(int64(s.OffsetOf(q))+int64(n), int64(s.size-n)) // no error, as in punch
	}
}

// SetCrowded sets the function that reports whether a whole chunk in memory would evict another
// one. Nobody may use the store at the same time.
func (s *Store) SetCrowded(crowded func() bool) { s.crowded = crowded }

// pinPart pins a copy of n bytes from byte from on of a chunk that is stored as a frame, and
// decodes no more of the chunk than it needs. It pins nothing if that does not pay, or if the chunk
// is damaged.
func (s *Store) pinPart(p *Pin, from, n int) {
	e := p.change.entry
	if n > s.size/2 || p.change.patch != nil || !s.isPossible(e.Length) {
		return
	}
	crowded := s.crowded != nil && s.crowded()
	if n > smallRead && !crowded {
		return
	}
	frame, memory, err := s.frameInPlace(p)
	if memory != nil {
		defer frames.Put(memory)
	}
	if err != nil {
		return
	}
	asked := part{cost: s.files.Decoder.RangeBytes(frame, from, n, s.size), size: s.size, long: n > smallRead}
	if !s.parts().pays(p.number, asked, crowded) {
		return
	}
	if s.mustCheck(p.number, e, s.files.Checking) && !s.agrees(p, crc32c.Sum(frame)) {
		return
	}
	decoded := frameMemory(n)
	if s.files.Decoder.DecodeRange((*decoded)[:n], frame, from, s.size) != nil {
		frames.Put(decoded)
		return
	}
	p.decoded, p.Bytes = decoded, (*decoded)[:n]
}

// frameInPlace returns the frame of a chunk where it is mapped, or a copy if the files are not
// mapped, or if another process may be writing: decoders may fail on bytes that change while they
// run.
func (s *Store) frameInPlace(p *Pin) (frame []byte, memory *[]byte, err error) {
	off, n := int64(s.OffsetOf(p.number)), int(p.change.entry.Length)
	if !p.unmapped && s.role.undisturbed() && !s.mapped.exceedsBudget(off, n) {
		frame, err = s.mapped.data.Bytes(off, n)
		return frame, nil, err
	}
	memory = frameMemory(n)
	frame = (*memory)[:n]
	return frame, memory, s.readAt(frame, off)
}
