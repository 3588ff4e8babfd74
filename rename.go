package drx

import (
	"errors"
	"fmt"
	"io/fs"

	"drx/internal/fileset"
	"drx/internal/vfs"
)

// Rename gives an array another name, in the same folder or in another one of the same file system; both names may be
// given with one of the extensions. What a writer left behind that died is made good before. An array that a writer
// cannot open, because it is damaged or somebody else writes it (ErrLocked), keeps its name. Readers go on with the files
// that they have, but that their Refresh returns an error wrapping fs.ErrNotExist: they should open the new name.
//
// After an interruption the array has the old name or the new one, and is whole; beside it there may be files that are
// no array. The same Rename once more, or Remove of the other name, removes them.
//
// The error names the file and wraps fs.ErrExist if one with the new name exists, fs.ErrNotExist if there is no array or
// no folder for it, and fs.ErrInvalid if both names are the same or the .xta file is a symbolic link. To another file
// system the array has to be copied.
func Rename(oldName, newName string) error {
	return rename(vfs.OS, BaseName(oldName), BaseName(newName))
}

func rename(fsys vfs.FS, from, to string) error {
	op := "rename to " + to
	a, err := openToRename(fsys, from, to)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", from, op, err)
	}
	if a == nil {
		return nil
	}
	return a.end(op, true, func() error {
		if err := a.writer.EmptyJournal(); err != nil { // the journal, which stays behind
			return err
		}
		return fileset.Rename(fsys, from, to)
	})
}

// openToRename opens an array, which locks its files. It returns nil if there is none because an interrupted Rename has
// renamed it, after doing the rest of that.
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
