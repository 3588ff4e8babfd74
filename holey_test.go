package drx

import (
	"bytes"
	"errors"
	"io"

	"drx/internal/vfs"
)

// A holeyFS is a file system on which every byte of zero is a hole, so that small chunks can be in holes, too.
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

// Data finds the first bytes that are not zero.
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
