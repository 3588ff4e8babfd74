package wording

import (
	"strings"
)

// Reworded returns an error with another text, which wraps err.
func Reworded(text string, err error) error { return &rewordedError{text, err} }

// A rewordedError has another text than the error that it wraps.
type rewordedError struct {
	text string
	err  error
}

// Error implements error.
func (e *rewordedError) Error() string { return e.text }

// Unwrap returns the error with the other text.
func (e *rewordedError) Unwrap() error { return e.err }

// WithoutKind leaves the kinds of an error, the texts of sentinels at its end, out of its text: on
// a command line the rest says what is wrong.
func WithoutKind(err error, kinds ...error) error {
	text := err.Error()
	for again := true; again; {
		again = false
		for _, kind := range kinds {
			rest, found := strings.CutSuffix(text, ": "+kind.Error())
			text, again = rest, again || found
		}
	}
	return &rewordedError{text, err}
}
