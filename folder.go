package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"drx/internal/fileset"
)

// MakeFolder creates a folder for arrays, durably. The folder that it is in must exist. The error wraps fs.ErrExist
// if there is a file or a folder with the name, or is the file system's.
func MakeFolder(folder string) error {
	err := fileset.OS().Mkdir(folder)
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
	if IsContainer(from) {
		return Rename(from, to)
	}
	_, _, err := fileset.OS().List(to)
	if err == nil {
		err = fs.ErrExist // the system replaces a folder that is empty
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fileset.OS().Rename(filepath.Clean(from), filepath.Clean(to))
	}
	if err == nil {
		err = errors.Join(syncParent(to), syncParent(from))
	}
	if err != nil {
		return fmt.Errorf("%s: rename to %s: %w", from, to, err)
	}
	return nil
}

// RemoveFolder removes a folder with all arrays and folders in it, or a file with several arrays, and no other files: if there is one, nothing is removed, and
// the error wraps fs.ErrInvalid. The error wraps ErrLocked if an array is open for writing, fs.ErrNotExist if there is no such
// folder, or is the file system's; what was not removed remains, and another RemoveFolder goes on.
func RemoveFolder(folder string) error {
	if IsContainer(folder) {
		return Remove(folder)
	}
	if fileset.OneFile(folder) { // a killed MakeFolder leaves a file that is not one with arrays yet
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
		return fmt.Errorf("%s: remove: %w", folder, err)
	}
	return nil
}

// CheckRemoval returns the error that RemoveFolder would return for a file that is none of an array, and removes nothing.
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

// arrayOf returns the name of the array to which a file belongs, that of the file if there is none.
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
	for _, file := range files { // an array is named once for each of its files
		if err := fileset.Remove(fileset.OS(), filepath.Join(folder, arrayOf(file))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, file := range files { // that belong to no array
		if err := fileset.OS().Remove(filepath.Join(folder, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := fileset.OS().Remove(folder); !errors.Is(err, fs.ErrNotExist) { // in memory there are no folders
		return err
	}
	return nil
}

func syncParent(name string) error { return fileset.OS().SyncDir(filepath.Dir(filepath.Clean(name))) }
