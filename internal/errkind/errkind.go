// Package errkind makes errors of a kind, which errors.Is finds, and which are not in the text: a
// sentence such as "dimension 0: index 9 is not in [0, 4)" gains nothing from ": out of bounds".
package errkind

import "fmt"

// An ofKind error has the text of err.
type ofKind struct{ err, kind error }

// Error returns the text without that of the kind.
func (e *ofKind) Error() string { return e.err.Error() }

// Unwrap returns the error and its kind.
func (e *ofKind) Unwrap() []error { return []error{e.err, e.kind} }

// Of returns an error with the text of err, which errors.Is finds to be kind too.
func Of(kind, err error) error { return &ofKind{err, kind} }

// Errorf is fmt.Errorf for an error of a kind.
func Errorf(kind error, format string, args ...any) error {
	return &ofKind{fmt.Errorf(format, args...), kind}
}
