package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/vfs"
)

// Rename renames an array, in the same folder or to another folder of the same file system. Both
// names may have one of the extensions of an array's files, and must be of the same form, in one
// file or in several; see Convert. Rename first completes the work of a writer that died. An array
// that cannot be opened for writing, because it is damaged or open for writing elsewhere
// (ErrLocked), keeps its name. Readers can continue with their open files, but their Refresh
// returns an error wrapping fs.ErrNotExist; they should open the new name.
//
// If Rename is interrupted, the array is complete and has either the old or the new name. Other
// files, which are no array, may exist. The same Rename, or a Remove of the other name, removes
// them.
//
// The error names the file. It wraps fs.ErrExist if a file with the new name exists, fs.ErrNotExist
// if there is no such array or no folder for it, and fs.ErrInvalid if both names are the same, the
// new name is no file name, or the .xta file is a symbolic link. An array must be copied to move it
// to another file system.
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
		return errkind.Doing(from, op, err)
	}
	a, err := openToRename(fsys, from, to)
	if err != nil {
		return errkind.Doing(from, op, err)
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

// openToRename opens an array for writing, which locks its files. If an interrupted Rename has
// renamed it already, openToRename completes that and returns nil.
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

// Remove removes the files of an array. name may have one of their extensions. Nobody may have the
// array open for writing (ErrLocked); readers can continue with their open files. An interrupted
// Remove leaves either the complete array, or no array and files that the next Remove removes.
// Damaged arrays are removed as well. If the .xta file is a symbolic link, only the link is
// removed. The error wraps fs.ErrNotExist if there is nothing to remove, or is the file system's.
func Remove(name string) error {
	name, err := resolve(fileset.OS(), name)
	if err == nil {
		err = fileset.Remove(fileset.OS(), name)
	}
	if err != nil {
		return errkind.Doing(name, "remove", err)
	}
	return nil
}

// renameContainer is rename for a file with several arrays. It first completes the commits in the
// journals of writers that died, because the names of the journals contain the name of the file.
func renameContainer(fsys vfs.FS, from, to string) error {
	err := completeArrays(fsys, from)
	if err == nil {
		err = fileset.RenameContainer(fsys, from, to)
	}
	if err != nil {
		return errkind.Doing(from, "rename to "+to, err)
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
			continue // left by a killed Create
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

// MakeFolder creates a folder for arrays, durably. Its parent folder must exist. The error wraps
// fs.ErrExist if there is a file or a folder with the name, or is the file system's.
func MakeFolder(folder string) error {
	err := fileset.OS().Mkdir(folder)
	if err == nil {
		err = syncParent(folder)
	}
	if err != nil {
		return errkind.Doing(folder, "create", err)
	}
	return nil
}

// RenameFolder renames a folder and everything in it, on the same file system, atomically and
// durably. Programs that have its arrays open can continue, but cannot open more of them. The error
// wraps fs.ErrExist if a file or a folder has the new name, or is the file system's.
func RenameFolder(from, to string) error {
	if IsContainer(from) {
		return Rename(from, to)
	}
	_, _, err := fileset.OS().List(to)
	if err == nil {
		err = fs.ErrExist // the system would replace an empty folder
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fileset.OS().Rename(filepath.Clean(from), filepath.Clean(to))
	}
	if err == nil {
		err = errors.Join(syncParent(to), syncParent(from))
	}
	if err != nil {
		return errkind.Doing(from, "rename to "+to, err)
	}
	return nil
}

// RemoveFolder removes a folder with all arrays and folders in it, or a file with several arrays.
// If the folder contains any other file, nothing is removed and the error wraps fs.ErrInvalid. The
// error wraps ErrLocked if an array is open for writing, fs.ErrNotExist if there is no such folder,
// or is the file system's. Another RemoveFolder then removes the rest.
func RemoveFolder(folder string) error {
	if IsContainer(folder) {
		return Remove(folder)
	}
	if fileset.OneFile(folder) { // a killed MakeFolder leaves a file that holds no arrays yet
		if exists, err := Exists(folder); err == nil && !exists && fileset.IsFile(folder) {
			if err := Remove(folder); err == nil {
				return nil
			}
		}
	}
	err := CheckRemoval(folder)
	if err == nil {
		err = removeFolder(folder)
	}
	if err == nil {
		err = syncParent(folder)
	}
	if err != nil {
		return errkind.Doing(folder, "remove", err)
	}
	return nil
}

// OwnFolder reports whether a folder, or a file with several arrays, belongs to the user of this
// process and is not a symbolic link. The error wraps fs.ErrNotExist, or is the file system's.
func OwnFolder(folder string) (bool, error) { return vfs.OwnedByUser(folder) }

// CheckRemoval returns the error of RemoveFolder for a folder that contains a file that belongs to
// no array. It removes nothing.
func CheckRemoval(folder string) error {
	files, folders, err := fileset.OS().List(folder)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := fileset.CheckFile(fileset.OS(), filepath.Join(folder, file)); err != nil {
			return err
		}
	}
	for _, sub := range folders {
		if err := CheckRemoval(filepath.Join(folder, sub)); err != nil {
			return err
		}
	}
	return nil
}

// arrayOf returns the name of the array to which a file belongs, or the file's own name if it
// belongs to none.
func arrayOf(file string) string {
	if old, isNew := strings.CutSuffix(file, fileset.NewExt); isNew && fileset.IsFile(file) {
		file = old
	}
	return fileset.BaseName(file)
}

func removeFolder(folder string) error {
	files, folders, err := fileset.OS().List(folder)
	if err != nil {
		return err
	}
	for _, sub := range folders {
		if err := removeFolder(filepath.Join(folder, sub)); err != nil {
			return err
		}
	}
	for _, file := range files { // each of an array's files yields its name
		if err := fileset.Remove(fileset.OS(), filepath.Join(folder, arrayOf(file))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, file := range files { // files that belong to no array
		if err := fileset.OS().Remove(filepath.Join(folder, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	// A file system in memory has no folders, and reports fs.ErrNotExist.
	if err := fileset.OS().Remove(folder); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func syncParent(name string) error { return fileset.OS().SyncDir(filepath.Dir(filepath.Clean(name))) }
