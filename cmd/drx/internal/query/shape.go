package query

import (
	"bufio"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cube"
	"drx/dataset/cftime"
	"drx/dataset/stats"
	"drx/nd"
)

// shapeFlags choose and arrange the results that stats prints as CSV.
type shapeFlags struct {
	top   int
	share bool
	pivot string
}

func (o *shapeFlags) addTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.top, "top", 0, "print the `number` of results with the largest values of the first statistic, or the least if negative")
	f.BoolVar(&o.share, "share", false, "print the share of each result in the sum of all, of the first statistic: sum or count")
	f.StringVar(&o.pivot, "pivot", "", "print one statistic as a table of `ROWS,COLUMNS`: dimensions or groups; others are reduced")
}

// check checks the flags beside the statistics and the output.
func (o *shapeFlags) check(cmd *cobra.Command, funcs []stats.Func, out string) error {
	given := ""
	for _, name := range []string{"top", "share", "pivot"} {
		if cmd.Flags().Changed(name) {
			given = name
		}
	}
	switch first := funcs[0].Op; {
	case given == "":
		return nil
	case cli.WantsJSON(cmd) || out != "" && out != "-" && !strings.EqualFold(out[max(0, len(out)-4):], ".csv"):
		return cli.Usagef("--%s arranges lines of CSV: on standard output, or in a .csv file with -o", given)
	case o.top == 0 && cmd.Flags().Changed("top"):
		return cli.Usagef("--top 0: want 1 or more, or a negative number for the least values")
	case o.share && first != stats.Sum && first != stats.Count:
		return cli.Usagef("--share: the values of %v have no sum that means something: put --sum or --count", funcs[0])
	case o.pivot != "" && (o.top != 0 || o.share):
		return cli.Usagef("--pivot excludes --top and --share, which are for one line a result")
	case o.pivot != "" && len(funcs) > 1:
		return cli.Usagef("--pivot is for one statistic, as --sum, and here are %d", len(funcs))
	}
	return nil
}

// over returns the dimensions that a pivot table reduces: those that it does not name.
func (o *shapeFlags) over(a *drx.Array, groups []*stats.Grouping) (over []int, err error) {
	var kept []int
	names := strings.Split(o.pivot, ",")
	for _, name := range names {
		at := slices.IndexFunc(groups, func(g *stats.Grouping) bool { return g.Label == groupLabel(name) })
		if at >= 0 {
			kept = append(kept, groups[at].Dim)
			continue
		}
		d, err := cli.ParseDim(a, name)
		if err != nil {
			return nil, o.wrongPivot(a, groups, name)
		}
		kept = append(kept, d)
	}
	if len(names) != 2 {
		return nil, cli.Usagef("--pivot %q: want two dimensions or groups, of rows and of columns", o.pivot)
	}
	if kept[0] == kept[1] {
		return nil, cli.Usagef("--pivot %q: want two dimensions or groups, and both are of dimension %s: its levels together are one, as with --by category/item --pivot category/item,store",
			o.pivot, cli.DimNames(a)[kept[0]])
	}
	for d := range a.Rank() {
		if !slices.Contains(kept, d) && !slices.ContainsFunc(groups, func(g *stats.Grouping) bool { return g.Dim == d }) {
			over = append(over, d)
		}
	}
	for _, g := range groups {
		if !slices.Contains(kept, g.Dim) {
			return nil, cli.Usagef("--pivot %q: the groups of dimension %s are neither rows nor columns", o.pivot, cli.DimNames(a)[g.Dim])
		}
	}
	return over, nil
}

// groupLabel returns the label of the groups of levels as they are given to --by: year_month for
// year/month.
func groupLabel(name string) string { return strings.ReplaceAll(name, "/", "_") }

