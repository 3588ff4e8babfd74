//go:build netcdf && cgo

package netcdf

import (
	"testing"

	"drx/dtype"
	"drx/formats/formattest"
)

func TestAppend(t *testing.T) {
	common := []dtype.DType{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Float32, dtype.Float64, dtype.Bool}
	formattest.Appender(t, "netcdf", "netcdf", append([]dtype.DType{dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64, dtype.Complex64}, common...), true)
	formattest.Appender(t, "netcdf3", "netcdf", common, false)
}
