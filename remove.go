package drx

import (
	"fmt"

	"drx/internal/fileset"
	"drx/internal/vfs"
)

// Exists reports whether there is an array with a name, which may be given with one of the extensions. Files
// that a Create or a Remove has left behind, because the process was killed, are no array. The error is the file
// system's.
func Exists(name string) (bool, error) {
	name = BaseName(name)
	ok, err := fileset.Exists(vfs.OS, name)
	if err != nil {
		return false, fmt.Errorf("%s: exists: %w", name, err)
	}
	return ok, nil
}

// Remove removes the files of an array; name may be given with one of the extensions. Nobody may have the
// array open for writing (ErrLocked); readers go on with the files that they have. A Remove that is interrupted leaves
// the array whole, or no array and files that the next Remove removes. Damaged arrays are removed as well. Of
// a .xta file that is a symbolic link only the link is removed. The error wraps fs.ErrNotExist if there is
// nothing to remove.
func Remove(name string) error {
	name = BaseName(name)
	if err := fileset.Remove(vfs.OS, name); err != nil {
		return fmt.Errorf("%s: remove: %w", name, err)
	}
	return nil
}
