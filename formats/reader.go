package formats

import (
	"io"

	"drx/internal/errkind"
	"drx/nd"
)

const (
	// maxGap is the largest number of bytes between two runs that are read with one call: a page.
	maxGap = 4 << 10
	// windowBytes is the size of such a read, a multiple of every element size.
	windowBytes = 64 << 10
)

// A dense reader reads a file that stores plain elements and can be read at any offset.
type dense struct {
	info     Info
	elements io.ReaderAt // little-endian; offsets are from the first element
}

// Info implements Reader.
func (r *dense) Info() Info { return r.info }

// Close implements Reader. It leaves closing the file to the caller.
func (r *dense) Close() error { return nil }

// ReadSection implements Reader. It reads small runs together with the gaps between them if those
// are smaller than a page.
func (r *dense) ReadSection(sec nd.Section, buf []byte) error {
	sec, err := r.info.Check(sec, buf)
	if err != nil {
		return err
	}
	runs := newRuns(r.info, sec)
	together := runs.bytes < maxGap && runs.gap() < maxGap && !runs.isSingle()
	w := window{from: r.elements}
	return runs.each(func(off, line int64) error {
		p := buf[:runs.bytes]
		buf = buf[runs.bytes:]
		if together {
			return w.read(p, off, line)
		}
		_, err := r.elements.ReadAt(p, off)
		return err
	})
}

// A window reads small runs through a buffer that holds the bytes around them.
type window struct {
	from  io.ReaderAt
	start int64
	buf   []byte
}

// read reads p from offset off. Offsets must ascend from call to call. It reads ahead, at most to
// line bytes after off.
func (w *window) read(p []byte, off, line int64) error {
	if off+int64(len(p)) > w.start+int64(len(w.buf)) {
		if w.buf == nil {
			w.buf = make([]byte, windowBytes)
		}
		w.start, w.buf = off, w.buf[:min(line, windowBytes)]
		if n, err := w.from.ReadAt(w.buf, off); n < len(p) {
			w.buf = w.buf[:0]
			return err
		} else if err != nil { // behind p: a later call returns the error if it needs those bytes
			w.buf = w.buf[:n]
		}
	}
	copy(p, w.buf[off-w.start:])
	return nil
}

// A stream reader reads a file that can only be decoded sequentially.
type stream struct {
	info  Info
	r     io.Reader // the elements, little-endian and in the order of info
	bytes int64     // of all elements
	pos   int64     // bytes of elements that were read
	err   error     // the error that ended the stream

	// reopen returns a new reader that begins at the first element. It is nil for a pipe.
	reopen func() (io.Reader, error)
}

// newStream returns a reader of the elements in r. reopen may be nil.
func newStream(info Info, r io.Reader, reopen func() (io.Reader, error)) (*stream, error) {
	n, err := info.Bytes()
	info.Streamed = reopen == nil
	return &stream{info: info, r: r, bytes: int64(n), reopen: reopen}, err
}

// Info implements Reader.
func (s *stream) Info() Info { return s.info }

// Close implements Reader. It leaves closing the file to the caller.
func (s *stream) Close() error { return nil }

// ReadSection implements Reader. After the last element it checks that the file ends there.
func (s *stream) ReadSection(sec nd.Section, buf []byte) error {
	sec, err := s.info.Check(sec, buf)
	if err != nil {
		return err
	}
	runs := newRuns(s.info, sec)
	if runs.empty && s.bytes > 0 {
		return nil
	}
	if err := s.seekBack(sec, runs.first()); err != nil {
		return err
	}
	err = runs.each(func(off, _ int64) error {
		p := buf[:runs.bytes]
		buf = buf[runs.bytes:]
		return s.read(p, off)
	})
	if err == nil && s.pos == s.bytes {
		err = s.end()
	}
	s.err = err
	return err
}

// seekBack reopens the stream if byte off lies before its position.
func (s *stream) seekBack(sec nd.Section, off int64) (err error) {
	if s.reopen == nil {
		if s.err == nil && off < s.pos {
			size := int64(s.info.DType.Size())
			return errkind.Errorf(ErrOrder, "section %v begins at element %d, but %d elements of the stream were read: sections must ascend along dimension %d",
				sec, off/size, s.pos/size, s.info.Order.Dims(len(sec))[0])
		}
		return s.err
	}
	if s.err == nil && off >= s.pos {
		return nil
	}
	s.pos = 0
	s.r, s.err = s.reopen()
	return s.err
}

// read skips the bytes before off and reads p.
func (s *stream) read(p []byte, off int64) error {
	n, err := io.CopyN(io.Discard, s.r, off-s.pos)
	s.pos += n
	if err == nil {
		n, err = s.readFull(p)
		s.pos += n
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errkind.Errorf(io.ErrUnexpectedEOF, "expected %d bytes of elements, found %d", s.bytes, s.pos)
	}
	return err
}

func (s *stream) readFull(p []byte) (int64, error) {
	n, err := io.ReadFull(s.r, p)
	return int64(n), err
}

// end checks that nothing follows the last element.
func (s *stream) end() error {
	switch n, err := s.r.Read(make([]byte, 1)); {
	case n > 0:
		return errkind.Errorf(ErrSize, "continues after its %d bytes of elements", s.bytes)
	case err != io.EOF:
		return err
	}
	return nil
}
