package query

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/scaled"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
	"drx/dataset/stats"
	"drx/formats"
)

// statsOptions are the flags of stats.
type statsOptions struct {
	selection.Flags
	groupFlags
	shapeFlags
	companions        companionFlags
	over, out, memory string
	percentiles       string
	ddof, version     int
	on                map[stats.Func]*bool // the statistics that have a flag
	team              cli.Team
	gate              *cli.Gate // before the processes compute
}

// usualStats are what stats computes without a flag; sum, the other name of the verb, computes
// sums.
var usualStats = []stats.Func{
	{Op: stats.Count}, {Op: stats.Missing}, {Op: stats.Mean}, {Op: stats.Std}, {Op: stats.Min}, {Op: stats.Max},
}

// NewStats returns the verb stats.
func NewStats(team cli.Team) *cobra.Command {
	o := statsOptions{team: team, gate: team.Gate("begin of stats")}
	cmd := &cobra.Command{
		Use:     "stats ARRAY",
		Aliases: []string{"sum"},
		Short:   "Compute sums, means, extremes, percentiles and more over dimensions",
		GroupID: cli.GroupFirst,
		Long: `Compute statistics of an array over some dimensions, or over all of them, and print one line of
CSV for each combination of indices in the other dimensions, with labels or values of coordinates
where there are any. Each statistic that a flag asks for is a column; the array is read once for all
of them. Without such a flag they are count, missing, mean, std, min and max; sum is another name of
the verb, and computes the sum. --section and --at select by indices, --sel by labels and
coordinates, see read.

-o writes a .csv file, one statistic as a .npy file, or a file of another format that export
writes, as .nc. A name without an extension, or with .drx, makes an array of one statistic of an
array without coordinates, and otherwise a dataset: a variable for each statistic, with the
coordinates and labels that remain, units by statistic and cell_methods. A name in a dataset makes
a variable there.

NaN, elements that hold the fill value, and what the attributes _FillValue and missing_value list
are missing and left out. A fill value of zero that no such attribute names is a value. A result
without any value is empty in CSV, NaN or 0 in .npy, and has a count of 0. The attributes
scale_factor and add_offset are applied to the elements first, and a note says so.

--by divides the dimension that has times, or labels that are dates, into groups: year, quarter,
season, month, dayofyear, day or hour; --by category the dimension with that level of its labels,
see labels --level. Levels go down from the coarsest, with the name of the dimension for its
labels: --by year/month, --by category/item. Repeat it for several dimensions. --by
store=regions.csv takes the groups of a dimension from a table, whose first column has labels or
values of the coordinate, and the second one groups. --every 6h, 1D, 1M or 1Y has a group for each
period, --every 10 for each 10 indices, and --rolling 7 for each window of 7 indices, with the label
of the last. Give DIM=VALUE where it is not the dimension of times. Elements of a group are reduced
along its dimension, and over --over.

--pivot store,category prints one statistic as a table of rows and columns, and reduces all other
dimensions; --top 5 prints the five largest values of the first statistic, --top -5 the least;
--share adds the share of each sum or count in that of all results.

--weights area weighs by the area of the cells of a grid, by their latitude, and --weights w by the
array w, which has some of the dimensions. --where 'depth<=200' leaves out, and does not call
missing, what is not where the array depth has values of up to 200.

Sums of integers are exact with 64 bits; overflow is an error. Floating-point numbers are added as
float64 with twice as many digits. The standard deviation is that of the values as they are;
--ddof 1 is for values that are a sample. Percentiles are exact, and linear between two values;
more values than --memory holds are read three times or more. The result has the same bits on any
number of processors.`,
		Example: `  drx stats sales
  drx stats sst --over time --mean --std --percentile 5,95
  drx stats sst --by month --mean
  drx stats sst --every 1M --mean --max -o monthly
  drx stats weather/rain --over time --mean -o weather/mean_rain
  drx stats sst --over lat,lon --weights area --mean
  drx stats sst --over lat,lon --where 'land==0' --mean
  drx stats sales --every date=7 --over item --sum
  drx stats sales --over date,store --sel date=2013-01-01..2013-12-31 --mean
  drx sum sales --by category --by date=quarter --pivot category,quarter
  drx sum sales --over date --top 3 --share
  drx sum sales --over item -o by_day_and_store.npy`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			req, err := o.request(cmd)
			if err == nil {
				err = arrays.WithVersion(cmd, args[0], o.version, func(a *drx.Array) error { return o.stats(cmd, a, req) })
			}
			return o.gate.Leave(err)
		},
	}
	o.Flags.AddTo(cmd)
	o.addFlags(cmd.Flags())
	o.groupFlags.addTo(cmd)
	o.shapeFlags.addTo(cmd)
	o.companions.addTo(cmd)
	arrays.AddVersionFlag(cmd, &o.version)
	cli.CompleteFlag(cmd, "over", arrays.CompleteDims)
	return cmd
}

