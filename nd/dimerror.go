package nd

import "fmt"

// A DimError is an error about one dimension. Its text has the dimension's number; a program that
// knows the names of the dimensions can print the name instead.
type DimError struct {
	Dim int   // its number, from 0
	Err error // without the dimension
}

// Error implements error.
func (e *DimError) Error() string { return fmt.Sprintf("dimension %d: %v", e.Dim, e.Err) }

// Unwrap returns the error without the dimension.
func (e *DimError) Unwrap() error { return e.Err }

// DimErrorf returns a DimError with a formatted text, which may wrap an error as in fmt.Errorf.
func DimErrorf(dim int, format string, args ...any) error {
	return &DimError{dim, fmt.Errorf(format, args...)}
}
