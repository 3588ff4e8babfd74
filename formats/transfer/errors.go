package transfer

import (
	"context"
	"errors"
	"io/fs"

	"drx"
	"drx/formats/pipe"
	"drx/optionerr"
)

// asWrongOption makes an error an optionerr.ErrOption if its cause is an option's value that no
// array can have.
func asWrongOption(err error) error {
	if errors.Is(err, drx.ErrCorrupt) {
		return err
	}
	for _, fault := range []error{drx.ErrRank, drx.ErrBounds, drx.ErrOverflow, drx.ErrDType, fs.ErrInvalid} {
		if errors.Is(err, fault) {
			return optionerr.As(err)
		}
	}
	return err
}

// An IncompleteError says that an import ended before it was complete. DST is valid, and the same
// import with Resume continues.
type IncompleteError struct {
	Err  error          // why
	Hint optionerr.Text // the state of DST, and how to continue
}

// Error implements error. An interruption, context.Canceled, has no hint in its text.
func (e *IncompleteError) Error() string { return e.Rename(optionerr.Option.String) }

// Rename implements the interface of optionerr.Rename.
func (e *IncompleteError) Rename(name func(optionerr.Option) string) string {
	why := optionerr.Rename(e.Err, name).Error()
	if errors.Is(e.Err, context.Canceled) {
		return why
	}
	return why + "; " + e.Hint.Rename(name)
}

// Unwrap returns Err.
func (e *IncompleteError) Unwrap() error { return e.Err }

// A readError is an error of the file that is imported, not of the array.
type readError struct{ error }

// Unwrap returns the underlying error.
func (e readError) Unwrap() error { return e.error }

// isDamage reports whether an error says that the file is wrong, so that another attempt would fail
// as well.
func isDamage(err error) bool {
	var r readError
	return errors.As(err, &r) && !errors.Is(err, pipe.ErrHelper) && !errors.Is(err, pipe.ErrMissing) && !errors.Is(err, context.Canceled)
}
