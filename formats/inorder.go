package formats

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"drx/internal/errkind"
	"drx/nd"
)

// An inOrder accepts the sections of an array in any order and passes its elements on in the
// array's order, for files that are written from front to back. Elements that arrive early wait in
// a temporary file.
type inOrder struct {
	info  Info
	name  string               // of the format and the variable, for errors
	dir   string               // folder of the temporary file; empty for a stream, which has none
	ready func() bool          // whether emit may be called yet; nil: always
	emit  func(p []byte) error // takes the next elements
	bytes int64                // of all elements
	pos   int64                // bytes of elements that were passed on
	spool *os.File             // elements from pos on, at their offsets; nil while there are none
	later int64                // bytes of elements in it
	ended bool
}

// newInOrder returns an inOrder that passes elements to emit, which writes them to w in some form.
func newInOrder(name string, info Info, w io.Writer, emit func(p []byte) error) (*inOrder, error) {
	n, err := info.Bytes()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &inOrder{info: info, name: name, dir: spoolFolder(w), emit: emit, bytes: int64(n)}, nil
}

// spoolFolder returns the folder of a regular file, empty for other outputs.
func spoolFolder(w io.Writer) string {
	if f, ok := w.(*os.File); ok && f != os.Stdout && regular(f) {
		return filepath.Dir(f.Name())
	}
	return ""
}

// WriteSection implements Writer.
func (o *inOrder) WriteSection(sec nd.Section, buf []byte) error {
	sec, err := o.info.Check(sec, buf)
	if err != nil {
		return err
	}
	runs := newRuns(o.info, sec)
	if runs.empty {
		return nil
	}
	if (o.ready == nil || o.ready()) && o.spool == nil && runs.first() == o.pos && runs.isSingle() {
		return o.pass(buf)
	}
	if o.dir == "" {
		size := int64(o.info.DType.Size())
		return errkind.Errorf(ErrOrder, "%s: section %v begins at element %d, but %d elements of the stream were written: variables and sections must follow each other, without gaps",
			o.name, sec, runs.first()/size, o.pos/size)
	}
	return o.keep(runs, buf)
}

func (o *inOrder) pass(p []byte) error {
	err := o.emit(p)
	if err == nil {
		o.pos += int64(len(p))
	}
	return err
}

// keep writes elements that arrived early to the temporary file, at their offsets.
func (o *inOrder) keep(runs runs, buf []byte) error {
	if o.spool == nil {
		f, err := os.CreateTemp(o.dir, ".drx-*")
		if err != nil {
			return err
		}
		o.spool = f
		if err := os.Remove(f.Name()); err != nil { // it lives as long as it is open
			return err
		}
	}
	return runs.each(func(off, _ int64) error {
		n, err := o.spool.WriteAt(buf[:runs.bytes], off)
		o.later += int64(n)
		buf = buf[runs.bytes:]
		return err
	})
}

// missing returns an error if elements were not written.
func (o *inOrder) missing() error {
	if written := o.pos + o.later; written < o.bytes {
		return errkind.Errorf(io.ErrUnexpectedEOF, "%s: shape %v of %v: expected %d bytes, got %d", o.name, o.info.Shape, o.info.DType, o.bytes, written)
	}
	return nil
}

// finish passes on the elements in the temporary file, with zeros for missing ones.
func (o *inOrder) finish() error {
	if o.spool == nil {
		return nil
	}
	buf, size := make([]byte, 1<<20), o.bytes-o.pos
	var err error
	for rest := io.NewSectionReader(o.spool, o.pos, size); err == nil; {
		var n int
		if n, err = io.ReadFull(rest, buf); n > 0 {
			if passed := o.pass(buf[:n]); passed != nil {
				err = passed
			}
		}
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	if closed := o.spool.Close(); err == nil {
		err = closed
	}
	o.spool = nil
	return err
}

// end ends a file with one array: it passes on the elements in the temporary file, and calls last.
// It returns the first error, or that of missing if elements were not written. Further calls do
// nothing.
func (o *inOrder) end(last func() error) error {
	if o.ended {
		return nil
	}
	o.ended = true
	err := o.missing()
	for _, step := range []func() error{o.finish, last} {
		if failed := step(); err == nil {
			err = failed
		}
	}
	return err
}
