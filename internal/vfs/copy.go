package vfs

import "errors"

// A rangeCopier is a File to which the system can copy bytes of another file by itself, possibly without
// duplicating them. The error wraps errors.ErrUnsupported if it cannot; some bytes may be copied then.
type rangeCopier interface {
	copyRange(from File, off, n int64) error
}

// CopyRange copies n bytes at off to the same offset of another file. Where the file system can share the bytes of
// two files until one of them changes, it does so. Otherwise they go by way of buf, which must not be empty. The
// error is the file system's, or wraps io.EOF if the file ends earlier.
func CopyRange(to, from File, off, n int64, buf []byte) error {
	if c, ok := to.(rangeCopier); ok {
		if err := c.copyRange(from, off, n); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	for n > 0 {
		b := buf[:min(int64(len(buf)), n)]
		if _, err := from.ReadAt(b, off); err != nil {
			return err
		}
		if _, err := to.WriteAt(b, off); err != nil {
			return err
		}
		off, n = off+int64(len(b)), n-int64(len(b))
	}
	return nil
}
