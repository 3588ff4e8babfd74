package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"drx"
)

func newMv() *cobra.Command {
	return &cobra.Command{
		Use:     "mv OLD NEW",
		Short:   "Rename an array, or move it to another folder",
		GroupID: groupArray,
		Long: `Give all files of an array another name, or move them to NEW if that is a folder. An array that
somebody has open for writing keeps its name, and so does a damaged one; who is reading it goes on with its files. Nothing
is replaced: a file that has one of the new names is an error. After an interruption the array has one of both names, and
the same mv once more does the rest. To another file system, copy the array instead.`,
		Example: `  drx mv radar radar-2024
  drx mv radar archive/`,
		Args:              exactly("OLD", "NEW"),
		ValidArgsFunction: completeArrays,
		RunE: func(_ *cobra.Command, args []string) error {
			to := args[1]
			if info, err := os.Stat(to); err == nil && info.IsDir() {
				to = filepath.Join(to, filepath.Base(drx.BaseName(args[0])))
			}
			return drx.Rename(args[0], to)
		},
	}
}
