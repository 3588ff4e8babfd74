package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// CheckExtension returns an error if the name of an output file has none of the extensions: such a
// file would have the wrong format for its name, and a typing mistake could overwrite an array.
// Devices and pipes may have any name.
func CheckExtension(name string, extensions ...string) error {
	if name == "" || name == "-" || slices.Contains(extensions, strings.ToLower(filepath.Ext(name))) {
		return nil
	}
	if info, err := os.Stat(name); err == nil && info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe) != 0 {
		return nil
	}
	return Usagef("-o %s: want a name that ends in %s, or - for stdout", name, strings.Join(extensions, " or "))
}
