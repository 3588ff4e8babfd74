package drx

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
)

// A few rows of a large chunk need a few blocks. Parts that were not written need no space, whether
// rows are written one by one, together or by one of several processes, and rows are read as they
// were written.
func TestRowsTakeLittleSpace(t *testing.T) { inBothForms(t, testRowsTakeLittleSpace) }

func testRowsTakeLittleSpace(t *testing.T) {
	const rows = 5
	for name, appendRow := range map[string]func(a *Array, row int) error{
		"one by one": func(a *Array, row int) error {
			added, err := a.Extend(0, 1)
			return errors.Join(err, Write(a, added, slices.Repeat([]float64{float64(row)}, 3)), a.Sync())
		},
		"in one commit": func(a *Array, row int) error {
			added, err := a.Extend(0, 1)
			return errors.Join(err, Write(a, added, slices.Repeat([]float64{float64(row)}, 3)))
		},
	} {
		file := filepath.Join(t.TempDir(), named(t, "a"))
		a, err := Create(file, Spec{DType: dtype.Float64, Shape: []int{0, 3}, ChunkShape: []int{32 << 10, 3}})
		if err != nil {
			t.Fatal(err)
		}
		for row := range rows {
			if err := appendRow(a, row); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if n := spaceOf(t, file)["a.xta"]; n > 16<<10 {
			t.Errorf("%s: %d rows of 24 bytes take %d bytes", name, rows, n)
		}
		if a, err = Open(file, Options{}); err != nil {
			t.Fatal(err)
		}
		got, err := Read[float64](a, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range got {
			if x != float64(i/3) {
				t.Errorf("%s: element %d is %v", name, i, x)
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A holeyFS is a file system on which every zero byte is a hole, so that small chunks can have
// holes, too.
type holeyFS struct{ vfs.FS }

type holeyFile struct{ vfs.File }

func (h holeyFS) Create(name string) (vfs.File, error) { return withHoles(h.FS.Create(name)) }

func (h holeyFS) CreateAs(name string, a vfs.Access) (vfs.File, error) {
	return withHoles(h.FS.CreateAs(name, a))
}

func (h holeyFS) OpenNoFollow(name string, write bool) (vfs.File, error) {
	return withHoles(h.FS.OpenNoFollow(name, write))
}

func (h holeyFS) Open(name string, write bool) (vfs.File, error) {
	return withHoles(h.FS.Open(name, write))
}

func withHoles(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return holeyFile{f}, nil
}

// Data finds the next bytes that are not zero.
func (f holeyFile) Data(off int64) (from, to int64, err error) {
	size, err := f.Size()
	if err != nil {
		return 0, 0, err
	}
	b := make([]byte, max(0, size-off))
	if _, err := f.ReadAt(b, off); err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, err
	}
	left := bytes.TrimLeft(b, "\x00")
	if len(left) == 0 {
		return 0, 0, io.EOF
	}
	from = size - int64(len(left))
	if n := bytes.IndexByte(left, 0); n >= 0 {
		return from, from + int64(n), nil
	}
	return from, size, nil
}
