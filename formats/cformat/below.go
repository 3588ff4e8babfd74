package cformat

import (
	"fmt"
	"path/filepath"
)

// StaysBelow returns an error unless the file at there, which the file at path refers to as name or
// which lies beside it, is in the folder of that file or below it once all links are followed. The
// folder is the one in which a library searches, also if path is a link.
func StaysBelow(path, there, name string) error {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(there)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(folder, real); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%q leads by a symbolic link out of the folder of this file: put a copy beside it", name)
	}
	return nil
}
