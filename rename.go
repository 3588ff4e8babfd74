package drx

import (
	"errors"
	"fmt"
	"io/fs"

	"drx/internal/fileset"
	"drx/internal/vfs"
)

// Rename gives an array another name, in the same folder or in another folder of the same file system. Both
// names may have one of the extensions of an array's files. Rename first completes what a writer that died has
// left. An array that cannot be opened for writing, because it is damaged or open for writing elsewhere
// (ErrLocked), keeps its name. Both names must be of the same form, in one file or in several, see Convert. Readers can continue with the files that they have open, but their Refresh
// returns an error wrapping fs.ErrNotExist; they should open the new name.
//
// If Rename is interrupted, the array is whole and has either the old or the new name. Further files may exist,
// which are not an array. The same Rename, or a Remove of the other name, removes them.
//
// The error names the file. It wraps fs.ErrExist if a file with the new name exists, fs.ErrNotExist if there is
// no such array or no folder for it, and fs.ErrInvalid if both names are the same, the new name is no file
// name, or the .xta file is a symbolic link. An array must be copied to move it to another file system.
func Rename(oldName, newName string) error {
	return rename(fileset.OS(), oldName, BaseName(newName))
}

func rename(fsys vfs.FS, from, to string) error {
	to = fileset.NewName(fsys, to)
	if fileset.IsContainer(fsys, from) {
		return renameContainer(fsys, from, to)
	}
	op := "rename to " + to
	from, err := resolve(fsys, from)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", from, op, err)
	}
	a, err := openToRename(fsys, from, to)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", from, op, err)
	}
	if a == nil {
		return nil
	}
	return a.closeFiles(op, func() (keepJournal bool, err error) {
		if err := a.writer.EmptyJournal(); err != nil { // the journal is not renamed
			return true, err
		}
		return true, fileset.Rename(fsys, from, to)
	})
}

// openToRename opens an array for writing, which locks its files. If an interrupted Rename has renamed it
// already, openToRename completes that and returns nil.
func openToRename(fsys vfs.FS, from, to string) (*Array, error) {
	if err := fileset.CheckName(to); err != nil {
		return nil, err
	}
	a, err := open(from, Options{Write: true, Incomplete: true, fs: fsys}, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if done, finishErr := fileset.FinishRename(fsys, from, to); done || finishErr != nil {
			return nil, finishErr
		}
	}
	return a, err
}

// Exists reports whether there is an array with a name, which may have one of the extensions of an array's
// files. Files that a killed Create or Remove has left are not an array, nor is a file with several. The error is the file system's.
func Exists(name string) (bool, error) {
	name, err := resolve(fileset.OS(), name)
	if err == nil && IsContainer(name) {
		return false, nil
	}
	if errors.Is(err, fs.ErrExist) {
		return true, nil // in both forms
	}
	ok := false
	if err == nil {
		ok, err = fileset.Exists(fileset.OS(), name)
	}
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
	name, err := resolve(fileset.OS(), name)
	if err == nil {
		err = fileset.Remove(fileset.OS(), name)
	}
	if err != nil {
		return fmt.Errorf("%s: remove: %w", name, err)
	}
	return nil
}
