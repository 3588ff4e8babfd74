// Package cformat has what the bridges to C libraries share and what depends on none of them: the
// errors of readers and writers, texts for people, how a variable is chosen by its name, boxes that
// make up a section, the values of attributes, what is checked of a file before it is created. It
// uses no C. What belongs to every reader and writer, not only to those by a C library, is in
// package formats.
package cformat

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"drx/formats"
)

// ErrClosed is returned for sections after Close.
var ErrClosed = errors.New("is closed")

// A refusal is an error with a text for people, and of a given kind for errors.Is.
type refusal struct {
	text string
	kind error
}

// Refuse returns an error with that text alone, which is the given kind for errors.Is.
func Refuse(kind error, text string) error { return &refusal{text, kind} }

// Error returns the text alone.
func (r *refusal) Error() string { return r.text }

// Unwrap returns the kind.
func (r *refusal) Unwrap() error { return r.kind }

// A failure is an error that a library has described.
type failure struct {
	doing, library, text string
	short                bool
}

// Failed returns the error of a call of a library, in one line: what was being done, the name of
// the library, and what it says about it, which may be nothing. short says that the file is: the
// error then wraps io.ErrUnexpectedEOF.
func Failed(doing, library, text string, short bool) error {
	return &failure{doing, library, cmp.Or(OneLine(text), "failed without a description"), short}
}

// Error returns one line.
func (e *failure) Error() string { return e.doing + ": " + e.library + ": " + e.text }

// Unwrap returns io.ErrUnexpectedEOF for a file that is too short.
func (e *failure) Unwrap() error {
	if e.short {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// NeedFile returns an error for an input that is no file, of a format whose files are called what:
// "a FITS file".
func NeedFile(in *formats.Input, what string) error {
	if in.File == nil {
		return fmt.Errorf("%s cannot be read from a pipe: save it and give its name: %w", what, formats.ErrNotRead)
	}
	return nil
}

// OneLine returns a text of a file or of a library as valid UTF-8 in one line.
func OneLine(s string) string { return strings.Join(strings.Fields(formats.Text(s)), " ") }

// Choose returns the number of the variable with a name or, without one, of the only one that can
// be read. info describes each of n variables. The error wraps formats.ErrVariable and names those
// that can be read. If none can be read, the first one is chosen, which has a reason for it.
func Choose(name string, n int, info func(i int) *formats.Info) (int, error) {
	var readable []string
	only := 0
	for i := range n {
		v := info(i)
		switch {
		case name != "" && v.Name == name:
			return i, nil
		case v.Refused == "":
			readable, only = append(readable, v.Name), i
		}
	}
	switch {
	case name != "":
		return 0, fmt.Errorf("%q: %w: the file has %s", name, formats.ErrVariable, listed(readable))
	case len(readable) == 1, len(readable) == 0 && n > 0:
		return only, nil
	case n == 0:
		return 0, fmt.Errorf("%w: the file has no variables", formats.ErrVariable)
	}
	return 0, fmt.Errorf("%w: name one, the file has %s", formats.ErrVariable, listed(readable))
}

// listed returns names for an error, the first of them if they are many.
func listed(names []string) string {
	const most = 10
	switch {
	case len(names) == 0:
		return "none that can be read"
	case len(names) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// ErrLocked is wrapped by the errors for a file that another process is writing.
var ErrLocked = errors.New("another process is writing the file: wait until it has closed it; if none is, set HDF5_USE_FILE_LOCKING=FALSE")

// WhyNotOpened returns ErrLocked in place of the error of a library that could not open a file, if
// another process is writing it: HDF5 says errno = 11 then.
func WhyNotOpened(path string, err error) error {
	if IsLocked(path) {
		return ErrLocked
	}
	return err
}
