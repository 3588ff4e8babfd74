package convert

import (
	"fmt"
	"io"

	"drx/nd"
)

const (
	// near is how many bytes may lie between runs that are read together: a page.
	near = 4 << 10
	// windowBytes is how much is read together, a multiple of every element size.
	windowBytes = 64 << 10
)

// A dense reader reads a file that stores plain elements and can be read from any place.
type dense struct {
	info     Info
	elements io.ReaderAt // little-endian; offsets are from the first element
}

// Info implements Reader.
func (r *dense) Info() Info { return r.info }

// Close implements Reader; the file is its caller's.
func (r *dense) Close() error { return nil }

// ReadSection implements Reader. It reads the section, and gaps of less than a page between its runs.
func (r *dense) ReadSection(sec nd.Section, buf []byte) error {
	sec, err := r.info.Check(sec, buf)
	if err != nil {
		return err
	}
	runs := newRuns(r.info, sec)
	together := runs.bytes < near && runs.gap() < near && !runs.single()
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

// A window is the bytes of a file around a run.
type window struct {
	from io.ReaderAt
	at   int64
	buf  []byte
}

// read reads p from offset off. Offsets ascend from call to call. It reads ahead, up to line bytes from off.
func (w *window) read(p []byte, off, line int64) error {
	if off+int64(len(p)) > w.at+int64(len(w.buf)) {
		if w.buf == nil {
			w.buf = make([]byte, windowBytes)
		}
		w.at, w.buf = off, w.buf[:min(line, windowBytes)]
		if n, err := w.from.ReadAt(w.buf, off); n < len(p) {
			w.buf = w.buf[:0]
			return err
		} else if err != nil { // behind p: a later call returns it, if it needs those bytes
			w.buf = w.buf[:n]
		}
	}
	copy(p, w.buf[off-w.at:])
	return nil
}

// A stream reader reads a file that is decoded from front to back.
type stream struct {
	info  Info
	r     io.Reader // the elements, little-endian and in the order of info, and then io.EOF
	bytes int64     // of all elements
	at    int64     // bytes of elements that were read
	err   error     // that ended the stream

	// again returns the elements from the first one on; nil when the stream cannot go back.
	again func() (io.Reader, error)
}

// newStream returns a reader of elements. again may be nil.
func newStream(info Info, r io.Reader, again func() (io.Reader, error)) (*stream, error) {
	n, err := info.Bytes()
	info.Streamed = again == nil
	return &stream{info: info, r: r, bytes: int64(n), again: again}, err
}

// Info implements Reader.
func (s *stream) Info() Info { return s.info }

// Close implements Reader; the file is its caller's.
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
	if err := s.rewind(sec, runs.first()); err != nil {
		return err
	}
	err = runs.each(func(off, _ int64) error {
		p := buf[:runs.bytes]
		buf = buf[runs.bytes:]
		return s.read(p, off)
	})
	if err == nil && s.at == s.bytes {
		err = s.end()
	}
	s.err = err
	return err
}

// rewind makes sure that the stream is at byte off or before it.
func (s *stream) rewind(sec nd.Section, off int64) (err error) {
	if s.again == nil {
		if s.err == nil && off < s.at {
			size := int64(s.info.DType.Size())
			return fmt.Errorf("section %v begins at element %d, but %d elements of the stream were read: sections must ascend along dimension %d: %w",
				sec, off/size, s.at/size, s.info.Order.Dims(len(sec))[0], ErrOrder)
		}
		return s.err
	}
	if s.err == nil && off >= s.at {
		return nil
	}
	s.at = 0
	s.r, s.err = s.again()
	return s.err
}

// read passes over what comes before byte off, and reads p.
func (s *stream) read(p []byte, off int64) error {
	n, err := io.CopyN(io.Discard, s.r, off-s.at)
	s.at += n
	if err == nil {
		n, err = s.full(p)
		s.at += n
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("expected %d bytes of elements, found %d: %w", s.bytes, s.at, io.ErrUnexpectedEOF)
	}
	return err
}

func (s *stream) full(p []byte) (int64, error) {
	n, err := io.ReadFull(s.r, p)
	return int64(n), err
}

// end checks that nothing follows the last element, and nothing there is damaged.
func (s *stream) end() error {
	switch n, err := s.r.Read(make([]byte, 1)); {
	case n > 0:
		return fmt.Errorf("goes on after its %d bytes of elements: %w", s.bytes, ErrSize)
	case err != io.EOF:
		return err
	}
	return nil
}
