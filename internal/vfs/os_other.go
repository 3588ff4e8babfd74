//go:build !linux

package vfs

import (
	"errors"
	"io"
)

// Data calls the whole rest of the file data.
func (f osFile) Data(off int64) (from, to int64, err error) {
	size, err := f.Size()
	if err == nil && off >= size {
		err = io.EOF
	}
	return off, size, err
}

// Punch leaves the bytes: there is no portable way to make a hole.
func (f osFile) Punch(int64, int64) error { return nil }

// LockRange is not supported.
func (f osFile) LockRange(int64, int64) (func() error, error) {
	return nil, errors.ErrUnsupported
}
