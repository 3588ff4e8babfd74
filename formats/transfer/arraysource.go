package transfer

import (
	"io"
	"os"
	"path/filepath"

	"drx"
	"drx/formats"
)

// An arraySource is an open array or dataset of DRX that an import reads like a file of another
// format. It describes itself as the file that an export would make of it.
type arraySource interface {
	// describe returns the description of that file.
	describe() formats.Content
	// reader opens a variable, or for "" the only one that is no coordinate. Closing the Reader
	// does not close the source. name is for errors.
	reader(name, variable string) (formats.Reader, error)
	// labels returns the labels of the indices of a dimension of a variable, nil for none.
	labels(variable string, dim int) []string
	// levels returns the groups of those labels at each level above them, by its name.
	levels(variable string, dim int) (map[string]map[string]string, error)
	// begin returns the low bounds of the array of a variable, nil if the variable is no array.
	begin(variable string) []int
	// origins returns the names of the arrays.
	origins() []string
	// stamp returns a stamp that changes when the arrays do.
	stamp(name string) (fileStamp, error)
	io.Closer
}

// isArrays reports whether a name denotes an array of DRX or a dataset.
func isArrays(name string) bool {
	if name == "-" {
		return false
	}
	if isArray, err := drx.Exists(name); isArray && err == nil {
		return true
	}
	if drx.IsContainer(filepath.Clean(name)) {
		return true
	}
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return false
	}
	arrays, _, err := drx.List(name)
	return err == nil && len(arrays) > 0
}

// realName returns the absolute name of an array or a folder, without symbolic links.
func realName(name string) string {
	name = drx.BaseName(filepath.Clean(name))
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return drx.BaseName(real)
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		name = filepath.Join(folder, filepath.Base(name))
	}
	return name
}

// parents returns the folders that contain a path.
func parents(name string) (all []string) {
	for dir := filepath.Dir(name); dir != name; name, dir = dir, filepath.Dir(dir) {
		all = append(all, drx.BaseName(dir))
	}
	return all
}
