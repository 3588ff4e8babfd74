package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"drx"
	"drx/formats"
	"drx/formats/npy"
	"drx/formats/pipe"
	"drx/internal/wording"
)

// ErrOption is in the errors of options that are impossible in general or for the file or the array, of names of dimensions and
// variables that do not exist, and of names that are taken by something of another kind.
var ErrOption = errors.New("wrong option")

// An optionError is an ErrOption with a text of its own.
type optionError struct{ error }

// Is reports that the error is an ErrOption.
func (e optionError) Is(target error) bool { return target == ErrOption }

// Unwrap returns the underlying error.
func (e optionError) Unwrap() error { return e.error }

// wrongOption returns an ErrOption.
func wrongOption(format string, args ...any) error { return optionError{fmt.Errorf(format, args...)} }

// asWrongOption makes an error an ErrOption if its cause is a value that is impossible for an array.
func asWrongOption(err error) error {
	if errors.Is(err, drx.ErrCorrupt) {
		return err
	}
	for _, fault := range []error{drx.ErrRank, drx.ErrBounds, drx.ErrOverflow, drx.ErrDType, fs.ErrInvalid} {
		if errors.Is(err, fault) {
			return optionError{wording.WithoutKind(err, drx.ErrRank)}
		}
	}
	return err
}

// An IncompleteError says that an import ended before it was complete. What it has imported into is valid, and the same import
// with Resume continues.
type IncompleteError struct {
	Err  error  // why
	Hint string // what is there, and what to do
}

// Error implements error. An interruption, context.Canceled, has no hint in its text.
func (e *IncompleteError) Error() string {
	if errors.Is(e.Err, context.Canceled) {
		return e.Err.Error()
	}
	return e.Err.Error() + "; " + e.Hint
}

// Unwrap returns Err.
func (e *IncompleteError) Unwrap() error { return e.Err }

// ExplainFile adds to the error of a file what to do about it, and leaves out what the rest says.
func ExplainFile(err error) error {
	switch {
	case errors.Is(err, formats.ErrText):
		return fmt.Errorf("%w; for a table with text use drx append --coords, and --wide if it has a column per date or other label", wording.WithoutKind(err, formats.ErrTable))
	case errors.Is(err, formats.ErrTable):
		return wording.WithoutKind(err, formats.ErrTable)
	case errors.Is(err, formats.ErrFormat) && strings.HasSuffix(err.Error(), formats.ErrFormat.Error()):
		return fmt.Errorf("%w, see drx help formats", err)
	}
	return wording.WithoutKind(err, npy.ErrFormat)
}

// A readError is an error of the file that is Imported, not of the array.
type readError struct{ error }

// Unwrap returns the underlying error.
func (e readError) Unwrap() error { return e.error }

// isDamage reports whether an error says that the file is wrong, so that another try has the same result.
func isDamage(err error) bool {
	var r readError
	return errors.As(err, &r) && !errors.Is(err, pipe.ErrHelper) && !errors.Is(err, pipe.ErrMissing) && !errors.Is(err, context.Canceled)
}