// wrongPivot returns the error for a name that is neither a dimension nor a group.
func (o *shapeFlags) wrongPivot(a *drx.Array, groups []*stats.Grouping, name string) error {
	known := cli.PrintableDims(a.Dims())
	for _, g := range groups {
		if g.Label != "" {
			known = append(known, cli.Printable(g.Label))
		}
	}
	hint := "--by makes groups, as --by year"
	for attr := range a.Attrs() {
		if dim, level, ok := cube.LevelOf(attr); ok && level == name && dim < a.Rank() {
			hint = "add --by " + cli.Printable(level) + ", a level of dimension " + cli.DimNames(a)[dim]
		}
	}
	if slices.Contains(cftime.PartNames, name) {
		hint = "add --by " + name
	}
	return cli.Usagef("--pivot %q: no dimension or group %s, there are %s: %s", o.pivot, cli.Printable(name), strings.Join(known, ", "), hint)
}

// axisName returns the heading of an axis of a result.
func axisName(c *cube.Cube, x stats.Axis) string {
	if x.Group != nil && x.Group.Label != "" {
		return x.Group.Label
	}
	return cli.DimNames(c.Array())[x.Dim]
}

// axisLabel returns the label of a position of an axis.
func axisLabel(c *cube.Cube, x stats.Axis, position int) string {
	if x.Group != nil {
		return x.Group.Names[position]
	}
	return c.Label(x.Dim, x.Cells.At(position))
}

// print prints a result as CSV: one line per combination of indices, which begins with their
// labels, or a pivot table.
func (o *shapeFlags) print(to io.Writer, c *cube.Cube, r *stats.Result) error {
	w := bufio.NewWriter(to) // keeps the first error until Flush
	text := cli.CsvFields(cli.IsTerminal(to))
	if o.pivot != "" {
		o.printPivot(w, c, r, text)
		return w.Flush()
	}
	for _, x := range r.Axes {
		w.WriteString(text(axisName(c, x)) + ",")
	}
	var heading []string
	for _, column := range r.Columns {
		heading = append(heading, column.Func.String())
	}
	var shares []float64
	if o.share {
		heading, shares = append(heading, "share"), r.Shares(&r.Columns[0])
	}
	w.WriteString(strings.Join(heading, ",") + "\n")
	print := func(i int) {
		rest := i
		for k, stride := range nd.RowMajor.Strides(r.Shape()) {
			w.WriteString(text(axisLabel(c, r.Axes[k], rest/stride)) + ",")
			rest %= stride
		}
		var fields []string
		for k := range r.Columns {
			fields = append(fields, r.Text(&r.Columns[k], i))
		}
		if o.share {
			fields = append(fields, shareText(shares[i]))
		}
		w.WriteString(strings.Join(fields, ",") + "\n")
	}
	if o.top != 0 {
		for _, i := range r.Top(&r.Columns[0], o.top) {
			print(i)
		}
		return w.Flush()
	}
	for i := range r.Count {
		print(i)
	}
	return w.Flush()
}

// shareText returns a share as text, "" for none.
func shareText(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// printPivot prints a result of two axes as rows and columns.
func (o *shapeFlags) printPivot(w *bufio.Writer, c *cube.Cube, r *stats.Result, text func(string) string) {
	rows, cols := r.Axes[0], r.Axes[1]
	strides := []int{cols.Len(), 1}
	if first, _, _ := strings.Cut(o.pivot, ","); axisName(c, rows) != first && axisName(c, rows) != groupLabel(first) && strconv.Itoa(rows.Dim) != first {
		rows, cols = cols, rows
		strides[0], strides[1] = strides[1], strides[0]
	}
	w.WriteString(text(axisName(c, rows)))
	for k := range cols.Len() {
		w.WriteString("," + text(axisLabel(c, cols, k)))
	}
	w.WriteByte('\n')
	for i := range rows.Len() {
		w.WriteString(text(axisLabel(c, rows, i)))
		for k := range cols.Len() {
			w.WriteString("," + r.Text(&r.Columns[0], i*strides[0]+k*strides[1]))
		}
		w.WriteByte('\n')
	}
}
