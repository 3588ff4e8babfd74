//go:build hdf5 && cgo

package hdf5

import (
	"errors"
	"io"
	"path/filepath"
	"testing"
	"time"

	"drx/bridges/bridgetest"
	"drx/convert"
)

// A damaged byte is an error or another value. Where this program crashes, h5dump does so too: it is the library.
func TestDamagedFiles(t *testing.T) {
	d := bridgetest.Damage{Step: 61, Flip: 0x55, Limit: time.Minute}
	for _, name := range []string{"compounds.h5", "scales.h5", "links.h5", "attributes.h5", "filters.h5"} {
		path := filepath.Join(bridge.Files(t), name)
		for _, at := range bridge.Damaged(t, path, d) {
			if bridgetest.Survives(t, "h5dump", path, at, d.Flip) {
				t.Errorf("%s: with byte %d damaged this program crashes or hangs, and h5dump does not", name, at)
			}
		}
	}
}

// A file that is cut, or is something else, is an error in one line that names it.
func TestCutFiles(t *testing.T) {
	for _, name := range []string{"numbers.h5", "strings.h5", "block.h5"} {
		whole := filepath.Join(bridge.Files(t), name)
		sizes := bridgetest.Eighths(t, whole)
		bridgetest.Cut(t, whole, sizes, func(path string, size int) {
			_, err := convert.List(path, convert.Options{Format: "hdf5"})
			if !bridgetest.Names(err, path) || size == sizes[7] && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%d bytes of %s: %v", size, name, err)
			}
		})
	}
}
