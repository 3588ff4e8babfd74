package query

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/scaled"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
	"drx/formats"
)

// sumOptions are the flags of sum.
type sumOptions struct {
	selection.Flags
	over, out             string
	mean, min, max, count bool
	version               int
}

// NewSum returns the verb sum.
func NewSum() *cobra.Command {
	var o sumOptions
	cmd := &cobra.Command{
		Use:     "sum ARRAY",
		Short:   "Sum an array over dimensions",
		GroupID: cli.GroupData,
		Long: `Sum the elements of an array over some dimensions, or over all of them, and print one line of
CSV for each combination of indices in the other dimensions, with labels or values of
coordinates where there are any; see append --coords. -o writes the result to a .csv or .npy
file. --section and --at select by indices, --sel by labels and coordinates, see read.

Elements that hold the fill value, or what the attributes _FillValue and missing_value list, are
empty cells and are left out. A fill value of zero that no such attribute names is a value. If it is NaN, every NaN is an empty cell. A result without any cell is empty in CSV, NaN
or 0 in .npy, and has a count of 0.

Sums of integers are exact with 64 bits; overflow is an error. Floating-point numbers are
added as float64 in the order of the file. The attributes scale_factor and add_offset are applied
to the result, which is float64 then, and a note says so.`,
		Example: `  drx sum sales --over date
  drx sum sales --over date,store --sel date=2013-01-01..2013-12-31 --mean
  drx sum sales --over item -o by_day_and_store.npy`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("over") && o.over == "" {
				return cli.Usagef("sum: --over needs a value: dimensions, as in time,y; leave it out for all")
			}
			op, err := o.op()
			if err != nil {
				return err
			}
			if err := cli.CheckExtension(o.out, ".npy", ".csv"); err != nil {
				return err
			}
			if err := cli.CheckNotJSON(cmd, o.out != "", "-o"); err != nil {
				return err
			}
			return arrays.WithVersion(cmd, args[0], o.version, func(a *drx.Array) error { return o.sum(cmd, a, op) })
		},
	}
	o.Flags.AddTo(cmd)
	f := cmd.Flags()
	f.StringVar(&o.over, "over", "", "`dimensions` to sum over: numbers or names (default: all)")
	f.BoolVar(&o.mean, "mean", false, "print the mean instead of the sum")
	f.BoolVar(&o.min, "min", false, "print the smallest value")
	f.BoolVar(&o.max, "max", false, "print the largest value")
	f.BoolVar(&o.count, "count", false, "print the number of cells that are not empty")
	f.StringVarP(&o.out, "output", "o", "", ".csv or .npy `file` to write (default: CSV on standard output)")
	arrays.AddVersionFlag(cmd, &o.version)
	cli.CompleteFlag(cmd, "over", arrays.CompleteDims)
	return cmd
}

// op returns the operation that the flags select.
func (o *sumOptions) op() (cube.Op, error) {
	op := cube.Sum
	for _, flag := range []struct {
		given bool
		op    cube.Op
	}{{o.mean, cube.Mean}, {o.min, cube.Min}, {o.max, cube.Max}, {o.count, cube.Count}} {
		switch {
		case flag.given && op != cube.Sum:
			return 0, cli.Usagef("sum: --%v and --%v exclude each other", op, flag.op)
		case flag.given:
			op = flag.op
		}
	}
	return op, nil
}

// sum computes and prints or saves the result.
func (o *sumOptions) sum(cmd *cobra.Command, a *drx.Array, op cube.Op) error {
	c, sel, err := o.CubeOf(cmd, a)
	if err != nil {
		return err
	}
	over := cube.Over{}
	if o.over != "" {
		for text := range strings.SplitSeq(o.over, ",") {
			d, err := cli.ParseDim(a, text)
			if err != nil {
				return err
			}
			over.Dims = append(over.Dims, d)
		}
	}
	p := progress.New(cmd, selection.SelectionBytes(a, sel))
	over.Progress = func(cells int) { p.Add(cells * a.DType().Size()) }
	m := scaled.MeaningOf(a, true).Within(sel)
	if err := m.OverBands(a, sel, over, op); err != nil {
		return err
	}
	m.Over(a, &over)
	r, err := c.Reduce(cmd.Context(), sel, m.StoredOp(op), over)
	p.End()
	if err == nil && op != cube.Count {
		cli.Note(cmd, a, m.Note)
	}
	switch {
	case errors.Is(err, drx.ErrRank): // a dimension given twice
		return cli.AsUsageError(err)
	case err != nil:
		return err
	}
	m.ScaleAll(r, op)
	switch {
	case cli.WantsJSON(cmd):
		return cli.PrintJSON(cmd.OutOrStdout(), newSumResult(a, sel, r))
	case o.out == "" || o.out == "-":
		return printSums(cmd.OutOrStdout(), c, sel, r)
	case strings.EqualFold(filepath.Ext(o.out), ".npy"):
		return outfile.Replace(o.out, func(w io.Writer) error { return saveSums(w, r) })
	}
	return outfile.Replace(o.out, func(w io.Writer) error { return printSums(w, c, sel, r) })
}

// saveSums writes a result as a .npy file.
func saveSums(to io.Writer, r *cube.Result) error {
	w, err := formats.Create(to, "npy", formats.Info{DType: r.DType, Shape: r.Shape()})
	if err != nil {
		return err
	}
	if err := w.WriteSection(nil, r.Data); err != nil {
		return err
	}
	return w.Close()
}
