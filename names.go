package drx

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"drx/internal/errkind"
	"drx/internal/fileset"
	"drx/internal/vfs"
)

// OneFileExt is the extension of the names of arrays in one file.
const OneFileExt = fileset.OneFileExt

// BaseName returns the name of the array to which a file belongs. It strips one of the extensions
// of an array's files, but keeps .drx, which is part of the name of an array in one file.
func BaseName(name string) string { return fileset.BaseName(name) }

// resolve strips a file extension, or adds .drx if only the one-file form exists. The error wraps
// fs.ErrExist if both forms exist.
func resolve(fsys vfs.FS, name string) (string, error) {
	if base := BaseName(name); base != name {
		return base, nil
	}
	return fileset.Resolve(fsys, name)
}

// HasHoles reports whether the file system that holds, or would hold, an array or a dataset
// supports holes. Without holes, as on FAT, a compressed chunk takes as much space as an
// uncompressed one. HasHoles creates a temporary file there. The error is that of creating or
// writing it.
func HasHoles(name string) (bool, error) {
	for folder := filepath.Dir(filepath.Clean(name)); ; folder = filepath.Dir(folder) {
		has, err := vfs.HasHoles(vfs.OS, folder)
		isFile := errors.Is(err, syscall.ENOTDIR) // name is in a file with several arrays
		if (isFile || errors.Is(err, fs.ErrNotExist)) && folder != filepath.Dir(folder) {
			continue
		}
		return has, err
	}
}

// Exists reports whether there is an array with the given name, which may have one of the
// extensions of an array's files. Files left by a killed Create or Remove are no array, and neither
// is a file with several arrays. The error is the file system's.
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
		return false, errkind.Doing(name, "exists", err)
	}
	return ok, nil
}

// List returns the names of the arrays in a folder, without the folder and without extensions, and
// the names of its subfolders, both sorted. A file with several arrays counts as a folder. List
// opens no array: it also lists files left by a killed Create, which Open refuses. It follows no
// symbolic links to folders. The error wraps fs.ErrNotExist if there is no such folder, or is the
// file system's.
func List(folder string) (arrays, folders []string, err error) {
	files, folders, err := fileset.OS().List(folder)
	if err != nil {
		return nil, nil, errkind.Doing(folder, "list", err)
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

// IsContainer reports whether name is a file with several arrays. MakeFolder creates such a file,
// and so does Create for a name in it, such as weather.drx/rain. List and RemoveFolder treat it as
// a folder, Rename and Remove as an array.
func IsContainer(name string) bool { return fileset.IsContainer(fileset.OS(), name) }
