package cformat

import (
	"errors"
	"io"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// An Output is a variable that a library writes.
type Output struct {
	Info    formats.Info
	Path    string // its name in the file, for errors
	Written int    // elements that the file already has
	To      Sink
}

// A Sink writes the elements of a variable. Its methods run after Enter, and none after Finish.
type Sink interface {
	// Write writes a section, which is valid and not empty. buf is little-endian.
	Write(sec nd.Section, buf []byte) error
	// Finish ends the variable. complete is true if all its elements were written.
	Finish(complete bool) error
}

// Writers returns a writer for each variable of a file. Closing the last of them closes the file.
func Writers(enter func() (leave func()), file io.Closer, outputs []Output) []formats.Writer {
	open, all := len(outputs), make([]formats.Writer, len(outputs))
	for i, o := range outputs {
		all[i] = &writer{Output: o, enter: enter, file: file, open: &open}
	}
	return all
}

// A writer implements formats.Writer.
type writer struct {
	Output // To is nil after Close
	enter  func() (leave func())
	file   io.Closer
	open   *int // number of writers of the file not yet closed
}

// WriteSection implements formats.Writer.
func (w *writer) WriteSection(sec nd.Section, buf []byte) error {
	sec, err := w.Info.Check(sec, buf)
	if err != nil || len(buf) == 0 {
		return err
	}
	if w.Info.DType == dtype.Bool && w.Info.Labels == nil {
		if err := checkBools(buf); err != nil {
			return inSection(w.Path, sec, err)
		}
	}
	defer w.enter()()
	if w.To == nil {
		return inSection(w.Path, sec, ErrClosed)
	}
	if err := w.To.Write(sec, buf); err != nil {
		return inSection(w.Path, sec, err)
	}
	w.Written += Count(sec)
	return nil
}

// Close implements formats.Writer. The last writer of a file closes it.
func (w *writer) Close() error {
	defer w.enter()()
	if w.To == nil {
		return nil
	}
	missing := w.Info.CheckWritten(w.Written)
	err := errors.Join(w.To.Finish(missing == nil), missing)
	w.To = nil
	if *w.open--; *w.open == 0 {
		err = errors.Join(err, w.file.Close())
	}
	return inVariable(w.Path, err)
}
