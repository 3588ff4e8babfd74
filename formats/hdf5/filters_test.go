//go:build hdf5 && cgo

package hdf5

import (
	"path/filepath"
	"testing"

	"drx/formats/bridgetest"
)

// Datasets behind szip, scale-offset and n-bit must be read as h5py reads them.
func TestFilters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	bridge.Python(t, "testdata/filters.py", path)
	if equal, refused := compare(t, path, bridgetest.Describe[[]bridgetest.Description](t, bridge, path)[0]); equal != 35 || len(refused) > 0 {
		t.Errorf("%d datasets are equal, want 35; refused: %v", equal, refused)
	}
}
