// Package clitest has what the tests of several verbs share.
package clitest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
)

// Names returns the names in a folder, separated by spaces.
func Names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

// NewArray creates an array, of int16 unless the spec says otherwise, for one test.
func NewArray(t *testing.T, spec drx.Spec) *drx.Array {
	t.Helper()
	if spec.DType == 0 {
		spec.DType = dtype.Int16
	}
	a, err := drx.Create(filepath.Join(t.TempDir(), "A"), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}
