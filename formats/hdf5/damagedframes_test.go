//go:build hdf5 && cgo

package hdf5

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"drx/formats"
	"drx/formats/bridgetest"
	"drx/nd"
)

// A damaged chunk is an error that names the file, the variable, the chunk and the filter, and
// costs no memory, whatever size it claims to have. The other chunks are read.
func TestDamagedFrames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	bridge.Python(t, "testdata/damaged.py", path)
	c, err := formats.List(path, formats.Options{})
	if err != nil || len(c.Vars) != 31 {
		t.Fatalf("%d datasets, %v", len(c.Vars), err)
	}
	before := bridgetest.Resident(t)
	for _, v := range c.Vars {
		r, err := formats.Open(path, formats.Options{Variable: v.Name})
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 16000)
		err = r.ReadSection(nil, buf)
		for _, says := range []string{path, v.Name + ": section", "chunk [1]: read", "filter " + v.Name[1:6] + " ("} {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, want %q", v.Name, err, says)
			}
		}
		if err := r.ReadSection(nd.Sec(nd.Span(1000, 2000)), buf[:4000]); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the chunk alone: %v", v.Name, err)
		}
		for _, part := range []nd.Range{nd.Span(0, 1000), nd.Span(2000, 4000)} {
			if err := r.ReadSection(nd.Sec(part), buf[:4*part.Len()]); err != nil {
				t.Errorf("%s: %v", v.Name, err)
			}
		}
		if err := r.Close(); err != nil && !errors.Is(err, formats.ErrFormat) {
			t.Error(err)
		}
	}
	if grown := bridgetest.Resident(t) - before; grown > 64<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
}
