// Package cformat has what the formats by C libraries share and what depends on none of them:
// readers and writers, which check each section and call the library one at a time (Library,
// Writers), the catalog in which a variable is found by its name, errors, boxes that make up a
// section, strings for C, the values of attributes, what is checked of a file before it is created.
// It uses no C. What belongs to every reader and writer, not only to those by a C library, is in
// package formats.
package cformat

import (
	"cmp"
	"errors"
	"io"
	"strings"

	"drx/formats"
	"drx/internal/errkind"
)

// ErrClosed is returned for a section that is requested after Close.
var ErrClosed = errors.New("is closed")

// A refusal is an error with a text for people and a kind for errors.Is.
type refusal struct {
	text string
	kind error
}

// Refuse returns an error that prints as text and matches kind in errors.Is.
func Refuse(kind error, text string) error { return &refusal{text, kind} }

// Error returns the text alone.
func (r *refusal) Error() string { return r.text }

// Unwrap returns the kind.
func (r *refusal) Unwrap() error { return r.kind }

// A failure is an error that a library described.
type failure struct {
	doing, library, text string
	cause                error
}

// Failed returns the error of a library call, in one line: the operation, the name of the library,
// and its message, which may be empty. The error wraps cause, unless that is nil.
func Failed(doing, library, text string, cause error) error {
	return &failure{doing, library, cmp.Or(OneLine(text), "failed without a description"), cause}
}

// Short returns the cause of an error if a file is too short, nil if it is not.
func Short(short bool) error {
	if short {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// Error returns the operation, the library and its message in one line.
func (e *failure) Error() string { return e.doing + ": " + e.library + ": " + e.text }

// Unwrap returns the cause.
func (e *failure) Unwrap() error { return e.cause }

// NeedFile returns an error if the input is not a file; what names the format in the message, as in
// "a FITS file".
func NeedFile(in *formats.Input, what string) error {
	if in.File == nil {
		return errkind.Errorf(formats.ErrNotRead, "%s cannot be read from a pipe: save it and give its name", what)
	}
	return nil
}

// OneLine returns a text from a file or a library as one line of valid UTF-8.
func OneLine(s string) string { return strings.Join(strings.Fields(formats.Text(s)), " ") }

// ErrLocked is wrapped by the errors for a file that another process is writing.
var ErrLocked = errors.New("another process is writing the file: wait until it has closed it; if none is, set HDF5_USE_FILE_LOCKING=FALSE")

// WhyNotOpened returns ErrLocked in place of a library's error for a file that could not be opened,
// if another process is writing the file. HDF5 reports only errno = 11 then.
func WhyNotOpened(path string, err error) error {
	if IsLocked(path) {
		return ErrLocked
	}
	return err
}
