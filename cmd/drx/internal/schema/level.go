package schema

import (
	"errors"
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
		_, c, err := arrays.CubeOf(a)
		if err != nil {
			return err
		}
		if err := setLevel(cmd, c, d, level, groups); err != nil || !cli.WantsJSON(cmd) {
			return err
		}
		if err := a.Sync(); err != nil {
			return err
		}
		list := labelList(c, d)
		for i, l := range list {
			if group, ok := groups[l.Label]; ok {
				list[i].Group = &group
			}
		}
		return cli.PrintJSON(cmd.OutOrStdout(), list)
	})
}

// setLevel sets the groups of a level, or deletes it if there are none. The error is one of the
// command line if no label of the dimension has a group.
func setLevel(cmd *cobra.Command, c *cube.Cube, dim int, level string, groups map[string]string) error {
	a := c.Array()
	if groups == nil {
		if _, err := c.Level(dim, level); err != nil { // nothing to delete
			return asLabelUsage(err)
		}
		return asLabelUsage(c.SetLevel(dim, level, nil))
	}
	bounds := a.Bounds()[dim]
	matches, without := 0, ""
	for i := bounds.Lo; i < bounds.Hi; i++ {
		label := c.Label(dim, i)
		if _, ok := groups[label]; ok {
			matches++
		} else if without == "" {
			without = label
		}
	}
	if matches == 0 && bounds.Hi > bounds.Lo {
		return cli.Usagef("labels: --level %s: no label of dimension %s is in the table, whose first column has other names than %s",
			cli.Printable(level), cli.DimNames(a)[dim], cli.Printable(without))
	}
	if err := c.SetLevel(dim, level, groups); err != nil {
		return asLabelUsage(err)
	}
	if without != "" {
		cli.NoteOf(cmd, a.Name(), "label "+cli.Printable(without)+" has no group at level "+level+": groups by it are refused until it has one")
	}
	return nil
}

// asLabelUsage makes an error about a wrong name of a level one of the command line.
func asLabelUsage(err error) error {
	if errors.Is(err, cube.ErrLabel) {
		return cli.AsWrongUsage(err)
	}
	return err
}
