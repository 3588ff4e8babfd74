package capi

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"drx"
	"drx/dataset"
	"drx/internal/errkind"
)

// notFound returns an error that says that the array does not exist, or what the name belongs to.
// The original error names one of the array's files.
func notFound(name string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return err
	}
	if name == "" {
		return errkind.Errorf(fs.ErrNotExist, "an array has a name, not empty")
	}
	if there, existsErr := drx.Exists(name); existsErr != nil || there {
		return err // a file of it is missing
	}
	if isDataset(name) {
		return errkind.Errorf(fs.ErrNotExist, "%s is a dataset, not an array: open it as a dataset, or one of its variables", name)
	}
	return instead(name, "array", err)
}

// noDataset is notFound for datasets.
func noDataset(name string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return err
	}
	if name == "" {
		return errkind.Errorf(fs.ErrNotExist, "a dataset has a name, not empty")
	}
	if there, existsErr := drx.Exists(name); existsErr == nil && there {
		return errkind.Errorf(fs.ErrNotExist, "%s is an array, not a dataset: open it as an array", name)
	}
	return instead(name, "dataset", err)
}

// instead returns the error for a name without an object of the kind, an array or a dataset.
func instead(name, kind string, err error) error {
	folder, absErr := filepath.Abs(filepath.Dir(name))
	if absErr != nil {
		return err
	}
	info, statErr := os.Stat(name)
	_, folderErr := os.Stat(folder)
	base := filepath.Base(drx.BaseName(name))
	switch {
	case statErr == nil && info.IsDir() && kind == "array":
		return errkind.Errorf(fs.ErrNotExist, "%s is a folder, not an array", name)
	case statErr == nil && !info.IsDir():
		return errkind.Errorf(fs.ErrNotExist, "%s is a file, but not one of DRX: import it", name)
	case folderErr != nil:
		return errkind.Errorf(fs.ErrNotExist, "no %s %q: there is no folder %q", kind, base, folder)
	case statErr == nil: // something in the folder is missing
		return err
	}
	return errkind.Errorf(fs.ErrNotExist, "no %s %q in %q", kind, base, folder)
}

// isDataset reports whether a folder is declared a dataset.
func isDataset(name string) bool {
	there, err := drx.Exists(filepath.Join(name, dataset.Marker))
	return err == nil && there
}

// checkFree returns an error wrapping fs.ErrExist if there is an array, or a dataset, of the name
// of a new array: one name for both would be ambiguous. It returns the error of Stat for a folder
// that does not exist.
func checkFree(name string) error {
	there, err := drx.Exists(name)
	switch {
	case err != nil:
		return err
	case there:
		return errkind.Errorf(fs.ErrExist, "%s: there is an array of this name already: remove it, or choose another name", name)
	case isDataset(drx.BaseName(name)):
		return errkind.Errorf(fs.ErrExist, "%s: there is a dataset of this name already: choose another name", name)
	}
	return nil
}
