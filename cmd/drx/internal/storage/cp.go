package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/internal/fileset"
)

// NewCp returns the verb cp.
func NewCp() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "cp SRC DST",
		Short:   "Copy the files of an array or a dataset",
		GroupID: cli.GroupArray,
		Long: `Copy all files of an array to another name, or into DST if that is a folder: the same chunks in
the same places, with the same history, as a backup has them. Holes stay holes, and file systems
that can share the bytes of two files do so. drx copy is another verb: it copies elements into
other chunks, another order or type, starts a new history, and needs only the right to read.
The copy is in one file, too, if the array is; but if DST ends in .drx it is in one file in any
case, and if only SRC does it is in several.

The copy is that of the last commit. An array that another process has open for writing is not
copied; programs that are reading it can continue. As with mv the files of SRC must be writable,
because what a writer that died has left is completed first. No file is replaced: it is an error
if a file has one of the new names, unless it is one of a cp of the same commit that was interrupted
in its last steps, which is completed. After another error or interruption there is no DST, except
for files that do not prevent another cp. A dataset appears when it is complete. Damaged chunks are
copied as they are, see verify.`,
		Example: `  drx cp radar radar-backup
  drx cp radar /mnt/backup/
  drx cp radar radar-2024.drx
  drx cp weather weather-backup`,
		Args:              cli.Exactly("SRC", "DST"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			to, err := newName(cmd, args[0], args[1])
			if err != nil {
				return err
			}
			if arrays.IsDataset(args[0]) {
				err := datasets.Copy(cmd, args[0], to)
				if err == nil {
					noteHoles(cmd, to)
				}
				return err
			}
			to = inForm(args[0], to)
			if isSameArray(args[0], to) && drx.BaseName(filepath.Clean(args[0])) != drx.BaseName(filepath.Clean(to)) {
				return cli.Usagef("cp: %s and %s would be two arrays of the same name: choose another name, or change the form with drx convert", cli.Printable(args[0]), cli.Printable(to))
			}
			err = withCopyProgress(cmd, args[0], func(progress func(done, total int64)) error {
				return drx.CopyFiles(cmd.Context(), args[0], to, progress)
			})
			if errors.Is(err, fs.ErrPermission) && isPartOf(err, args[0]) {
				return fmt.Errorf("%w: cp must write to %s; drx copy only reads", err, args[0])
			}
			if copied := (*fileset.CopiedError)(nil); errors.As(err, &copied) && copied.Finished {
				cli.NoteOf(cmd, drx.BaseName(to), "was copied already, by a drx cp that was interrupted in its last steps")
				err = nil
			}
			if err != nil {
				return err
			}
			noteHoles(cmd, to)
			return cli.PrintResult(cmd, cli.NameResult{Name: drx.BaseName(to), From: drx.BaseName(args[0])}, "")
		},
	}
	cli.AddWaitFlag(cmd)
	return cmd
}

// isPartOf reports whether an error is about a file of an array.
func isPartOf(err error, name string) bool {
	var path *fs.PathError
	return errors.As(err, &path) && drx.BaseName(path.Path) == drx.BaseName(name)
}

// newName returns the new name of an array: to or, if that is a folder, the array's own name in it,
// in the same form.
func newName(cmd *cobra.Command, name, to string) (string, error) {
	info, err := os.Stat(to)
	switch {
	case err == nil && info.IsDir(), drx.IsContainer(filepath.Clean(to)):
		return filepath.Join(to, filepath.Base(ownName(name))), nil
	case to != "" && os.IsPathSeparator(to[len(to)-1]):
		return "", fmt.Errorf("there is no folder %s", to)
	}
	return to, cli.CheckNewName(cmd, to)
}

// ownName returns the name of an existing array with the extension of its form: .drx or none.
func ownName(name string) string {
	own := drx.BaseName(name)
	if found, err := fileset.Resolve(fileset.OS(), own); err == nil && own == name {
		own = found
	}
	return own
}

// inForm adds the extension of the array's own form to its new name, if neither of the two names
// has an extension.
func inForm(name, to string) string {
	if drx.BaseName(to) == to && fileset.OneFile(ownName(name)) && !fileset.OneFile(name) && !fileset.OneFile(to) {
		return fileset.OtherForm(to)
	}
	return to
}
