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
somebody has open for writing is not removed; who is reading one goes on with its files. After an
interruption an array is whole, or gone but for files that another rm removes.`,
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