func (o *statsOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.over, "over", "", "`dimensions` to reduce: numbers or names (default: all, or none besides that of the groups)")
	o.on = map[stats.Func]*bool{}
	for _, s := range stats.Named() {
		o.on[s] = f.Bool(s.String(), false, "compute "+s.Help())
	}
	f.StringVar(&o.percentiles, "percentile", "", "compute `percentiles`, as in 5,50,99.9")
	f.IntVar(&o.ddof, "ddof", 0, "divide the variances of --var and --std by the count less this `number`")
	f.StringVar(&o.memory, "memory", "256MiB", "`bytes` of memory for buffers, as in 64MiB")
	f.StringVarP(&o.out, "output", "o", "", "`file` to write, .csv, .npy or another format, or array or dataset to make (default: CSV on standard output)")
}

// request returns the request that the flags describe, except for its dimensions.
func (o *statsOptions) request(cmd *cobra.Command) (stats.Request, error) {
	if cmd.Flags().Changed("over") && o.over == "" {
		return stats.Request{}, cli.Usagef("%s: --over needs a value: dimensions, as in time,y; leave it out for all", cmd.CalledAs())
	}
	req := stats.Request{DDOF: o.ddof}
	var err error
	if req.Memory, err = cli.ParseBytes("--memory", o.memory); err != nil {
		return req, err
	}
	if req.Funcs, err = o.funcs(cmd); err != nil {
		return req, err
	}
	if err := o.shapeFlags.check(cmd, req.Funcs, o.out); err != nil {
		return req, err
	}
	if o.ddof < 0 {
		return req, cli.Usagef("--ddof %d: want 0 or more", o.ddof)
	}
	if err := checkStatsOutput(o.out); err != nil {
		return req, err
	}
	if len(req.Funcs) > 1 && isNPY(o.out) {
		return req, cli.Usagef("-o %s: a .npy file holds one statistic, not %d: choose one, or write a .csv file", o.out, len(req.Funcs))
	}
	return req, cli.CheckNotJSON(cmd, o.out != "", "-o")
}

// funcs returns the statistics that the flags ask for.
func (o *statsOptions) funcs(cmd *cobra.Command) (funcs []stats.Func, err error) {
	for _, f := range stats.Named() {
		if *o.on[f] {
			funcs = append(funcs, f)
		}
	}
	if o.percentiles == "" && funcs == nil {
		if funcs = usualStats; cmd.CalledAs() == "sum" {
			funcs = []stats.Func{{Op: stats.Sum}}
		}
	}
	for _, text := range selection.FieldsOf(o.percentiles) {
		percent, err := stats.ParsePercent(strings.TrimSpace(text))
		if err != nil {
			return nil, cli.AsOptionUsageError(err)
		}
		if f := (stats.Func{Op: stats.Quantile, Percent: percent}); !slices.Contains(funcs, f) {
			funcs = append(funcs, f)
		}
	}
	return funcs, nil
}

