package drx

import (
	"context"
	"errors"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
)

// A chunk that is damaged while the array is open is detected if Options.Checking requires it, and
// always by Verify.
func TestChecking(t *testing.T) { inBothForms(t, testChecking) }

func testChecking(t *testing.T) {
	for _, c := range []struct {
		name         string
		o            Options
		before, late bool // damage before, and after, the first read is noticed
	}{
		{"writer, first", Options{Write: true}, true, false},
		{"writer, always", Options{Write: true, Checking: CheckAlways}, true, true},
		{"writer, never", Options{Write: true, Checking: CheckNever}, false, false},
		{"reader, first", Options{}, true, false},
		{"reader, always", Options{Checking: CheckAlways}, true, true},
		{"reader, never", Options{Checking: CheckNever}, false, false},
	} {
		for _, late := range []bool{false, true} {
			fsys := vfs.NewMem()
			a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{8}, ChunkShape: []int{4}, Options: Options{fs: fsys}})
			if err := Fill(a, nil, uint8(9)); err != nil {
				t.Fatal(err)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			c.o.fs, c.o.Cache = fsys, 1 // a single chunk
			a, err := Open("a", c.o)
			if err != nil {
				t.Fatal(err)
			}
			if late {
				if _, err := Read[uint8](a, nil); err != nil {
					t.Fatal(err)
				}
			}
			damage(t, fsys)
			_, err = Read[uint8](a, nil)
			want := c.before
			if late {
				want = c.late
			}
			if got := errors.Is(err, ErrCorrupt); got != want || (err != nil && !got) {
				t.Errorf("%s, damaged after reading %v: %v, want it noticed %v", c.name, late, err, want)
			}
			if r, err := a.Verify(context.Background(), nil); err != nil || len(r.Damaged) != 1 {
				t.Errorf("%s: verify %+v, %v", c.name, r, err)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// damage changes a byte of the first chunk.
func damage(t *testing.T, fsys vfs.FS) {
	t.Helper()
	f := member(t, fsys, dataExt)
	_, err := f.WriteAt([]byte{8}, 1)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}
