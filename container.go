package drx

import (
	"errors"
	"fmt"
	"io/fs"

	"drx/internal/fileset"
	"drx/internal/vfs"
)

// IsContainer reports whether there is a file with several arrays with a name. MakeFolder makes such a file, and so
// does Create for a name in it, as in weather.drx/rain. List and RemoveFolder treat it as a folder; Rename and Remove take its name as that of an array.
func IsContainer(name string) bool { return fileset.IsContainer(fileset.OS(), name) }

// renameContainer is rename for a file with several arrays. It first completes what writers that died have left in their journals, which
// have the name of the file.
func renameContainer(fsys vfs.FS, from, to string) error {
	err := completeArrays(fsys, from)
	if err == nil {
		err = fileset.RenameContainer(fsys, from, to)
	}
	if err != nil {
		return fmt.Errorf("%s: rename to %s: %w", from, to, err)
	}
	return nil
}

// completeArrays opens each array in a file for writing and closes it, which leaves no journal.
func completeArrays(fsys vfs.FS, container string) error {
	names, err := fileset.Arrays(fsys, container)
	if err != nil {
		return err
	}
	for _, name := range names {
		a, err := open(name, Options{Write: true, Incomplete: true, fs: fsys}, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue // what a killed Create has left
		}
		if err == nil {
			err = a.Close()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
