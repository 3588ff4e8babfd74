//go:build mpi && cgo

package mpi

import (
	"errors"

	"drx/parallel/internal/call"
	"drx/parallel/par"
)

// A blamedError is an error from another process that already names its proc. Its text is complete.
type blamedError struct {
	error
	whose *par.ProcError
}

// Unwrap returns the error, and the proc it comes from.
func (e *blamedError) Unwrap() []error { return []error{e.error, e.whose} }

// encode encodes a call, with the proc that its error names, if any.
func encode(c call.Call) []byte {
	var whose *par.ProcError
	if errors.As(c.Err, &whose) {
		c.Blamed = whose.Proc + 1
	}
	return c.Encode()
}

// decode is the inverse of encode.
func decode(b []byte) (call.Call, error) {
	c, err := call.Decode(b)
	if err == nil && c.Err != nil && c.Blamed > 0 {
		c.Err = &blamedError{c.Err, &par.ProcError{Proc: c.Blamed - 1, Err: c.Err}}
	}
	return c, err
}
