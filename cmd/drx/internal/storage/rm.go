package storage

import (
	"errors"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/outfile"
	"drx/dataset"
)

// NewRm returns the verb rm.
func NewRm() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "rm ARRAY | FOLDER...",
		Short:   "Remove arrays and datasets",
		GroupID: cli.GroupArray,
		Long: `Remove the files of arrays: log, elements, chunk table, presence map and journals. An array that
another process has open for writing is not removed; programs that are reading it can continue.
After an interruption an array is either whole, or gone except for files that another rm removes.

A folder that is a dataset is removed with all arrays in it, if there are no other files in it.
What an interrupted drx pack to a file of that name has left is removed, too, but not the file.
One of several arrays in a file leaves its room behind; cp of the file leaves that out.`,
		Example: `  drx rm radar
  drx rm weather.drx/rain
  drx rm weather`,
		Args:              cli.AtLeast("ARRAY"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			var errs []error
			removed := []cli.NameResult{}
			for _, name := range args {
				remove, err := drx.Remove, error(nil)
				// an error of IsLeft recurs in remove, which reports it
				left, _ := dataset.IsLeft(name)
				isArray, _ := drx.Exists(name)
				switch isFolder := arrays.IsDataset(name) && !arrays.IsPlainFile(name); {
				case left && isArray && !isFolder:
					remove = func(name string) error { return errors.Join(dataset.Remove(name), drx.Remove(name)) }
				case left:
					remove = dataset.Remove
				case isFolder:
					remove, err = dataset.Remove, datasets.CheckDeclared(name, "rm -r")
				}
				if outfile.HasPartial(name) {
					remove = withPartial(remove, left || isArray || arrays.IsDataset(name))
				}
				if err == nil {
					err = arrays.WaitForLock(cmd, name, func() error { return remove(name) })
				}
				if errs = append(errs, err); err == nil {
					removed = append(removed, cli.NameResult{Name: drx.BaseName(name)})
				}
			}
			return errors.Join(append(errs, cli.PrintResult(cmd, removed, ""))...)
		},
	}
	cli.AddWaitFlag(cmd)
	return cmd
}

// withPartial returns a function that also removes what an interrupted pack to a file of the name
// has left, and nothing else unless there is something else.
func withPartial(remove func(name string) error, others bool) func(name string) error {
	return func(name string) error {
		if err := outfile.RemovePartial(name); err != nil || !others {
			return err
		}
		return remove(name)
	}
}
