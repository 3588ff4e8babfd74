//go:build !linux

package vfs

import "errors"

// Map is not supported.
func (f osFile) Map(int64, int) (Mapping, error) {
	return nil, mapError(f.Name(), errors.ErrUnsupported)
}
