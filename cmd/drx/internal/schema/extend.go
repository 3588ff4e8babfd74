package schema

import (
	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/dataset"
)

// NewExtend returns the verb extend.
func NewExtend() *cobra.Command {
	var o struct {
		dim          string
		by           int
		low, cubical bool
		coordinate   string
	}
	cmd := &cobra.Command{
		Use:     "extend ARRAY | FOLDER --dim DIM --by N",
		Short:   "Grow an array, or a dataset, along a dimension",
		GroupID: cli.GroupArray,
		Long: `Grow an array by N indices along a dimension, above the highest index or, with --low, below
the lowest, where indices become negative. No element changes its index and no stored byte
moves. New elements read as the fill value.

With --cubical the other dimensions grow on the same side too, in turn and one chunk at a
time, until all extents are equal.

In a folder, which is a dataset, every variable with the dimension grows, and at last the
coordinate: readers see the growth when it is complete. New elements of the coordinate have no
value, which is NaN or a fill value that is not 0, until they are written. If it has values
already, and integers without such a fill value, say what they shall be: --coordinate continue
for the next values in even steps, --coordinate fill for 0, to be written later.`,
		Example: `  drx extend radar --dim time --by 24
  drx extend radar --dim 2 --by 100 --low
  drx extend weather --dim time --by 24
  drx extend weather --dim lat --by 10 --low --coordinate continue`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.RequireFlags(cmd, "dim", "by"); err != nil {
				return err
			}
			if err := cli.CheckBy(o.by); err != nil {
				return err
			}
			how, err := parseNewValues(o.coordinate)
			if err != nil {
				return err
			}
			if arrays.IsDataset(args[0]) {
				if o.cubical {
					return cli.Usagef("extend: --cubical is for an array: the variables of a dataset share dimensions")
				}
				return datasets.ChangeDimension(cmd, args[0], o.dim, func(d *dataset.Dataset) error {
					return extendDataset(cmd, d, o.dim, o.by, o.low, how)
				})
			}
			if how != valuesUnsaid {
				return cli.Usagef("extend: --coordinate is for a dataset, and %s is an array", cli.Printable(args[0]))
			}
			if err := datasets.CheckAlone(args[0], o.dim, o.by, o.low); err != nil {
				return err
			}
			return changeBounds(cmd, args[0], func(a *drx.Array) error {
				dim, err := cli.ParseDim(a, o.dim)
				if err != nil {
					return err
				}
				if o.cubical {
					_, err = a.ExtendCubical(dim, o.by, arrays.SideOf(o.low))
				} else {
					_, err = arrays.Extend(a, dim, o.by, o.low)
				}
				return err
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dim, "dim", "", "`dimension` to grow: number or name")
	f.IntVar(&o.by, "by", 0, "`number` of new indices, in elements")
	f.BoolVar(&o.low, "low", false, "grow below the lowest index")
	f.BoolVar(&o.cubical, "cubical", false, "grow the other dimensions too, until all extents are equal")
	f.StringVar(&o.coordinate, "coordinate", "", "`what` the coordinate of a dataset gets: continue (even steps) or fill")
	cli.CompleteFlag(cmd, "dim", arrays.CompleteDims)
	cli.CompleteFlag(cmd, "coordinate", cobra.FixedCompletions([]string{"continue", "fill"}, cobra.ShellCompDirectiveNoFileComp))
	cli.AddWaitFlag(cmd)
	return cmd
}

// changeBounds opens an array, calls change, commits and prints the new bounds. If change returns
// an error because of an impossible value, that is an error of the command line.
func changeBounds(cmd *cobra.Command, name string, change func(a *drx.Array) error) error {
	return arrays.Change(cmd, name, func(a *drx.Array) error {
		if err := change(a); err != nil {
			return cli.AsUsageError(cli.NameDim(a, err))
		}
		if err := a.Sync(); err != nil {
			return err
		}
		return cli.Confirm(cmd, cli.NewArrayResult(a), "%s\n", arrays.Extents(a))
	})
}
