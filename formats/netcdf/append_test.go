//go:build netcdf && cgo

package netcdf

import (
	"errors"
	"path/filepath"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/formattest"
)

func TestAppend(t *testing.T) {
	common := []dtype.DType{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Float32, dtype.Float64, dtype.Bool}
	formattest.Appender(t, "netcdf", "netcdf", append([]dtype.DType{dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64, dtype.Complex64}, common...), true)
	formattest.Appender(t, "netcdf3", "netcdf", common, false)
}

// A label with a zero byte would end there, so every format must refuse it.
func TestZeroInLabel(t *testing.T) {
	for _, format := range []string{"netcdf", "netcdf3"} {
		path := filepath.Join(t.TempDir(), "a.nc")
		info := formats.Info{Name: "a", DType: dtype.Uint32, Shape: []int{0}, Unlimited: []bool{true}, Dims: []string{"x"}, Labels: []string{"a", "b"}}
		writers, err := formats.CreateFile(path, format, formats.Content{Vars: []formats.Info{info}})
		if err != nil {
			t.Fatal(err)
		}
		if err := writers[0].Close(); err != nil {
			t.Fatal(err)
		}
		info.Shape, info.Labels = []int{1}, []string{"a\x00b"}
		if _, err := formats.CreateFile(path+"2", format, formats.Content{Vars: []formats.Info{info}}); !errors.Is(err, formats.ErrType) {
			t.Errorf("%s: %v", format, err)
		}
		if format == "netcdf3" { // its strings have a fixed length
			continue
		}
		if _, err := formats.AppendFile(path, format, formats.Content{Vars: []formats.Info{info}}); !errors.Is(err, formats.ErrType) {
			t.Errorf("%s: appended: %v", format, err)
		}
	}
}
