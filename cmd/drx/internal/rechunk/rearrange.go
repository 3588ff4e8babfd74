package rechunk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/interrupt"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
	"drx/dataset"
	"drx/nd"
)

// rearrangeCommand is the command line of cut or sort.
type rearrangeCommand struct {
	selection.Flags
	dim, memory  string
	plan, resume bool
	// choose returns a dimension and its indices in the copy.
	choose func(a *drx.Array, found selection.Selection) (int, cube.Indices, error)
}

const rearrangeHelp = `SRC is an array that belongs to no dataset, or a dataset, of which
all variables that have the dimension change: elements, coordinate, bounds, labels, and attributes
with a value for each index follow. The first index stays what it was. Chunks, fill value and codec
are kept.

--plan prints what would be copied. After an interruption the same command with --resume goes on,
if SRC has not changed. A dataset appears when it is complete; without --resume its copy begins
again. An array that is not complete cannot be read; drx rm removes it.`

// NewCut returns the verb cut.
func NewCut() *cobra.Command {
	c := &rearrangeCommand{}
	cmd := &cobra.Command{
		Use:     "cut SRC DST",
		Short:   "Copy an array or a dataset without a range of a dimension",
		GroupID: cli.GroupArray,
		Long: `Copy without some indices of one dimension, which --sel selects by labels and coordinates, --at
by indices. They may be anywhere: drx shrink removes those at an end, without a copy.

` + rearrangeHelp,
		Example: `  drx cut weather shorter --sel time=2024-02-10..2024-02-12
  drx cut A B --at x=3:7
  drx cut weather shorter --sel 'station=x|y' --plan`,
		Args:              cli.Exactly("SRC", "DST"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0], args[1]) },
	}
	c.choose = c.without
	f := cmd.Flags()
	f.StringVar(&c.At, "at", "", "`indices` of one dimension: time=3, y=0:100")
	cli.CompleteFlag(cmd, "at", arrays.CompleteDims)
	c.AddSelTo(cmd)
	// cut removes exactly what was named, not the nearest value.
	method := f.Lookup("method")
	c.Method, method.DefValue = dataset.Exact.String(), dataset.Exact.String()
	method.Usage = "`how` --sel takes single values of coordinates: exact, nearest, or usual: numbers nearest, dates exact"
	c.addFlags(cmd)
	return cmd
}

// NewSort returns the verb sort.
func NewSort() *cobra.Command {
	c := &rearrangeCommand{}
	cmd := &cobra.Command{
		Use:     "sort SRC DST",
		Short:   "Copy an array or a dataset in the order of a coordinate",
		GroupID: cli.GroupArray,
		Long: `Copy with the indices of a dimension in the order of its coordinate, which ascends, or of its
labels, as text: what was appended late comes to its place.

` + rearrangeHelp,
		Example: `  drx sort weather sorted --by time
  drx sort sales sorted --by item --plan`,
		Args:              cli.Exactly("SRC", "DST"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.dim == "" {
				return cli.Usagef("sort needs --by, the dimension whose coordinate or labels are sorted")
			}
			return c.run(cmd, args[0], args[1])
		},
	}
	c.choose = c.sorted
	cmd.Flags().StringVar(&c.dim, "by", "", "`dimension` whose coordinate or labels are sorted")
	cli.CompleteFlag(cmd, "by", arrays.CompleteDims)
	c.addFlags(cmd)
	return cmd
}

func (c *rearrangeCommand) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.memory, "memory", "64MiB", "`bytes` of memory for the buffer, as in 16MiB")
	f.BoolVar(&c.plan, "plan", false, "print what would be copied, and copy nothing")
	f.BoolVar(&c.resume, "resume", false, "continue a copy that was interrupted")
}

// A rearrangedVar is a variable of a copy, as JSON.
type rearrangedVar struct {
	Name    string `json:"name"`
	Shape   []int  `json:"shape"`
	Bytes   int64  `json:"bytes"`
	Changes bool   `json:"changes"` // it has the dimension
}

// A rearrangeResult is what cut and sort print as JSON.
type rearrangeResult struct {
	Name      string          `json:"name"`
	State     string          `json:"state"`
	Dim       string          `json:"dim"`
	Extent    [2]int          `json:"extent"`
	Variables []rearrangedVar `json:"variables"`
}

