//go:build unix

package cformat

import (
	"os"
	"syscall"
)

// IsLocked reports whether another process has a lock on a file with which it writes it, as HDF5
// has.
func IsLocked(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == syscall.EWOULDBLOCK
}
