package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"drx/internal/fileset"
	"drx/internal/vfs"
)

// MakeFolder creates a folder for arrays, durably. The folder that it is in must exist. The error wraps fs.ErrExist
// if there is a file or a folder with the name, or is the file system's.
func MakeFolder(folder string) error {
	err := vfs.OS.Mkdir(folder)
	if err == nil {
		err = syncParent(folder)
	}
	if err != nil {
		return fmt.Errorf("%s: create: %w", folder, err)
	}
	return nil
}

// RenameFolder gives a folder another name, on the same file system, with all that is in it: at once and durably. Programs that
// have its arrays open can continue, but not open more of them. The error wraps fs.ErrExist if there is a file or a folder
// with the new name, or is the file system's.
func RenameFolder(from, to string) error {
	_, _, err := vfs.OS.List(to)
	if err == nil {
		err = fs.ErrExist // the system replaces a folder that is empty
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = vfs.OS.Rename(filepath.Clean(from), filepath.Clean(to))
	}
	if err == nil {
		err = errors.Join(syncParent(to), syncParent(from))
	}
	if err != nil {
		return fmt.Errorf("%s: rename to %s: %w", from, to, err)
	}
	return nil
}

// RemoveFolder removes a folder with all arrays and folders in it, and no other files: if there is one, nothing is removed, and
// the error wraps fs.ErrInvalid. The error wraps ErrLocked if an array is open for writing, fs.ErrNotExist if there is no such
// folder, or is the file system's; what was not removed remains, and another RemoveFolder goes on.
func RemoveFolder(folder string) error {
	err := CheckRemoval(folder)
	if err == nil {
		err = removeFolder(folder)
	}
	if err == nil {
		err = syncParent(folder)
	}
	if err != nil {
		return fmt.Errorf("%s: remove: %w", folder, err)
	}
	return nil
}

// CheckRemoval returns the error that RemoveFolder would return for a file that is none of an array, and removes nothing.
func CheckRemoval(folder string) error {
	files, folders, err := vfs.OS.List(folder)
	if err != nil {
		return err
	}
	for _, file := range files {
		if arrayOf(file) == file {
			return fmt.Errorf("%s is no file of an array: move it, or remove the folder with rm -r: %w", filepath.Join(folder, file), fs.ErrInvalid)
		}
	}
	for _, sub := range folders {
		if err := CheckRemoval(filepath.Join(folder, sub)); err != nil {
			return err
		}
	}
	return nil
}

// arrayOf returns the name of the array to which a file belongs, that of the file if there is none.
func arrayOf(file string) string {
	if old, isNew := strings.CutSuffix(file, fileset.NewExt); isNew && fileset.BaseName(old) != old {
		file = old
	}
	return fileset.BaseName(file)
}

func removeFolder(folder string) error {
	files, folders, err := vfs.OS.List(folder)
	if err != nil {
		return err
	}
	for _, sub := range folders {
		if err := removeFolder(filepath.Join(folder, sub)); err != nil {
			return err
		}
	}
	for _, file := range files { // an array is named once for each of its files
		if err := Remove(filepath.Join(folder, arrayOf(file))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, file := range files { // that belong to no array
		if err := vfs.OS.Remove(filepath.Join(folder, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := vfs.OS.Remove(folder); !errors.Is(err, fs.ErrNotExist) { // in memory there are no folders
		return err
	}
	return nil
}

func syncParent(name string) error { return vfs.OS.SyncDir(filepath.Dir(filepath.Clean(name))) }
