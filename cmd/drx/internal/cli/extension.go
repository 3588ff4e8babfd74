package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/formats"
)

// WrittenExtensions returns the extensions of the formats that an export writes.
func WrittenExtensions() (list []string) {
	for _, f := range formats.Formats() {
		if f.Writes() {
			list = append(list, f.Extensions...)
		}
	}
	return list
}

// CheckNewName returns a usage error if the name of an array or a dataset that a verb is to make
// ends as those of files of another format do: whoever gives such a name wants such a file.
func CheckNewName(cmd *cobra.Command, name string) error {
	ext := strings.ToLower(filepath.Ext(filepath.Clean(name)))
	if ext == "" || ext == drx.OneFileExt || !slices.Contains(WrittenExtensions(), ext) {
		return nil
	}
	return Usagef("%s: %s would be an array or a dataset of DRX, and no file with the format of %s: 'drx export' makes one; for an array choose a name without %s",
		cmd.Name(), Printable(name), ext, ext)
}

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
