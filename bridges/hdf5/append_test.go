//go:build hdf5 && cgo

package hdf5

import (
	"testing"

	"drx/convert/converttest"
	"drx/dtype"
)

func TestAppend(t *testing.T) { converttest.Appender(t, "hdf5", "hdf5", dtype.All(), true) }
