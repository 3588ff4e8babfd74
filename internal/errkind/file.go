package errkind

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"drx/internal/wording"
)

// FileError adds the name of a file to an error, like fs.PathError for errors of the system.
type FileError struct {
	Name string
	Err  error
}

// Error returns the name of the file and the error.
func (e *FileError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the error.
func (e *FileError) Unwrap() error { return e.Err }

// InFile returns a FileError, or err itself if it is nil or already names its file.
func InFile(name string, err error) error {
	path, file := (*fs.PathError)(nil), (*FileError)(nil)
	if err == nil || errors.As(err, &path) || errors.As(err, &file) {
		return err
	}
	return &FileError{name, err}
}

// Doing adds a name, of an array or of a folder, and the operation to an error. If the error begins
// with the name of the same file, as errors of arrays in one file do, the name is left out there.
func Doing(name, op string, err error) error {
	return &FileError{name, fmt.Errorf("%s: %w", op, without(name, op, err))}
}

// Naming is Doing for an error that already describes the operation.
func Naming(name string, err error) error { return &FileError{name, without(name, "", err)} }

// without returns an error whose text does not name the file.
func without(name, op string, err error) error {
	if text, is := unnamed(name, op, err); is {
		return wording.Reworded(text, err)
	}
	return err
}

// unnamed returns the text of an error without the file's name, and whether the text had the name.
// The operation of an fs.PathError is kept, unless it is op.
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
