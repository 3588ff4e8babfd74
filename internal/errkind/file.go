package errkind

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"drx/internal/wording"
)

// A FileError says in which file an error is, as an fs.PathError does for those of the system.
type FileError struct {
	Name string
	Err  error
}

// Error returns the name of the file and the error.
func (e *FileError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the error.
func (e *FileError) Unwrap() error { return e.Err }

// InFile returns a FileError, or err if that is nil or says in which file it is.
func InFile(name string, err error) error {
	path, file := (*fs.PathError)(nil), (*FileError)(nil)
	if err == nil || errors.As(err, &path) || errors.As(err, &file) {
		return err
	}
	return &FileError{name, err}
}

// Doing adds a name, that of an array or of a folder, and the operation to an error. An array in
// one file has the name of the file, which the error may begin with: then it is left out there.
func Doing(name, op string, err error) error {
	return &FileError{name, fmt.Errorf("%s: %w", op, without(name, op, err))}
}

// Naming is Doing for an error that says what was to be done.
func Naming(name string, err error) error { return &FileError{name, without(name, "", err)} }

// without returns an error with a text that does not name a file.
func without(name, op string, err error) error {
	if text, is := unnamed(name, op, err); is {
		return wording.Reworded(text, err)
	}
	return err
}

// unnamed returns the text of an error without a file's name, and whether it had it. The operation
// of an fs.PathError stays, unless it is op.
func unnamed(name, op string, err error) (text string, is bool) {
	switch e := err.(type) {
	case *FileError:
		if e.Name == name {
			return e.Err.Error(), true
		}
	case *fs.PathError:
		if e.Path == name && e.Op == op {
			return e.Err.Error(), true
		} else if e.Path == name {
			return e.Op + ": " + e.Err.Error(), true
		}
	}
	text = err.Error()
	for _, inner := range wrapped(err) {
		if other, had := unnamed(name, op, inner); had {
			text, is = strings.Replace(text, inner.Error(), other, 1), true
		}
	}
	return text, is
}

// wrapped returns the errors that an error wraps.
func wrapped(err error) []error {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return []error{inner}
		}
	}
	return nil
}
