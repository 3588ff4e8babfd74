package drx

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"drx/internal/fileset"
	"drx/internal/vfs"
)

// OneFileExt is the extension of the names of arrays in one file.
const OneFileExt = fileset.OneFileExt

// BaseName returns the name of the array to which a file belongs: the file's name without the extension, if
// that is one of the extensions of an array's files, and otherwise the name itself. An array in one file has a name that ends
// in .drx.
func BaseName(name string) string { return fileset.BaseName(name) }

// resolve returns the name of an existing array: name without the extension of a file, and, if it has none and there is
// only an array in one file, with that one's. The error wraps fs.ErrExist if there are arrays in both forms.
func resolve(fsys vfs.FS, name string) (string, error) {
	if base := BaseName(name); base != name {
		return base, nil
	}
	return fileset.Resolve(fsys, name)
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

// List returns the names of the arrays in a folder, without the folder and without extensions, and the names of
// its subfolders, both sorted. A file with several arrays is such a folder, too. List opens no array: files that a killed Create has left are listed as well, and
// Open refuses them. It follows no symbolic links to folders. The error wraps fs.ErrNotExist if there is no such
// folder, or is the file system's.
func List(folder string) (arrays, folders []string, err error) {
	files, folders, err := fileset.OS().List(folder)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: list: %w", folder, err)
	}
	_, inside := fileset.Container(fileset.OS(), filepath.Join(folder, "x"))
	for _, file := range files {
		switch name, isLog := strings.CutSuffix(file, fileset.LogExt); {
		case isLog && name != "":
			arrays = append(arrays, name)
		case !fileset.OneFile(file):
		case inside:
			arrays = append(arrays, strings.TrimSuffix(file, fileset.OneFileExt))
		case fileset.IsContainer(fileset.OS(), filepath.Join(folder, file)):
			folders = append(folders, file)
		default:
			arrays = append(arrays, file)
		}
	}
	slices.Sort(arrays)
	slices.Sort(folders)
	return arrays, folders, nil
}

// IsContainer reports whether there is a file with several arrays with a name. MakeFolder makes such a file, and so
// does Create for a name in it, as in weather.drx/rain. List and RemoveFolder treat it as a folder; Rename and Remove take its name as that of an array.
func IsContainer(name string) bool { return fileset.IsContainer(fileset.OS(), name) }
