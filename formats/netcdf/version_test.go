//go:build netcdf && cgo

package netcdf

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
)

// Each version of classic files must be written on request, and netcdf3 must choose the lowest that
// suffices.
func TestClassicVersions(t *testing.T) {
	small := formats.Info{Name: "v", DType: dtype.Int16, Shape: []int{3, 4}, Dims: []string{"time", "x"}, Unlimited: []bool{true, false}}
	wide := small
	wide.DType = dtype.Uint64
	for format, kinds := range map[string][2]string{
		"cdf1": {"classic", ""}, "cdf2": {"64-bit offset", ""}, "cdf5": {"cdf5", "cdf5"}, "netcdf3": {"64-bit offset", "cdf5"}, "netcdf": {"netCDF-4", "netCDF-4"},
	} {
		for i, info := range []formats.Info{small, wide} {
			path := filepath.Join(t.TempDir(), "a.nc")
			c := formats.Content{Vars: []formats.Info{info}, Attrs: map[string]any{"title": "x"}}
			if kinds[i] == "" {
				_, err := formats.CreateFile(path, format, c)
				if !errors.Is(err, formats.ErrType) || !strings.Contains(err.Error(), "write it as cdf5") {
					t.Errorf("%s: %v", format, err)
				}
				if _, err := os.Lstat(path); err == nil {
					t.Errorf("%s: a file remains", format)
				}
				continue
			}
			data := writeContent(t, path, format, c)
			if kind := strings.TrimSpace(tool(t, "ncdump", "-k", path)); kind != kinds[i] {
				t.Errorf("%s: ncdump says %s, want %s", format, kind, kinds[i])
			}
			got, elements := bridge.Get(t, path, "v")
			if !bytes.Equal(elements, data[0]) || !got.Unlimited[0] || got.Unlimited[1] {
				t.Errorf("%s: %+v", format, got)
			}
		}
	}
}

// Offsets in a file of version 1 have 31 bits.
func TestTooLargeForVersion1(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nc")
	large := formats.Info{Name: "v", DType: dtype.Int8, Shape: []int{1 << 16, 1 << 15}, Dims: []string{"y", "x"}}
	if _, err := formats.CreateFile(path, "cdf1", formats.Content{Vars: []formats.Info{large}}); !errors.Is(err, formats.ErrSize) || !strings.Contains(err.Error(), "write it as cdf2") {
		t.Error(err)
	}
	writers, err := formats.CreateFile(path, "cdf2", formats.Content{Vars: []formats.Info{large}})
	if err != nil {
		t.Fatal(err)
	}
	_ = writers[0].Close() // its elements are missing
}
