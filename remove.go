package drx

import (
	"fmt"

	"drx/internal/fileset"
	"drx/internal/vfs"
)

// Exists reports whether there is an array with a name, which may have one of the extensions of an array's
// files. Files that a killed Create or Remove has left are not an array. The error is the file system's.
func Exists(name string) (bool, error) {
	name = BaseName(name)
	ok, err := fileset.Exists(vfs.OS, name)
	if err != nil {
		return false, fmt.Errorf("%s: exists: %w", name, err)
	}
	return ok, nil
}

// Remove removes the files of an array. name may have one of their extensions. Nobody may have the array open
// for writing (ErrLocked); readers can continue with the files that they have open. A Remove that is
// interrupted leaves either the whole array, or no array and files that the next Remove removes. Damaged arrays
// are removed as well. If the .xta file is a symbolic link, only the link is removed. The error wraps
// fs.ErrNotExist if there is nothing to remove, or is the file system's.
func Remove(name string) error {
	name = BaseName(name)
	if err := fileset.Remove(vfs.OS, name); err != nil {
		return fmt.Errorf("%s: remove: %w", name, err)
	}
	return nil
}
