//go:build hdf5 && cgo

package hdf5

import (
	"maps"
	"slices"
	"testing"

	"drx/formats/bridgetest"
)

var bridge = &bridgetest.Bridge{Format: "hdf5", Modules: "h5py", Packages: "python3-h5py", Refuses: map[string]string{
	// h5py returns fill values for a missing part, and the bytes of any file that the library can
	// open.
	"1_vds.h5 vds_dset": `its part "1_c.h5" is not there`, "virtual.h5 missing": `its part "part9.h5" is not there`,
	"virtual.h5 missing_dataset": `its part "e" is not in`, "virtual.h5 outside": "outside of the folder", "virtual.h5 secret": "outside of the folder",
	"external.h5 absolute": "outside of the folder",
	"filters.h5 unknown":   "by filter 32123", // no chunk was written, so h5py needs no filter
}}

func TestMain(m *testing.M) { bridge.Main(m) }

// compare compares a file with the output of h5py, and returns the number of equal arrays and the
// reasons for refused ones.
func compare(t *testing.T, path string, want []bridgetest.Description) (equal int, refused []string) {
	t.Helper()
	return bridge.CompareDescribed(t, path, want, func(path string, w bridgetest.Description) { compareArray(t, path, w) })
}

// hidden are attributes whose contents are in other fields of Info.
var hidden = []string{"CLASS", "NAME", "_Netcdf4Dimid", "_nc3_strict", "_NCProperties"}

// compareArray opens an array and compares all of it with the output of h5py.
func compareArray(t *testing.T, path string, w bridgetest.Description) {
	t.Helper()
	info, elements := bridge.Get(t, path, w.Name)
	where := path + ": " + w.Name
	bridgetest.CompareArray(t, where, info, elements, w)
	inner := info.Shape[len(w.Outer):]
	if w.Chunk != nil && !slices.Equal(info.Chunk, append(slices.Clone(w.Chunk), inner...)) || w.Chunk == nil && info.Chunk != nil {
		t.Errorf("%s: chunk %v, h5py has %v", where, info.Chunk, w.Chunk)
	}
	if grows := slices.Contains(w.Grows, true); grows != (info.Unlimited != nil) || grows && !slices.Equal(info.Unlimited[:len(w.Grows)], w.Grows) {
		t.Errorf("%s: unlimited %v, h5py has %v", where, info.Unlimited, w.Grows)
	}
	maps.DeleteFunc(w.Attrs, func(name string, _ any) bool { return slices.Contains(hidden, name) })
	bridgetest.CompareAttributes(t, where, info.Attrs, w.Attrs)
}

// Every real file must be read with the values that h5py reads, or be refused with a reason.
func TestDataFiles(t *testing.T) {
	paths := bridgetest.DataByHead(t, func(_ string, head []byte) bool { return recognise(head) })
	bridge.CompareData(t, paths, 4697, func(path string, want []bridgetest.Description) (int, []string) { return compare(t, path, want) })
}
