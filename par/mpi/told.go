//go:build mpi && cgo

package mpi

import (
	"errors"

	"drx/par"
	"drx/par/internal/call"
)

// told is an error of another process that says already whose it is: its text is complete.
type told struct {
	error
	whose *par.ProcError
}

// Unwrap returns what the error is, and whose.
func (t *told) Unwrap() []error { return []error{t.error, t.whose} }

// encode returns a call as bytes, with whose error it brings if that is known.
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
		c.Err = &told{c.Err, &par.ProcError{Proc: c.Blamed - 1, Err: c.Err}}
	}
	return c, err
}
