//go:build !linux

package vfs

import "io"

// Data reports the rest of the file as data.
func (f osFile) Data(off int64) (from, to int64, err error) {
	size, err := f.Size()
	if err == nil && off >= size {
		err = io.EOF
	}
	return off, size, err
}

// Punch leaves the bytes: there is no portable way to make a hole.
func (f osFile) Punch(int64, int64) error { return nil }

// Allocate does nothing.
func (f osFile) Allocate(int64, int64) {}
