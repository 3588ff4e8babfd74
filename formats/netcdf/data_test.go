//go:build netcdf && cgo

package netcdf

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats/bridgetest"
)

var bridge = &bridgetest.Bridge{Format: "netcdf", Modules: "netCDF4", Packages: "python3-netcdf4"}

func TestMain(m *testing.M) { bridge.Main(m) }

// tool runs a program of netcdf-bin and returns its output.
func tool(t *testing.T, args ...string) string {
	t.Helper()
	return string(bridgetest.Tool(t, "netcdf-bin", args...))
}

// unwritten are arrays that were never written and have no fill value: the library returns
// uninitialised memory.
var unwritten = map[string]bool{"f03tst_open_mem.nc var2": true}

// compare compares a file with the output of netCDF4, and returns the number of equal arrays and
// the reasons for refused ones. Each array that netCDF4 reads must be listed.
func compare(t *testing.T, path string, want []bridgetest.Description) (equal int, refused []string) {
	t.Helper()
	var chosen []bridgetest.Description
	for i, w := range want {
		// Opening one of thousands of variables takes as long as describing all.
		if i%(1+len(want)/200) != 0 {
			continue
		}
		if !unwritten[filepath.Base(path)+" "+w.Name] {
			chosen = append(chosen, w)
		}
	}
	return bridge.CompareDescribed(t, path, chosen, func(path string, w bridgetest.Description) { compareArray(t, path, w) })
}

// compareArray opens an array and compares all of it with the output of netCDF4.
func compareArray(t *testing.T, file string, w bridgetest.Description) {
	t.Helper()
	info, elements := bridge.Get(t, file, w.Name)
	where := file + ": " + w.Name
	if info.Labels != nil { // strings are decoded
		delete(w.Attrs, "_Encoding")
	}
	bridgetest.CompareArray(t, where, info, elements, w)
	outer := min(len(w.Outer), len(info.Shape)) // strings have one dimension less
	if w.Chunk != nil && outer > 0 && !slices.Equal(info.Chunk[:outer], w.Chunk[:outer]) || w.Chunk == nil && info.Chunk != nil {
		t.Errorf("%s: chunk %v, netCDF4 has %v", where, info.Chunk, w.Chunk)
	}
	grows := append(slices.Clone(w.Grows[:outer]), make([]bool, len(info.Shape)-outer)...)
	if slices.Contains(grows, true) && !slices.Equal(info.Unlimited, grows) || !slices.Contains(grows, true) && info.Unlimited != nil {
		t.Errorf("%s: unlimited %v, netCDF4 has %v", where, info.Unlimited, w.Grows)
	}
	for d, name := range w.Dims[:outer] {
		if strings.HasPrefix(name, phony) {
			name = "."
		}
		if got := info.Dims; got != nil && path.Base(got[d]) != name || got == nil && name != "." {
			t.Errorf("%s: dimensions %v, netCDF4 has %v", where, got, w.Dims)
		}
	}
	if info.DType == dtype.Bool {
		delete(w.Attrs, "dtype")
	}
	maps.DeleteFunc(w.Attrs, func(_ string, value any) bool { // not UTF-8, which netCDF4 replaces
		text, _ := value.(string)
		return strings.Contains(text, "\ufffd")
	})
	bridgetest.CompareAttributes(t, where, info.Attrs, w.Attrs)
}

// isData reports whether a file is or may be a NetCDF file.
func isData(path string, head []byte) bool {
	return recognise(head) && (isClassic(head) || strings.HasPrefix(filepath.Ext(path), ".nc") || filepath.Base(filepath.Dir(path)) == "netcdf")
}

// Every real file must be read with the values that netCDF4 reads, or be refused with a reason.
func TestDataFiles(t *testing.T) {
	bridge.CompareData(t, bridgetest.DataByHead(t, isData), 1880, func(path string, want []bridgetest.Description) (int, []string) { return compare(t, path, want) })
}
