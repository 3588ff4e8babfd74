package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"drx"
)

// checkRoom refuses to write a file of so many bytes where its file system has no room for
// them: that is found out before hours have gone by, and the disk is full. A file of that
// name is no room yet: it stays until the new one is complete. What is no regular file takes
// what it likes, and a file system that does not tell is believed to have room.
func checkRoom(name string, bytes int64) error {
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
	return fmt.Errorf("%s: takes %s, there are %s: %w", name, byteSize(bytes), byteSize(free), syscall.ENOSPC)
}

// freeBytes returns what may be written in a folder, and whether the file system tells.
func freeBytes(dir string) (free int64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil || s.Blocks == 0 {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}

// mostOfTable is the most elements of a block of a table, which is in memory as a whole.
const mostOfTable = 1 << 22

// checkTable refuses a table whose rows and columns do not fit.
func checkTable(a *drx.Array, rows, cols int) error {
	if rows == 0 || cols <= mostOfTable/rows {
		return nil
	}
	return fmt.Errorf("%s: a table of %d rows and %d columns: at most %d elements fit; choose with --section or --limit, or see --csv and -o",
		a.Name(), rows, cols, mostOfTable)
}
