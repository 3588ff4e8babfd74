package main

import (
	"fmt"

	"drx/axial"
	"drx/dataset"
	"drx/nd"

	"github.com/spf13/cobra"

	"drx"
)

func newExtend() *cobra.Command {
	var o struct {
		dim          string
		by           int
		low, cubical bool
		coordinate   string
	}
	cmd := &cobra.Command{
		Use:     "extend ARRAY | FOLDER --dim DIM --by N",
		Short:   "Grow an array, or a dataset, along a dimension",
		GroupID: groupArray,
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
		Args:              exactly("ARRAY"),
		ValidArgsFunction: completeArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := requireFlags(cmd, "dim", "by"); err != nil {
				return err
			}
			if err := checkBy(o.by); err != nil {
				return err
			}
			how, err := parseNewValues(o.coordinate)
			if err != nil {
				return err
			}
			if isDataset(args[0]) {
				if o.cubical {
					return usagef("extend: --cubical is for an array: the variables of a dataset share dimensions")
				}
				return changeDimension(cmd, args[0], o.dim, func(d *dataset.Dataset) error {
					return extendDataset(cmd, d, o.dim, o.by, o.low, how)
				})
			}
			if how != valuesUnsaid {
				return usagef("extend: --coordinate is for a dataset, and %s is an array", printable(args[0]))
			}
			if err := checkAlone(args[0], o.dim, o.by, o.low); err != nil {
				return err
			}
			return changeBounds(cmd, args[0], func(a *drx.Array) error {
				dim, err := parseDim(a, o.dim)
				if err != nil {
					return err
				}
				if o.cubical {
					_, err = a.ExtendCubical(dim, o.by, sideOf(o.low))
				} else {
					_, err = extend(a, dim, o.by, o.low)
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
	completeFlag(cmd, "dim", completeDims)
	completeFlag(cmd, "coordinate", cobra.FixedCompletions([]string{"continue", "fill"}, cobra.ShellCompDirectiveNoFileComp))
	addWaitFlag(cmd)
	return cmd
}

// changeBounds opens an array, calls change, commits and prints the new bounds. If change returns an error
// because of an impossible value, that is an error of the command line.
func changeBounds(cmd *cobra.Command, name string, change func(a *drx.Array) error) error {
	return changeArray(cmd, name, func(a *drx.Array) error {
		if err := change(a); err != nil {
			return asUsageError(nameDim(a, err))
		}
		if err := a.Sync(); err != nil {
			return err
		}
		return confirm(cmd, newArrayResult(a), "%s\n", extents(a))
	})
}

// extend grows a dimension above its highest index or below its lowest.
func extend(a *drx.Array, dim, by int, low bool) (nd.Section, error) {
	if low {
		return a.ExtendLow(dim, by)
	}
	return a.Extend(dim, by)
}

func sideOf(low bool) axial.Side {
	if low {
		return axial.Low
	}
	return axial.High
}

// extents returns a line with the name, the shape and the bounds of an array.
func extents(a *drx.Array) string {
	return fmt.Sprintf("%s: %s, bounds %v", printable(a.Name()), formatShape(a.Shape()), a.Bounds())
}
