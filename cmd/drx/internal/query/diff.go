package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/progress"
	"drx/formats/diff"
)

// NewDiff returns the verb diff.
func NewDiff() *cobra.Command {
	var o struct {
		diff.Options
		memory string
	}
	cmd := &cobra.Command{
		Use:     "diff A B",
		Short:   "Compare two arrays, datasets or files by what their elements mean",
		GroupID: cli.GroupInspect,
		Long: `Compare two arrays, datasets or files of other formats, variable by variable: the number of
elements that differ, and the largest difference with its index and its coordinates. The exit code
is 0 if both are the same, 1 if they differ, and 2 if one cannot be read or the command line is
wrong.

Values are compared in their units: scale_factor and add_offset are applied, times are moments, and
elements that are missing, or NaN, in both are the same, whatever marks them. Integers are compared
exactly. What had to be converted to other units or from another packing is the same if it agrees to
the last digits of float64. Chunks, codecs and the order of elements are no difference.

Other element types, attributes, names of dimensions and low bounds are printed and count as
differences, as do variables that one alone has; --data compares values alone. Variables are found
by their names; of two files with one variable each, besides coordinates, these are compared.
Shapes that differ, and units that have nothing to do with each other, let no elements be compared.

--atol and --rtol are tolerances: a of A and b of B are the same if |a-b| <= atol + rtol * |b|.`,
		Example: `  drx diff radar radar.nc
  drx diff monday tuesday --data --atol 0.01
  drx diff before/ after/ --var rain --rtol 1e-6 --json`,
		Args:              cli.Exactly("A", "B"),
		ValidArgsFunction: cli.CompleteInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			memory, err := cli.ParseBytes("--memory", o.memory)
			if err != nil {
				return err
			}
			bars := &progress.Bars{Cmd: cmd}
			o.Memory, o.Progress = int64(memory), bars.Report
			r, err := diff.Diff(cmd.Context(), args[0], args[1], o.Options)
			bars.End()
			switch {
			case errors.Is(err, context.Canceled):
				return err
			case err != nil:
				for _, name := range args {
					if _, statErr := os.Stat(name); statErr != nil && filepath.Ext(name) == "" {
						err = arrays.NotFound(name, err)
					}
				}
				return cli.AsTrouble(cli.AsOptionUsageError(err))
			}
			if err := printDiff(cmd, r); err != nil {
				return err
			}
			if !r.Same {
				return cli.ErrDifferent
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.Vars, "var", nil, "`name` of a variable to compare; may be repeated (default: all)")
	f.BoolVar(&o.Data, "data", false, "compare values alone: no attributes, types, names and bounds")
	f.Float64Var(&o.ATol, "atol", 0, "absolute `tolerance`, in the units of A")
	f.Float64Var(&o.RTol, "rtol", 0, "`tolerance` relative to the value of B")
	f.StringVar(&o.memory, "memory", "256MiB", "`bytes` of memory, as in 64MiB")
	return cmd
}

// printDiff prints how two files differ.
func printDiff(cmd *cobra.Command, r diff.Result) error {
	if cli.WantsJSON(cmd) {
		return cli.PrintJSON(cmd.OutOrStdout(), r)
	}
	if r.Same {
		elements := int64(0)
		for _, v := range r.Variables {
			elements += v.Compared
		}
		return cli.Confirm(cmd, r, "%s and %s are the same: %s, %s\n", cli.Printable(r.A), cli.Printable(r.B), counted(len(r.Variables), "variable"), counted(int(elements), "element"))
	}
	var b strings.Builder
	for _, side := range []struct {
		names []string
		file  string
	}{{r.OnlyA, r.A}, {r.OnlyB, r.B}} {
		for _, name := range side.names {
			fmt.Fprintf(&b, "%s: only in %s\n", cli.Printable(name), cli.Printable(side.file))
		}
	}
	for _, p := range r.Attrs {
		fmt.Fprintln(&b, describeProperty(p))
	}
	for _, v := range r.Variables {
		name := cli.Printable(v.Name)
		for _, p := range v.Properties {
			fmt.Fprintf(&b, "%s: %s\n", name, describeProperty(p))
		}
		if v.Different > 0 {
			fmt.Fprintf(&b, "%s: %s\n", name, describeElements(v))
		}
	}
	_, err := io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// describeProperty describes a difference in something other than elements.
func describeProperty(p diff.Property) string {
	is := func(text string) string {
		if text == "" {
			return "missing"
		}
		return cli.Escaped(text)
	}
	return fmt.Sprintf("%s: %s, %s", cli.Escaped(p.What), is(p.A), is(p.B))
}

// describeElements says how many elements differ, where, and by how much at most.
func describeElements(v diff.Variable) string {
	text := fmt.Sprintf("%d of %s differ", v.Different, counted(int(v.Compared), "element"))
	if v.Missing > 0 {
		text += fmt.Sprintf(", %d are missing in one of both", v.Missing)
	}
	p := v.Largest
	if p.Difference != p.Difference {
		text += ", the first"
	} else {
		text += fmt.Sprintf(", the largest by %v (relative %.3g)", float64(p.Difference), float64(p.Relative))
	}
	if len(p.Index) > 0 {
		text += " at " + cli.FormatInts(p.Index)
	}
	var positions []string
	for _, dim := range slices.Sorted(maps.Keys(p.Coordinates)) {
		positions = append(positions, cli.Printable(dim)+" "+cli.Escaped(p.Coordinates[dim]))
	}
	if len(positions) > 0 {
		text += " (" + strings.Join(positions, ", ") + ")"
	}
	return text + ": " + cli.Escaped(p.A) + ", " + cli.Escaped(p.B)
}
