package drx

import (
	"fmt"
	"strings"

	"drx/internal/fileset"
	"drx/internal/vfs"
)

// List returns the names of the arrays in a folder, without the folder and without extensions, and the names of
// its subfolders, both sorted. It opens no array: files that a killed Create has left are listed as well, and
// Open refuses them. List follows no symbolic links to folders. The error wraps fs.ErrNotExist if there is no such
// folder, or is the file system's.
func List(folder string) (arrays, folders []string, err error) {
	files, folders, err := vfs.OS.List(folder)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: list: %w", folder, err)
	}
	for _, file := range files {
		if name, isLog := strings.CutSuffix(file, fileset.LogExt); isLog && name != "" {
			arrays = append(arrays, name)
		}
	}
	return arrays, folders, nil
}
