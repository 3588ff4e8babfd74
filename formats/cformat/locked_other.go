//go:build !unix

package cformat

// IsLocked reports whether another process has a lock on a file with which it writes it. Here it is
// not known.
func IsLocked(string) bool { return false }
