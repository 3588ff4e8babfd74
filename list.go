package drx

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"drx/internal/fileset"
)

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
