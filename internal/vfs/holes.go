package vfs

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
)

// probeBytes is the length of the file that HasHoles makes: many clusters of any file system.
const probeBytes = 4 << 20

// HasHoles reports whether the file system of a folder has holes, so that unwritten ranges of a
// file take no space there. FAT and exFAT have none. It creates a file in the folder for a moment
// and measures its space. To try Punch would show less, because NFS has holes without it. The error
// is that of the creation of the file.
func HasHoles(fsys FS, folder string) (has bool, err error) {
	name := filepath.Join(folder, fmt.Sprintf(".drx-holes-%016x", rand.Uint64()))
	f, err := fsys.Create(name)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // it has nothing to keep
	// A process that is killed from here on leaves no file. If the name cannot be removed, the file
	// is empty.
	_ = fsys.Remove(name)
	if err := f.Truncate(probeBytes); err != nil {
		return false, err
	}
	allocated, err := f.Allocated()
	return allocated < probeBytes/2, err
}
