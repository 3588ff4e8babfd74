package main

import (
	"errors"

	"github.com/spf13/cobra"

	"drx"
)

func newRm() *cobra.Command {
	return &cobra.Command{
		Use:     "rm ARRAY...",
		Short:   "Remove arrays",
		GroupID: groupArray,
		Long: `Remove the files of arrays: log, elements, chunk table, presence map and journals. An array that
another process has open for writing is not removed; programs that are reading it can continue.
After an interruption an array is either whole, or gone except for files that another rm removes.`,
		Example:           `  drx rm radar`,
		Args:              atLeast("ARRAY"),
		ValidArgsFunction: completeArrays,
		RunE: func(_ *cobra.Command, args []string) error {
			var errs []error
			for _, name := range args {
				errs = append(errs, drx.Remove(name))
			}
			return errors.Join(errs...)
		},
	}
}
