package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/dataset"
)

// NewRename returns the verb rename.
func NewRename() *cobra.Command {
	var attr bool
	cmd := &cobra.Command{
		Use:     "rename ARRAY | FOLDER OLD NEW",
		Short:   "Rename a dimension, a variable or an attribute",
		GroupID: cli.GroupArray,
		Long: `Give a dimension of an array, or a variable or a dimension of a dataset, another name. No element
moves. In a dataset every variable with the dimension follows, a coordinate and its dimension change
together, and so do the attributes that name what is renamed: coordinates, ancillary_variables,
bounds, climatology, grid_mapping, formula_terms, cell_measures and cell_methods. Readers see all of
the old names or all of the new ones, also after a crash; the next writer completes what is left.

OLD may be the number of a dimension of an array, as of one without a name. With --attr OLD and NEW
are attributes. mv renames an array, and a variable of a dataset in the same way:
drx mv weather/t2m weather/temperature.`,
		Example: `  drx rename radar 0 time
  drx rename weather t2m temperature
  drx rename weather longitude lon
  drx rename weather/rain unit units --attr`,
		Args:              cli.Exactly("ARRAY", "OLD", "NEW"),
		ValidArgsFunction: cli.CompleteOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, was, is := args[0], args[1], args[2]
			if was == is {
				return cli.Usagef("rename: %s has this name already", cli.Printable(was))
			}
			var err error
			switch {
			case attr:
				err = renameAttr(cmd, name, was, is)
			case arrays.IsDataset(name):
				err = datasets.Rename(cmd, name, was, is)
			default:
				err = renameDim(cmd, name, was, is)
			}
			if err != nil {
				return err
			}
			return cli.Confirm(cmd, renameResult{filepath.Clean(name), was, is}, "%s: %s is %s now\n", cli.Printable(name), cli.Printable(was), cli.Printable(is))
		},
	}
	cmd.Flags().BoolVar(&attr, "attr", false, "rename an attribute")
	cli.AddWaitFlag(cmd)
	return cmd
}

// renameResult is the result of rename.
type renameResult struct {
	Name string `json:"name"`
	From string `json:"from"`
	To   string `json:"to"`
}

// renameDim renames a dimension of an array that belongs to no dataset.
func renameDim(cmd *cobra.Command, name, was, is string) error {
	if folder, _, err := dataset.Find(name); err != nil || folder != "" {
		if err != nil {
			return err
		}
		return cli.Usagef("%s is a variable of the dataset %s, whose variables share dimensions: drx rename %s %s %s renames it in all of them",
			cli.Printable(name), cli.Printable(folder), cli.Printable(folder), cli.Printable(was), cli.Printable(is))
	}
	return arrays.Change(cmd, name, func(a *drx.Array) error {
		dim, err := cli.ParseDim(a, was)
		if err == nil {
			err = cli.CheckDims(is)
		}
		if err == nil {
			err = dataset.RenameDim(a, dim, is)
		}
		if errors.Is(err, drx.ErrRank) {
			return cli.AsUsageError(err)
		}
		return asLabelUsage(err)
	})
}

// renameAttr renames an attribute of an array, or of a dataset, in one commit.
func renameAttr(cmd *cobra.Command, name, was, is string) error {
	if is == "" {
		return cli.Usagef("rename --attr: want a name, not empty")
	}
	check := func(attrs map[string]json.RawMessage) (json.RawMessage, error) {
		value, has := attrs[was]
		if !has {
			return nil, fmt.Errorf("%s: there is no attribute %s", cli.Printable(name), cli.Printable(was))
		}
		if attrs[is] != nil {
			return nil, fmt.Errorf("%s: attribute %s: %w", cli.Printable(name), cli.Printable(is), fs.ErrExist)
		}
		return value, nil
	}
	if !arrays.IsDataset(name) {
		return arrays.Change(cmd, name, func(a *drx.Array) error {
			value, err := check(a.Attrs())
			if err == nil {
				err = errors.Join(a.SetAttr(is, value), a.DeleteAttr(was))
			}
			return err
		})
	}
	if _, err := arrays.MarkerOf(name); err != nil {
		return err
	}
	return arrays.WaitForLock(cmd, name, func() error {
		return datasets.Change(name, func(d *dataset.Dataset) error {
			attrs, err := d.Attrs("")
			if err != nil {
				return err
			}
			value, err := check(attrs)
			if err == nil {
				err = errors.Join(d.SetAttr("", is, value), d.DeleteAttr("", was))
			}
			return err
		})
	})
}
