// Package errkind makes errors of a kind that errors.Is finds but that the text does not mention: a
// sentence such as "dimension 0: index 9 is not in [0, 4)" gains nothing from ": out of bounds".
package errkind

import "fmt"

// ofKind is an error with the text of err and the kind kind.
type ofKind struct{ err, kind error }

// Error returns the text of the error without the kind.
func (e *ofKind) Error() string { return e.err.Error() }

// Unwrap returns the error and its kind.
func (e *ofKind) Unwrap() []error { return []error{e.err, e.kind} }

// Of returns an error with the text of err that also matches kind in errors.Is.
func Of(kind, err error) error { return &ofKind{err, kind} }

// Errorf is fmt.Errorf for an error of a kind.
func Errorf(kind error, format string, args ...any) error {
	return &ofKind{fmt.Errorf(format, args...), kind}
}
