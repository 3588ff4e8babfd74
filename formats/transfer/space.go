package transfer

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"drx/internal/wording"
)

// CheckSpace returns an error if the file system has no space for a file of the given size, so that
// a long-running verb fails at once rather than when the disk is full. The space of an old file
// with the same name does not count, because it is freed only when the new file is complete. Files
// that are not regular, and file systems that do not report their free space, are not checked.
func CheckSpace(name string, bytes int64) error {
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return nil
		}
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	free, ok := freeBytes(filepath.Dir(name))
	if !ok || bytes <= free {
		return nil
	}
	return fmt.Errorf("%s: needs %s, the file system has %s: %w", name, wording.Bytes(bytes), wording.Bytes(free), syscall.ENOSPC)
}

// freeBytes returns the free space for files in a folder. ok is false if the file system does not
// report it.
func freeBytes(dir string) (free int64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil || s.Blocks == 0 {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
