package vfs

import "errors"

// ErrStale is returned if a file system with StaleCaches shows old contents of a file.
var ErrStale = errors.New("the file system shows old data")

// A System says what a file system does not guarantee to processes that reach a file through
// different machines, or through different mounts on one machine. The zero value is a file system
// of one machine, which guarantees all.
type System struct {
	Name string // as people call it, such as "NFS"; empty if it is one of a machine's own
	// LocalLocks: a lock may keep out only processes that use the same mount.
	LocalLocks bool
	// StaleCaches: a process may see bytes, lengths and names as they were before another machine
	// changed them.
	StaleCaches bool
}

// Base returns the file as it was opened: without other names, and for a file in another one that
// file.
func Base(f File) File {
	f, _ = base(f)
	return f
}

// base is Base, and reports whether the file is a part of the one returned.
func base(f File) (whole File, part bool) {
	for {
		f = original(f)
		l, is := f.(Member)
		if !is {
			return f, part
		}
		f, _, _, _ = l.Locate(0)
		part = true
	}
}

// SystemOf returns the System of an open file, as far as that is known.
func SystemOf(f File) System {
	if s, is := Base(f).(interface{ System() System }); is {
		return s.System()
	}
	return System{}
}

// Refetch makes the length, and n bytes from off, come from the file system when they are next
// read, rather than from what this machine remembers of them, as far as the system can do so. With
// n < 0 these are all bytes from off on. With n > 0 the length is left out, which costs more than
// the bytes. It does nothing for files without StaleCaches.
func Refetch(f File, off, n int64) {
	f, part := base(f)
	if part {
		off, n = 0, -1
	}
	if r, is := f.(interface{ Refetch(off, n int64) }); is {
		r.Refetch(off, n)
	}
}
