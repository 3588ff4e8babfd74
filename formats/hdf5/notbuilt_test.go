//go:build !hdf5 || !cgo

package hdf5

import (
	"errors"
	"testing"

	"drx/formats"
)

// Without the tag nothing is registered, and Library says why.
func TestNotBuilt(t *testing.T) {
	if name, err := Library(); !errors.Is(err, ErrNotBuilt) || Built {
		t.Errorf("%q, %v", name, err)
	}
	if _, err := formats.ByName("hdf5"); !errors.Is(err, formats.ErrFormat) {
		t.Error(err)
	}
}
