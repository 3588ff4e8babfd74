//go:build unix

package cformat

import (
	"os"
	"syscall"
)

// IsLocked reports whether another process holds a lock for writing on a file, as HDF5 takes it.
func IsLocked(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // the file was only read
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == syscall.EWOULDBLOCK
}
