package inspect

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/internal/result"
)

// NewLog returns the verb log.
func NewLog() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:     "log ARRAY",
		Short:   "List the changes of an array",
		GroupID: cli.GroupInspect,
		Long: `List the changes of the bounds, the dimensions, the attributes and the codec, the newest last: the
number of the commit, the kind of change, and the shape and the bounds after it. A commit may
contain several changes; a commit that only writes elements is not listed. The number of a
commit is the value for --at-version of info and read.`,
		Example: `  drx log radar
  drx log radar --limit 1 --json
  drx info radar --at-version 3`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return cli.Usagef("log: --limit %d: want 0 or more", limit)
			}
			return arrays.With(args[0], false, func(a *drx.Array) error { return printLog(cmd.OutOrStdout(), a, limit, cli.WantsJSON(cmd)) })
		},
	}
	f := cmd.Flags()
	f.IntVar(&limit, "limit", 0, "`number` of changes to list, the newest ones; 0 for all")
	return cmd
}

func printLog(w io.Writer, a *drx.Array, limit int, asJSON bool) error {
	changes, err := a.History()
	if err != nil {
		return err
	}
	if limit > 0 {
		changes = changes[max(0, len(changes)-limit):]
	}
	list := []result.Change{}
	for _, c := range changes {
		if asJSON {
			list = append(list, result.NewChange(c))
		} else if err := printChange(w, a, c); err != nil {
			return err
		}
	}
	if asJSON {
		return cli.PrintJSON(w, list)
	}
	return nil
}

// printChange prints one line about a change of the array.
func printChange(w io.Writer, a *drx.Array, c drx.Change) error {
	_, err := fmt.Fprintf(w, "%5d  %-20s  %s, bounds %v\n", c.Commit, whatChanged(a, c), cli.FormatShape(c.Bounds.Shape()), c.Bounds)
	return err
}

// whatChanged describes a change, as in "extend time +3 low".
func whatChanged(a *drx.Array, c drx.Change) string {
	what := string(c.Kind)
	switch c.Kind {
	case drx.Extended:
		what = fmt.Sprintf("%s %s +%d", what, cli.DimNames(a)[c.Dim], c.By)
	case drx.Shrunk:
		what = fmt.Sprintf("%s %s -%d", what, cli.DimNames(a)[c.Dim], c.By)
	case drx.AddedDim:
		what += " " + cli.DimNames(a)[c.Dim]
	case drx.Renamed:
		what += fmt.Sprintf(" %d to %s", c.Dim, cli.Printable(c.Names[0]))
	case drx.Attrs:
		what += " " + strings.Join(printableNames(c.Names), ", ")
	case drx.Recompress, drx.Recompressed:
		what += " " + c.Codec
	}
	if c.Low {
		what += " low"
	}
	return what
}

// printableNames returns names for printing, in alphabetical order.
func printableNames(names []string) []string {
	names = slices.Sorted(slices.Values(names))
	for i, name := range names {
		names[i] = cli.Printable(name)
	}
	return names
}
