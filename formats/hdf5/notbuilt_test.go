//go:build !hdf5 || !cgo

package hdf5

import (
	"errors"
	"testing"

	"drx/formats"
)

// Without the tag nothing may be registered.
func TestNotBuilt(t *testing.T) {
	if _, err := formats.ByName("hdf5"); !errors.Is(err, formats.ErrFormat) {
		t.Error(err)
	}
}
