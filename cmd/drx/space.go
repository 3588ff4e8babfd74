package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"drx"
)

// checkSpace returns an error if the file system has no space for a file of the given size, so that a
// long-running verb fails at once rather than when the disk is full. The space of an old file of the
// same name does not count: it is freed only when the new file is complete. There is no check for files
// that are not regular and for file systems that do not report their free space.
func checkSpace(name string, bytes int64) error {
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
	return fmt.Errorf("%s: needs %s, the file system has %s: %w", name, byteSize(bytes), byteSize(free), syscall.ENOSPC)
}

// freeBytes returns the free space for files in a folder. ok is false if the file system does not report
// it.
func freeBytes(dir string) (free int64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil || s.Blocks == 0 {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}

// maxTableElements is the largest number of elements in a block of a table, which is held in memory.
const maxTableElements = 1 << 22

// checkTable returns an error if a table has too many elements.
func checkTable(a *drx.Array, rows, cols int) error {
	if rows == 0 || cols <= maxTableElements/rows {
		return nil
	}
	return fmt.Errorf("%s: a table of %d rows and %d columns has more than %d elements; choose fewer with --section or --limit, or use --csv or -o",
		a.Name(), rows, cols, maxTableElements)
}
