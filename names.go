package drx

import (
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
