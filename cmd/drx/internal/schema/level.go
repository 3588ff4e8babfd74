package schema

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cube"
)

// runLevel keeps or deletes a level of the labels of a dimension.
func (o *labelsOptions) runLevel(cmd *cobra.Command, name string) error {
	for _, flag := range []string{"set-from", "delete", "at-version"} {
		if cmd.Flags().Changed(flag) {
			return cli.Usagef("labels: --level and --%s exclude each other", flag)
		}
	}
	if err := cli.RequireFlags(cmd, "dim"); err != nil {
		return err
	}
	level, file, ok := strings.Cut(o.level, "=")
	if !ok {
		return cli.Usagef("--level %q: want NAME=FILE.csv, or NAME= to delete the level", o.level)
	}
	var groups map[string]string
	var err error
	if file != "" {
		if _, groups, err = cli.ReadGroups(file); err != nil {
			return err
		}
	}
	return arrays.Change(cmd, name, func(a *drx.Array) error {
		d, err := cli.ParseDim(a, o.dim)
		if err != nil {
			return err
		}
		c, err := cube.Of(a)
		if err != nil {
			return err
		}
		if _, err := c.Level(d, level); file == "" && errors.Is(err, cube.ErrLabel) { // nothing to delete
			return asLabelUsage(err)
		}
		if err := c.SetLevel(d, level, groups); err != nil {
			return asLabelUsage(err)
		}
		if file == "" {
			return nil
		}
		_, labels := c.Labels(d)
		known := func(label string) bool { _, ok := groups[label]; return ok }
		if i := slices.IndexFunc(labels, func(label string) bool { return !known(label) }); i >= 0 {
			cli.NoteOf(cmd, a.Name(), "label "+cli.Printable(labels[i])+" has no group at level "+level+": groups by it are refused until it has one")
		}
		return nil
	})
}

// asLabelUsage makes an error about a wrong name of a level one of the command line.
func asLabelUsage(err error) error {
	if errors.Is(err, cube.ErrLabel) {
		return cli.AsWrongUsage(err)
	}
	return err
}
