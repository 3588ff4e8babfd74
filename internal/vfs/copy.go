package vfs

import (
	"errors"
	"sync/atomic"
)

// A rangeCopier is a File to which the system can copy bytes of another file by itself, possibly
// without duplicating them: n bytes from in on in that file to off. The error wraps
// errors.ErrUnsupported if it cannot; some bytes may be copied then.
type rangeCopier interface {
	copyRange(from File, in, off, n int64) error
}

// An Alias is a File that stands for another one under another name: its bytes are those of the
// other file, at the same offsets.
type Alias interface{ Original() File }

// original returns the file that the system knows.
func original(f File) File {
	for {
		a, is := f.(Alias)
		if !is {
			return f
		}
		f = a.Original()
	}
}

// RangesCopied counts the pieces that the system has copied by itself, for tests.
var RangesCopied atomic.Int64

// CopyRange copies n bytes at off to the same offset of another file. Where the file system can
// share the bytes of two files until one of them changes, it does so. Otherwise they go by way of
// buf, which must not be empty. Of a file that is Located the bytes are copied where they are;
// those that have a place already must be made durable by a Sync of that file. The error is the
// file system's, or wraps io.EOF if the file ends earlier.
func CopyRange(to, from File, off, n int64, buf []byte) error {
	for n > 0 {
		target, at, run := adjoining(to, off, n)
		source, in, run := adjoining(from, off, run)
		if err := copyAdjoining(target, source, in, at, run, buf); err != nil {
			return err
		}
		off, n = off+run, n-run
	}
	return nil
}

// adjoining returns in which file the bytes of a file from off on are, and where, and how many of n
// adjoin there.
func adjoining(f File, off, n int64) (file File, at, run int64) {
	if l, is := f.(Member); is {
		if file, at, run, ok := l.Locate(off); ok {
			return file, at, min(run, n)
		}
	}
	return f, off, n
}

// copyAdjoining copies n bytes from in on in one file to at in another one.
func copyAdjoining(to, from File, in, at, n int64, buf []byte) error {
	if c, ok := original(to).(rangeCopier); ok {
		if err := c.copyRange(original(from), in, at, n); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	for n > 0 {
		b := buf[:min(int64(len(buf)), n)]
		if _, err := from.ReadAt(b, in); err != nil {
			return err
		}
		if _, err := to.WriteAt(b, at); err != nil {
			return err
		}
		in, at, n = in+int64(len(b)), at+int64(len(b)), n-int64(len(b))
	}
	return nil
}
