package storage

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
)

// NewMv returns the verb mv.
func NewMv() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "mv OLD NEW",
		Short:   "Rename an array or a dataset, or move it to another folder",
		GroupID: cli.GroupArray,
		Long: `Rename all files of an array, or move them to NEW if that is a folder. A damaged array, or one
that another process has open for writing, is not renamed; programs that are reading it can
continue. No file is replaced: it is an error if a file has one of the new names. After an
interruption the array has one of the two names, and the same mv completes the renaming. To
move an array to another file system, use cp. A dataset, which is a folder, moves as a whole.

A variable of a dataset that stays in its group is renamed in the dataset, as rename does: its
dimension, if it is a coordinate, and what names it in attributes follow.

An array in one file stays so, and one in several files, too; but if only NEW ends in .drx, or only
OLD, the array is first converted to the other form, as convert does it.`,
		Example: `  drx mv radar radar-2024
  drx mv radar-2024 archive/
  drx mv weather weather-2024`,
		Args:              cli.Exactly("OLD", "NEW"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			to, err := newName(cmd, args[0], args[1])
			if err != nil {
				return err
			}
			if drx.BaseName(filepath.Clean(args[0])) == drx.BaseName(filepath.Clean(to)) {
				return cli.Usagef("mv: %s has this name already", args[0])
			}
			if arrays.IsDataset(args[0]) && !arrays.IsPlainFile(args[0]) {
				return datasets.Move(cmd, args[0], to)
			}
			if is, err := datasets.MoveVariable(cmd, args[0], to); is || err != nil {
				if err != nil {
					return err
				}
				return cli.PrintResult(cmd, cli.NameResult{Name: drx.BaseName(to), From: drx.BaseName(args[0])}, "")
			}
			to = inForm(args[0], to)
			if err := convertArray(cmd, args[0], to); err != nil {
				return err
			}
			return cli.PrintResult(cmd, cli.NameResult{Name: drx.BaseName(to), From: drx.BaseName(args[0])}, "")
		},
	}
	cli.AddWaitFlag(cmd)
	return cmd
}
