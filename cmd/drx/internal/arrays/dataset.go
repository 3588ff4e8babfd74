package arrays

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/dataset"
	"drx/internal/errkind"
)

// IsDataset reports whether a name on the command line denotes a folder that has arrays or is
// declared a dataset, or a file with several arrays. An array of the same name takes precedence,
// unless the name ends with a slash.
func IsDataset(name string) bool {
	if drx.IsContainer(filepath.Clean(name)) {
		return true
	}
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return false
	}
	if isArray, err := drx.Exists(name); !os.IsPathSeparator(name[len(name)-1]) && (isArray || err != nil) {
		return false
	}
	arrays, _, err := drx.List(name)
	return err == nil && len(arrays) > 0
}

// WithDataset opens a dataset for reading, calls f and closes it.
func WithDataset(folder string, f func(d *dataset.Dataset) error) error {
	d, err := dataset.Open(folder, drx.Options{})
	if err != nil {
		return err
	}
	return errors.Join(f(d), d.Close())
}

// MarkerOf returns the name of the array that holds a dataset's attributes, for the verb attr. A
// folder that was not declared a dataset has none: the error wraps fs.ErrNotExist. No verb declares
// a folder as a side effect, because readers would from then on see its arrays clipped to common
// dimensions.
func MarkerOf(folder string) (string, error) {
	name := filepath.Join(folder, dataset.Marker)
	ok, err := drx.Exists(name)
	if err == nil && !ok {
		err = errkind.Errorf(fs.ErrNotExist, "%s is no dataset; make it one with 'drx create %s --dataset'", cli.Printable(folder), cli.Printable(folder))
	}
	return name, err
}

// IsPlainFile reports whether a name belongs to a file with several arrays that was not declared a
// dataset.
func IsPlainFile(name string) bool {
	name = filepath.Clean(name)
	declared, err := drx.Exists(filepath.Join(name, dataset.Marker))
	return err == nil && !declared && drx.IsContainer(name)
}
