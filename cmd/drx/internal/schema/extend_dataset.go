package schema

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/dataset"
)

// newValues says which values the new elements of a coordinate get.
type newValues int

const (
	valuesUnsaid    newValues = iota // no flag: the fill value, unless it would pass for a value
	valuesContinued                  // even steps
	valuesFill                       // the fill value, whatever it means
)

func parseNewValues(text string) (newValues, error) {
	switch text {
	case "":
		return valuesUnsaid, nil
	case "continue":
		return valuesContinued, nil
	case "fill":
		return valuesFill, nil
	}
	return 0, cli.Usagef("--coordinate %q: want continue or fill", text)
}

// extendDataset grows a dimension of a dataset and commits. If the new elements of a coordinate
// would be 0, which readers would take for values, it returns a usage error unless the user has
// chosen the values.
func extendDataset(cmd *cobra.Command, d *dataset.Dataset, dim string, by int, low bool, how newValues) error {
	known, err := d.Dim(dim)
	if err != nil {
		return err
	}
	var coordinate *drx.Array
	if known.HasCoordinate {
		v, err := d.Variable(dim)
		if err != nil {
			return err
		}
		coordinate = v.Array()
	}
	hasValues := coordinate != nil && known.Bounds.Len() > 0
	if hasValues && how == valuesUnsaid && zeroIsValue(coordinate) {
		return cli.Usagef("%s: is %v without a fill value, so that its new elements would be 0: give --coordinate continue for the next values in even steps, or --coordinate fill and write them later",
			cli.Printable(coordinate.Name()), coordinate.DType())
	}
	grow := d.Extend
	if low {
		grow = d.ExtendLow
	}
	added, err := grow(dim, by)
	if err != nil {
		return err
	}
	if how == valuesContinued {
		if err := d.ContinueCoordinate(dim, added); err != nil {
			if errors.Is(err, dataset.ErrValue) || errors.Is(err, drx.ErrDType) {
				return cli.AsWrongUsage(err)
			}
			return err
		}
	} else if hasValues && how == valuesUnsaid {
		cli.Note(cmd, coordinate, fmt.Sprintf("the new elements %v are %s until they are written; --coordinate continue gives them even steps",
			added, newElement(coordinate)))
	}
	return d.Sync()
}

// zeroIsValue reports whether new elements of a coordinate would be 0, which looks like a value. In
// floating-point coordinates they are NaN.
func zeroIsValue(a *drx.Array) bool {
	return !a.DType().IsFloat() && a.DType().Float64(a.FillValue()) == 0
}

// newElement returns as text the value that dataset.Extend gives new elements of a coordinate.
func newElement(a *drx.Array) string {
	if a.DType().IsFloat() && a.DType().Float64(a.FillValue()) == 0 {
		return "NaN"
	}
	return a.DType().Format(a.FillValue())
}