// run copies an array or a dataset.
func (c *rearrangeCommand) run(cmd *cobra.Command, from, to string) error {
	memory, err := cli.ParseBytes("--memory", c.memory)
	if err != nil {
		return err
	}
	if arrays.IsDataset(from) {
		return c.runDataset(cmd, from, to, memory)
	}
	if err := datasets.CheckOtherKind(to); err != nil {
		return err
	}
	return arrays.With(from, false, func(a *drx.Array) error {
		if folder, _, err := dataset.Find(a.Name()); err != nil || folder != "" {
			return errors.Join(err, cli.Usagef("%s: %s belongs to the dataset %s, whose other variables have the same indices: %s the dataset", cmd.Name(),
				cli.Printable(a.Name()), cli.Printable(folder), cmd.Name()))
		}
		found, err := c.Of(a)
		if err != nil {
			return err
		}
		k, kept, err := c.choose(a, found)
		if err != nil {
			return err
		}
		r := rearrangeResult{Name: to, Dim: cli.DimNames(a)[k], Extent: [2]int{a.Shape()[k], kept.Len()}}
		r.add(a.Name(), a, a.Bounds(), k)
		return c.finish(cmd, r, memory, func(ctx context.Context, o dataset.RearrangeOptions) error {
			return dataset.RearrangeArray(ctx, a, to, dataset.Rearrangement{Dim: fmt.Sprint(k), Indices: kept}, o)
		})
	})
}

// add adds a variable to a result; k is the number of the dimension in it, -1 if it lacks the
// dimension.
func (r *rearrangeResult) add(name string, a *drx.Array, bounds nd.Section, k int) {
	shape := bounds.Shape()
	if k >= 0 {
		shape[k] = r.Extent[1]
	}
	n, _ := nd.Product(shape...) // of an array
	r.Variables = append(r.Variables, rearrangedVar{name, shape, int64(n * a.DType().Size()), k >= 0})
}

// runDataset copies a dataset.
func (c *rearrangeCommand) runDataset(cmd *cobra.Command, from, to string, memory int) error {
	if err := datasets.CheckNoArray(to); err != nil {
		return err
	}
	var r rearrangeResult
	var kept cube.Indices
	err := arrays.WithDataset(from, func(d *dataset.Dataset) error {
		v, found, err := c.variableOf(d)
		if err != nil {
			return err
		}
		var k int
		if k, kept, err = c.choose(v.Array(), found); err != nil {
			return err
		}
		if r.Dim = v.Dims()[k]; r.Dim == "" {
			return cli.Usagef("%s: dimension %d of %s has no name, so no other variable has it: copy the variable alone", cli.Printable(from), k, cli.Printable(v.Name()))
		}
		r.Name, r.Extent = to, [2]int{v.Bounds()[k].Len(), kept.Len()}
		return r.addAll(d)
	})
	if err != nil {
		return err
	}
	return c.finish(cmd, r, memory, func(ctx context.Context, o dataset.RearrangeOptions) error {
		return dataset.Rearrange(ctx, from, to, dataset.Rearrangement{Dim: r.Dim, Indices: kept}, o)
	})
}

// variableOf returns the first variable of a dataset that has the dimension of --by, or those of
// the selection, with its selection.
func (c *rearrangeCommand) variableOf(d *dataset.Dataset) (v *dataset.Variable, found selection.Selection, err error) {
	dims := c.Dims()
	if c.dim != "" {
		dims = []string{c.dim}
	}
	names := d.Variables()
	for _, name := range dims {
		dim, err := d.Dim(name)
		if err != nil {
			return nil, found, cli.AsWrongUsage(err)
		}
		names = slices.DeleteFunc(names, func(v string) bool { return !slices.Contains(dim.Variables, v) })
	}
	if len(names) == 0 && len(dims) > 0 {
		return nil, found, cli.Usagef("no variable of %s has %s: select indices of one dimension", cli.Printable(d.Folder()), strings.Join(dims, " and "))
	}
	if len(names) == 0 {
		return nil, found, cli.Usagef("%s has no variables", cli.Printable(d.Folder()))
	}
	if v, err = d.Variable(names[0]); err == nil {
		found, err = c.Of(v.Array())
	}
	return v, found, err
}

