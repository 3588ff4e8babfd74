//go:build hdf5 && cgo

package hdf5

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"drx/formats"
	"drx/formats/bridgetest"
	"drx/formats/cformat"
)

// A damaged byte must give an error or another value. If this program crashes, h5dump must crash as
// well: then the library is to blame.
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

// A truncated file, or a file of another kind, must give an error in one line that names it.
func TestCutFiles(t *testing.T) {
	for _, name := range []string{"numbers.h5", "strings.h5", "block.h5"} {
		whole := filepath.Join(bridge.Files(t), name)
		sizes := bridgetest.Eighths(t, whole)
		bridgetest.Cut(t, whole, sizes, func(path string, size int) {
			_, err := formats.List(path, formats.Options{Format: "hdf5"})
			if !bridgetest.Names(err, path) || size == sizes[7] && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%d bytes of %s: %v", size, name, err)
			}
		})
	}
}

// The error for a file that another process is writing must say so, and a text file must not be
// called a damaged HDF5 file.
func TestWhyNotOpened(t *testing.T) {
	if os.Getenv("HDF5_USE_FILE_LOCKING") != "" {
		t.Skip("libhdf5 locks no files")
	}
	path := filepath.Join(t.TempDir(), "a.h5")
	b, err := os.ReadFile(filepath.Join(bridge.Files(t), "numbers.h5"))
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := formats.List(path, formats.Options{}); !errors.Is(err, cformat.ErrLocked) {
		t.Errorf("locked: %v", err)
	}
	if _, err := formats.AppendFile(path, "hdf5", formats.Content{}); !errors.Is(err, cformat.ErrLocked) {
		t.Errorf("locked, to be written: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := formats.List(path, formats.Options{}); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("<!DOCTYPE html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := formats.List(path, formats.Options{}); !errors.Is(err, formats.ErrFormat) || !strings.Contains(err.Error(), `starts with "<!DOCTYPE`) {
		t.Error(err)
	}
}
