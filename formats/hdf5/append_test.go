//go:build hdf5 && cgo

package hdf5

import (
	"testing"

	"drx/dtype"
	"drx/formats/formattest"
)

func TestAppend(t *testing.T) { formattest.Appender(t, "hdf5", "hdf5", dtype.All(), true) }