// addAll adds the variables of a dataset to a result.
func (r *rearrangeResult) addAll(d *dataset.Dataset) error {
	for _, name := range d.Variables() {
		v, err := d.Variable(name)
		if err != nil {
			return err
		}
		r.add(name, v.Array(), v.Bounds(), slices.Index(v.Dims(), r.Dim))
	}
	return nil
}

// finish prints the plan, or copies and prints the result.
func (c *rearrangeCommand) finish(cmd *cobra.Command, r rearrangeResult, memory int, copyAll func(context.Context, dataset.RearrangeOptions) error) error {
	if r.State = "copied"; c.plan {
		r.State = "planned"
		return c.print(cmd, r)
	}
	bars := &progress.Bars{Cmd: cmd}
	o := dataset.RearrangeOptions{Memory: memory, Resume: c.resume, Keep: true, Progress: bars.Report}
	err := copyAll(cmd.Context(), o)
	bars.End()
	switch {
	case err != nil && cmd.Context().Err() != nil:
		return interrupt.WithKept(err, "the same command with --resume continues")
	case errors.Is(err, fs.ErrExist), errors.Is(err, dataset.ErrDim), errors.Is(err, dataset.ErrMismatch), errors.Is(err, cube.ErrLabel):
		return cli.AsUsageError(cli.AsWrongUsage(err))
	case err != nil:
		return err
	}
	return c.print(cmd, r)
}

// print prints a plan or a result.
func (c *rearrangeCommand) print(cmd *cobra.Command, r rearrangeResult) error {
	if cli.WantsJSON(cmd) {
		return cli.PrintJSON(cmd.OutOrStdout(), r)
	}
	var bytes int64
	for _, v := range r.Variables {
		bytes += v.Bytes
		if c.plan {
			note := ""
			if !v.Changes {
				note = ", as it is"
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s%s\n", cli.Printable(v.Name), cli.FormatShape(v.Shape), cli.ByteSize(v.Bytes), note)
		}
	}
	text := map[bool]string{true: "to copy", false: "copied"}[c.plan]
	line := fmt.Sprintf("%s: %s %d of %d, %s %s\n", cli.Printable(r.Name), cli.Printable(r.Dim), r.Extent[1], r.Extent[0], cli.ByteSize(bytes), text)
	if c.plan {
		_, err := fmt.Fprint(cmd.OutOrStdout(), line)
		return err
	}
	return cli.Confirm(cmd, r, "%s", line)
}

// without returns the indices of the selected dimension that were not selected.
func (c *rearrangeCommand) without(a *drx.Array, found selection.Selection) (int, cube.Indices, error) {
	bounds, chosen := found.Axes.Bounds(), -1
	for d, x := range found.Sel {
		if x.Len() == bounds[d].Len() {
			continue
		}
		if chosen >= 0 {
			return 0, nil, cli.Usagef("cut: %s and %s are selected: select indices of one dimension", cli.DimNames(a)[chosen], cli.DimNames(a)[d])
		}
		chosen = d
	}
	if chosen < 0 && len(c.Dims()) > 0 {
		return 0, nil, cli.Usagef("cut: all indices of %s are selected: nothing would be left", strings.Join(c.Dims(), ", "))
	}
	if chosen < 0 {
		return 0, nil, cli.Usagef("cut: select what is to be left out of one dimension, with --sel or --at: time=2024-02-10..2024-02-12")
	}
	return chosen, dataset.Without(bounds[chosen], found.Sel[chosen]), nil
}

// sorted returns the indices of the dimension of --by in the order of its coordinate or labels.
func (c *rearrangeCommand) sorted(a *drx.Array, found selection.Selection) (int, cube.Indices, error) {
	k, err := cli.ParseDim(a, c.dim)
	if err != nil {
		return 0, nil, err
	}
	coordinate, err := found.Axes.Coordinate(k)
	if err != nil {
		return 0, nil, err
	}
	if coordinate != nil {
		sorted, err := coordinate.Sorted()
		return k, sorted, cli.AsSelectUsageError(err)
	}
	names, err := found.Axes.Cube()
	if err != nil {
		return 0, nil, err
	}
	first, labels := names.Labels(k)
	if bounds := found.Axes.Bounds()[k]; len(labels) != bounds.Len() || first != bounds.Lo {
		return 0, nil, cli.Usagef("sort: dimension %s of %s has neither a coordinate nor a label for each index", cli.DimNames(a)[k], cli.Printable(a.Name()))
	}
	return k, dataset.SortedBy(first, labels), nil
}
