// Package inspect has the verbs that describe arrays: addr, advise, info, log, ls and watch.
package inspect

import (
	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/internal/result"
	"drx/nd"
)

// NewInfo returns the verb info.
func NewInfo() *cobra.Command {
	var history, all bool
	var version int
	cmd := &cobra.Command{
		Use:     "info ARRAY | FOLDER",
		Short:   "Show the type, shape, size and attributes of an array, or a dataset",
		GroupID: cli.GroupFirst,
		Long: `Show an array's element type, bounds, chunks, the share that is written, its size on disk and
its attributes. --history also shows its history: the expansion records from which the position
of every chunk in the file is computed. Only both ends of a long history are shown; --all shows
it whole.

--at-version shows the array as it was after an earlier commit; see log for the commits.

Of a folder, which is a dataset, info shows the dimensions with the first and the last value of
their coordinates, the variables and the attributes, as ncdump -h does for a NetCDF file.`,
		Example: `  drx info radar
  drx info weather
  drx info radar --json
  drx info radar --at-version 3`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if arrays.IsDataset(args[0]) {
				if cmd.Flags().Changed("at-version") {
					return cli.Usagef("info: --at-version is for an array; each variable of a dataset has commits of its own")
				}
				return datasets.Print(cmd, args[0])
			}
			return arrays.WithVersion(cmd, args[0], version, func(a *drx.Array) error {
				i, err := result.NewArray(a)
				if err != nil {
					return err
				}
				if cli.WantsJSON(cmd) {
					return cli.PrintJSON(cmd.OutOrStdout(), i)
				}
				return arrayInfo{i}.print(cmd.OutOrStdout(), history || all, all)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&history, "history", false, "show the history")
	f.BoolVar(&all, "all", false, "show the history with all records, if it is long")
	arrays.AddVersionFlag(cmd, &version)
	return cmd
}

// An arrayInfo is the description of an array, which prints itself.
type arrayInfo struct{ *result.Array }

// bounds returns the bounds as a section.
func (i arrayInfo) bounds() nd.Section { return nd.Box(i.Lo, i.Hi) }
