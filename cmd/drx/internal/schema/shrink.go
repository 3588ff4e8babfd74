package schema

import (
	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/dataset"
)

// NewShrink returns the verb shrink.
func NewShrink() *cobra.Command {
	var dim string
	var by int
	var low bool
	cmd := &cobra.Command{
		Use:     "shrink ARRAY | FOLDER --dim DIM --by N",
		Short:   "Shrink an array, or a dataset, along a dimension",
		GroupID: cli.GroupArray,
		Long: `Remove the N highest indices of a dimension or, with --low, the N lowest. No other element
changes its index and no stored byte moves. Removed elements are gone: their space returns to
the file system, and if the array grows again the new elements read as the fill value.

In a folder, which is a dataset, every variable with the dimension shrinks, after the
coordinate: readers see all of it at once, and after an interruption all or nothing.`,
		Example: `  drx shrink radar --dim time --by 24 --low
  drx shrink weather --dim time --by 24
  drx shrink A --dim 1 --by 2`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.RequireFlags(cmd, "dim", "by"); err != nil {
				return err
			}
			if err := cli.CheckBy(by); err != nil {
				return err
			}
			if arrays.IsDataset(args[0]) {
				return datasets.ChangeDimension(cmd, args[0], dim, func(d *dataset.Dataset) error {
					if low {
						return d.ShrinkLow(dim, by)
					}
					return d.Shrink(dim, by)
				})
			}
			if err := datasets.CheckAlone(args[0], dim, -by, low); err != nil {
				return err
			}
			return changeBounds(cmd, args[0], func(a *drx.Array) error {
				d, err := cli.ParseDim(a, dim)
				if err != nil {
					return err
				}
				if n := a.Shape()[d]; by > n {
					return cli.Usagef("%s: --by %d: dimension %s has %d indices; want at most %d", a.Name(), by, cli.DimNames(a)[d], n, n)
				}
				if low {
					return a.ShrinkLow(d, by)
				}
				return a.Shrink(d, by)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&dim, "dim", "", "`dimension` to shrink: number or name")
	f.IntVar(&by, "by", 0, "`number` of indices to remove, in elements")
	f.BoolVar(&low, "low", false, "remove the lowest indices")
	cli.CompleteFlag(cmd, "dim", arrays.CompleteDims)
	cli.AddWaitFlag(cmd)
	return cmd
}
