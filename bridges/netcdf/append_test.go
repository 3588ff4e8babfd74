//go:build netcdf && cgo

package netcdf

import (
	"testing"

	"drx/convert/converttest"
	"drx/dtype"
)

func TestAppend(t *testing.T) {
	common := []dtype.DType{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Float32, dtype.Float64, dtype.Bool}
	converttest.Appender(t, "netcdf", "netcdf", append([]dtype.DType{dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64, dtype.Complex64}, common...), true)
	converttest.Appender(t, "netcdf3", "netcdf", common, false)
}
