package main

import (
	"github.com/spf13/cobra"

	"drx"
)

func newShrink() *cobra.Command {
	var dim string
	var by int
	var low bool
	cmd := &cobra.Command{
		Use:     "shrink ARRAY --dim DIM --by N",
		Short:   "Shrink an array along a dimension",
		GroupID: groupArray,
		Long: `Remove the N highest indices of a dimension or, with --low, the N lowest. No other element
changes its index and no stored byte moves. Removed elements are gone: their space returns to
the file system, and if the array grows again the new elements read as the fill value.`,
		Example: `  drx shrink radar --dim time --by 24 --low
  drx shrink A --dim 1 --by 2`,
		Args:              exactly("ARRAY"),
		ValidArgsFunction: completeOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := requireFlags(cmd, "dim", "by"); err != nil {
				return err
			}
			if err := checkBy(by); err != nil {
				return err
			}
			return changeBounds(cmd, args[0], func(a *drx.Array) error {
				d, err := parseDim(a, dim)
				if err != nil {
					return err
				}
				if n := a.Shape()[d]; by > n {
					return usagef("%s: --by %d: dimension %s has %d indices; want at most %d", a.Name(), by, dimNames(a)[d], n, n)
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
	completeFlag(cmd, "dim", completeDims)
	addWaitFlag(cmd)
	return cmd
}