// stats computes and prints or saves the result.
func (o *statsOptions) stats(cmd *cobra.Command, a *drx.Array, req stats.Request) (err error) {
	found, c, err := o.prepare(cmd, a, &req)
	defer func() { err = errors.Join(err, o.companions.close()) }()
	if err := o.gate.Pass(err); err != nil {
		return err
	}
	sel := found.Sel
	r, err := o.compute(cmd, a, req)
	if err != nil || !o.team.First() {
		return err
	}
	if needsNote(req.Funcs) {
		cli.Note(cmd, a, scaled.MeaningOf(a, true).Within(sel).Note)
	}
	switch {
	case makesArrays(o.out):
		return saveArrays(cmd, o.out, a, found.Axes, &req, r)
	case cli.WantsJSON(cmd):
		return cli.PrintJSON(cmd.OutOrStdout(), newStatsResult(a, sel, r))
	case isForeign(o.out):
		return exportStats(cmd, o.out, a, found.Axes, &req, r)
	case o.out == "" || o.out == "-":
		return o.print(cmd.OutOrStdout(), c, r)
	case isNPY(o.out):
		return outfile.Replace(o.out, func(w io.Writer) error { return saveStatistic(w, r) })
	}
	return outfile.Replace(o.out, func(w io.Writer) error { return o.print(w, c, r) })
}

// prepare completes a request by what the flags say about the array.
func (o *statsOptions) prepare(cmd *cobra.Command, a *drx.Array, req *stats.Request) (found selection.Selection, c *cube.Cube, err error) {
	o.Sel = append(o.Sel, o.companions.conditions()...)
	if found, err = o.Of(a); err != nil {
		return found, c, err
	}
	cli.Note(cmd, a, found.Note)
	if c, err = found.Axes.Cube(); err != nil {
		return found, c, err
	}
	req.Select = found.Sel
	if err := o.companions.apply(a, req); err != nil {
		return found, c, err
	}
	for _, text := range selection.FieldsOf(o.over) {
		d, err := cli.ParseDim(a, text)
		if err != nil {
			return found, c, err
		}
		req.Over = append(req.Over, d)
	}
	if req.Groups, err = o.grouping(a, found.Sel); err == nil && o.pivot != "" {
		req.Over, err = o.pivotOver(a, req.Groups)
	}
	return found, c, err
}

// pivotOver returns the dimensions to reduce for a pivot table.
func (o *statsOptions) pivotOver(a *drx.Array, groups []*stats.Grouping) ([]int, error) {
	if o.over != "" {
		return nil, cli.Usagef("--pivot excludes --over: all dimensions are reduced that it does not name")
	}
	return o.shapeFlags.over(a, groups)
}

// compute returns the result, on the first process.
func (o *statsOptions) compute(cmd *cobra.Command, a *drx.Array, req stats.Request) (r *stats.Result, err error) {
	p := progress.New(cmd, selection.SelectionBytes(a, req.Select))
	req.Progress = func(elements int) { p.Add(elements * a.DType().Size()) }
	req.Goroutines = o.team.Goroutines
	if o.team.Comm == nil {
		r, err = stats.Compute(cmd.Context(), a, req)
	} else {
		r, err = stats.ComputeParallel(cmd.Context(), o.team.Comm, a, req)
	}
	p.End()
	if errors.Is(err, drx.ErrRank) || errors.Is(err, drx.ErrDType) || errors.Is(err, drx.ErrBounds) {
		return nil, cli.AsUsageError(err)
	}
	return r, err
}

// needsNote reports whether a statistic depends on the scale of the values.
func needsNote(funcs []stats.Func) bool {
	for _, f := range funcs {
		if !f.IsCount() {
			return true
		}
	}
	return false
}

func isNPY(name string) bool { return strings.EqualFold(filepath.Ext(name), ".npy") }

// saveStatistic writes the only statistic of a result as a .npy file.
func saveStatistic(to io.Writer, r *stats.Result) error {
	column := &r.Columns[0]
	w, err := formats.Create(to, "npy", formats.Info{DType: column.DType, Shape: r.Shape()})
	if err != nil {
		return err
	}
	if err := w.WriteSection(nil, column.Data); err != nil {
		return err
	}
	return w.Close()
}
