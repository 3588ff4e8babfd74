//go:build netcdf && cgo

package netcdf

import (
	"os"
	"testing"

	"drx/convert"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		child()
		return
	}
	os.Exit(m.Run())
}

// get opens a variable and returns its Info and all its elements.
func get(t *testing.T, path, variable string) (convert.Info, []byte) {
	t.Helper()
	r, err := convert.Open(path, convert.Options{Format: "netcdf", Variable: variable})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	info := r.Info()
	n, err := info.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, n)
	if err := r.ReadSection(nil, buf); err != nil {
		t.Fatal(err)
	}
	return info, buf
}
