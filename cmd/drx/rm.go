package main

import (
	"errors"

	"github.com/spf13/cobra"

	"drx"
)

func newRm() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "rm ARRAY...",
		Short:   "Remove arrays",
		GroupID: groupArray,
		Long: `Remove the files of arrays: log, elements, chunk table, presence map and journals. An array that
another process has open for writing is not removed; programs that are reading it can continue.
After an interruption an array is either whole, or gone except for files that another rm removes.`,
		Example:           `  drx rm radar`,
		Args:              atLeast("ARRAY"),
		ValidArgsFunction: completeArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			var errs []error
			removed := []nameResult{}
			for _, name := range args {
				err := waitForLock(cmd, name, func() error { return drx.Remove(name) })
				if errs = append(errs, err); err == nil {
					removed = append(removed, nameResult{Name: drx.BaseName(name)})
				}
			}
			return errors.Join(append(errs, printResult(cmd, removed, ""))...)
		},
	}
	addWaitFlag(cmd)
	return cmd
}
