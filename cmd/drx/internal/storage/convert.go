package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/progress"
	"drx/internal/fileset"
)

// NewConvert returns the verb convert.
func NewConvert() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "convert ARRAY [NEW]",
		Short:   "Put the files of an array into one file, or back",
		GroupID: cli.GroupStorage,
		Long: `Change the form of an array: a name that ends in .drx is that of an array in one file, any other
name that of one in several files. Without NEW, A becomes A.drx, and A.drx becomes A. The chunks,
the history, the attributes and the holes stay the same. drx cp A B.drx does the same and keeps A.

The files are copied, and the old ones are removed when the new ones are complete: there must be
space for both. File systems that can share the bytes of two files do so. After an error or an
interruption the array is whole in one of the forms; its name without .drx leads to it, and the same
convert goes on. An array that another process has open for writing is not converted; programs that
are reading it can continue.`,
		Example: `  drx convert radar
  drx convert radar.drx radar`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return cli.Exactly("ARRAY")(cmd, args)
		},
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			if arrays.IsDataset(args[0]) {
				return cli.Usagef("convert: %s is a folder of arrays: name one of them", cli.Printable(args[0]))
			}
			to := fileset.OtherForm(drx.BaseName(args[0]))
			if len(args) == 2 {
				var err error
				if to, err = newName(cmd, args[0], args[1]); err != nil {
					return err
				}
			}
			if err := convertArray(cmd, args[0], to); err != nil {
				return err
			}
			return cli.PrintResult(cmd, cli.NameResult{Name: drx.BaseName(to), From: drx.BaseName(args[0])}, "")
		},
	}
	cli.AddWaitFlag(cmd)
	return cmd
}

// convertArray gives an array another name, and the form that the extension of the name denotes.
func convertArray(cmd *cobra.Command, from, to string) error {
	err := withCopyProgress(cmd, from, func(progress func(done, total int64)) error {
		return drx.Convert(cmd.Context(), from, to, progress)
	})
	return withNewName(err, to, cmd.Flags().Arg(1))
}

// withNewName extends the error for a missing array if an array has one of the new names. This
// happens when a verb was killed just after its work was done and the user repeats it.
func withNewName(err error, names ...string) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range names {
		if is, existsErr := drx.Exists(name); name != "" && (is && existsErr == nil || arrays.IsDataset(name)) {
			return fmt.Errorf("%w; %s exists already: is this done?", err, cli.Printable(drx.BaseName(name)))
		}
	}
	return err
}

// withCopyProgress calls f, which locks an array and copies its files, and shows the progress that
// f reports.
func withCopyProgress(cmd *cobra.Command, name string, f func(progress func(done, total int64)) error) error {
	var p *progress.Progress
	shown := int64(0)
	err := arrays.WaitForLock(cmd, name, func() error {
		return f(func(done, total int64) {
			if p == nil {
				p = progress.New(cmd, total)
			}
			p.Add(int(done - shown))
			shown = done
		})
	})
	if p != nil {
		p.End()
	}
	return err
}

// isSameArray reports whether two names denote one array, in either form.
func isSameArray(one, other string) bool { return nameWithoutForm(one) == nameWithoutForm(other) }

func nameWithoutForm(name string) string {
	name = filepath.Clean(drx.BaseName(name))
	if fileset.OneFile(name) {
		return fileset.OtherForm(name)
	}
	return name
}
