package vfs

import (
	"errors"
	"io"
	"io/fs"
)

// ReadStart reads the first bytes of a regular file, fewer if the file is shorter, in as few system
// calls as possible. The error wraps fs.ErrNotExist if there is no such file, or is one of
// OpenNoFollow.
func ReadStart(fsys FS, name string, b []byte) (int, error) {
	if over, is := fsys.(interface {
		ReadStart(name string, b []byte) (n int, ok bool, err error)
	}); is {
		if n, ok, err := over.ReadStart(name, b); ok {
			return n, err
		}
	}
	if quick, is := fsys.(interface {
		readStart(name string, b []byte) (int, error)
	}); is {
		n, err := quick.readStart(name, b)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return n, err
		}
	}
	f, err := fsys.OpenNoFollow(name, false)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := f.ReadAt(b, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}
