package wording

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
