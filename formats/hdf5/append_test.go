//go:build hdf5 && cgo

package hdf5

import (
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/formats/formattest"
	"drx/nd"
)

func TestAppend(t *testing.T) { formattest.Appender(t, "hdf5", "hdf5", dtype.All(), true) }

// Chunks that are encoded here must be what libhdf5 decodes, with any filters of a file of h5py;
// where they extend beyond the array, they must have the fill value when it grows.
func TestAppendToFilters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	bridge.Python(t, "testdata/appended.py", "make", path)
	c, err := formats.List(path, formats.Options{})
	if err != nil || len(c.Vars) < 30 {
		t.Fatal(len(c.Vars), err)
	}
	for i := range c.Vars {
		c.Vars[i].Shape[0] += 13
	}
	writers, err := formats.AppendFile(path, "hdf5", c)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range writers {
		elements := make([]byte, 13*c.Vars[i].Shape[1]*c.Vars[i].DType.Size())
		for k := 0; k < len(elements); k += c.Vars[i].DType.Size() {
			if elements[k] = byte(k * k >> 5 & 63); c.Vars[i].DType == dtype.Bool {
				elements[k] = min(elements[k], 1)
			}
		}
		if c.Vars[i].DType.IsFloat() {
			for k := 0; k < len(elements); k += 4 {
				binary.LittleEndian.PutUint32(elements[k:], math.Float32bits(float32(elements[k])))
			}
		}
		sec := nd.Sec(nd.Span(8, 21), nd.All)
		if err := errors.Join(w.WriteSection(sec, elements), w.Close()); err != nil {
			t.Error(err)
		}
	}
	if out := bridge.Python(t, "testdata/appended.py", "check", path); strings.TrimSpace(string(out)) != "ok" {
		t.Errorf("%s", out)
	}
}
