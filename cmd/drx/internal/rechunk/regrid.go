package rechunk

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/selection"
	"drx/cmd/internal/result"
	"drx/cube"
	"drx/dataset"
	"drx/dataset/regrid"
	"drx/dataset/stats"
)

// gridCommand is the command line of coarsen or regrid.
type gridCommand struct {
	function, boundary string // of coarsen
	to, dims, method   string // of regrid
	memory             string
	make               func(ctx context.Context, from, to string, o regrid.Options) (*regrid.Report, error)
	windows            []regrid.Window
}

// NewCoarsen returns the verb coarsen.
func NewCoarsen() *cobra.Command {
	c := &gridCommand{}
	cmd := &cobra.Command{
		Use:     "coarsen SRC DST DIM=N|PERIOD[,DIM=N...]",
		Short:   "Make a dataset of the means, or other statistics, of windows of indices",
		GroupID: cli.GroupArray,
		Long: `Make one index of each N along dimensions, as xarray's coarsen. SRC is a dataset, or an array with
its coordinates; DST becomes a dataset, which appears when it is complete. All variables that have
one of the dimensions change, others are copied. Values, missing ones and units are those of
drx stats: float64, or 64-bit integers for sums, extremes and counts of integers. Coordinates are
the means of the old ones, bounds the outer ones of the old.

A dimension of times also has windows of a PERIOD, as --every of drx stats: 6h, 1D, 1M. Their times
are the beginnings, with both ends as bounds; a period without times has no value.

A window that does not divide its dimension is refused, unless --boundary trim leaves out what is
left at the end, or pad makes a smaller window of it.`,
		Example: `  drx coarsen era coarse lat=4,lon=4
  drx coarsen era/t2m pairs time=2 --func max --boundary trim
  drx coarsen era daily time=1D,lat=4,lon=4`,
		Args:              cli.Exactly("SRC", "DST", "DIM=N"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if c.windows, err = regrid.ParseWindows(args[2]); err != nil {
				return gridError(err)
			}
			return c.run(cmd, args[0], args[1])
		},
	}
	c.make = c.coarsen
	f := cmd.Flags()
	f.StringVar(&c.function, "func", "mean", "`statistic`: mean, sum, min, max, count, std, var, median, p90 or another one of drx stats")
	f.StringVar(&c.boundary, "boundary", "exact", "`what` becomes of indices that fill no window: exact refuses, trim, pad")
	cli.CompleteFlag(cmd, "boundary", cobra.FixedCompletions(regrid.Boundaries, cobra.ShellCompDirectiveNoFileComp))
	c.addMemory(cmd)
	return cmd
}

// NewRegrid returns the verb regrid.
func NewRegrid() *cobra.Command {
	c := &gridCommand{}
	cmd := &cobra.Command{
		Use:     "regrid SRC DST --to GRID",
		Short:   "Make a dataset with values at other coordinates",
		GroupID: cli.GroupArray,
		Long: `Compute the values of a dataset, or of an array with its coordinates, at the coordinates of GRID: a
dataset, an array with coordinates, or FIRST:LAST:STEP or values for some dimensions, in their
units. Times are numbers as stored, or dates, and steps are then s, min, h, D, W, M or Y, as in
time=2020-01-01:2020-02-01:6h; a date is its first moment. DST becomes a dataset, which appears
when it is complete. All variables that have one of the dimensions change, others are copied;
dimensions that GRID does not have stay. Each dimension of SRC that changes has a coordinate of its
own, which ascends or descends.

--method linear interpolates along each dimension. Where there is no neighbour, or a neighbour is
missing, the result is missing. mean is for coarser grids: the mean of what a new cell shares with
old cells, of those that are not missing; latitudes by area. Cells are the bounds of coordinates, or
lie halfway between them. nearest copies the stored element with the nearest coordinate, also
outside of the source; of two at the same distance at the larger one.

Longitudes with the units degrees_east are compared modulo 360, and linear and mean go across the
seam of a grid all around the earth. Results of linear and mean are unpacked: float32 from arrays of
float32, float64 from others.`,
		Example: `  drx regrid era regular --to lat=-90:90:1,lon=0:360:1 --method mean
  drx regrid era/t2m at_stations --to stations --method nearest
  drx regrid buoy hourly --to time=2020-01-01:2020-02-01:1h`,
		Args:              cli.Exactly("SRC", "DST"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0], args[1]) },
	}
	c.make = c.regrid
	f := cmd.Flags()
	f.StringVar(&c.to, "to", "", "`grid`: a dataset or array, or lat=-90:90:1,lon=0:360:1, or time=2020-01-01:2020-02-01:6h")
	f.StringVar(&c.dims, "dims", "", "`dimensions` of the dataset or array of --to that count (default: all)")
	f.StringVar(&c.method, "method", "linear", "`how`: nearest, linear or mean")
	cli.CompleteFlag(cmd, "method", cobra.FixedCompletions(regrid.Methods, cobra.ShellCompDirectiveNoFileComp))
	c.addMemory(cmd)
	return cmd
}

func (c *gridCommand) addMemory(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.memory, "memory", "256MiB", "`bytes` of memory for buffers, at least 32MiB")
}

// coarsen makes the dataset of coarsen.
func (c *gridCommand) coarsen(ctx context.Context, from, to string, o regrid.Options) (*regrid.Report, error) {
	f, err := stats.ParseFunc(c.function)
	if err != nil {
		return nil, cli.Usagef("--func %s: want mean, sum, min, max, count, std, var, median, p90 or another statistic", cli.Printable(c.function))
	}
	boundary, err := regrid.ParseBoundary(c.boundary)
	if err != nil {
		return nil, err
	}
	return regrid.Coarsen(ctx, from, to, c.windows, regrid.Coarsening{Func: f, Boundary: boundary}, o)
}

// regrid makes the dataset of regrid.
func (c *gridCommand) regrid(ctx context.Context, from, to string, o regrid.Options) (*regrid.Report, error) {
	if c.to == "" {
		return nil, cli.Usagef("regrid needs --to, a dataset or array with the coordinates, or steps, as in lat=-90:90:1")
	}
	method, err := regrid.ParseMethod(c.method)
	if err != nil {
		return nil, err
	}
	var dims []string
	if c.dims != "" {
		dims = selection.FieldsOf(c.dims)
	}
	grid, err := regrid.ParseTarget(c.to, dims)
	if err != nil {
		return nil, arrays.NotFound(c.to, err)
	}
	return regrid.Regrid(ctx, from, to, grid, method, o)
}

// run makes the dataset and prints what it has.
func (c *gridCommand) run(cmd *cobra.Command, from, to string) error {
	memory, err := cli.ParseBytes("--memory", c.memory)
	if err != nil {
		return err
	}
	if err := cli.CheckNewName(cmd, to); err != nil {
		return err
	}
	if err := datasets.CheckNoArray(to); err != nil {
		return err
	}
	bars := &progress.Bars{Cmd: cmd}
	report, err := c.make(cmd.Context(), from, to, regrid.Options{Memory: memory, Progress: bars.Report})
	bars.End()
	if err != nil {
		return gridError(arrays.NotFound(from, err))
	}
	for _, note := range report.Notes {
		cli.NoteOf(cmd, from, note)
	}
	made := result.NewRegridding(to, report)
	var dims []string
	for _, dim := range made.Dims {
		text := cli.Printable(dim.Name) + " " + strconv.Itoa(dim.To) + " of " + strconv.Itoa(dim.From)
		if dim.Wraps {
			text += " (modulo 360 degrees east)"
		}
		dims = append(dims, text)
	}
	return cli.Confirm(cmd, made, "%s: %s; %s\n", cli.Printable(to), strings.Join(dims, ", "), cli.Printable(strings.Join(made.Variables, ", ")))
}

// gridError marks errors about the command line.
func gridError(err error) error {
	for _, wrong := range []error{fs.ErrExist, fs.ErrInvalid, dataset.ErrDim, dataset.ErrVariable, dataset.ErrValue, cube.ErrLabel, drx.ErrDType, drx.ErrBounds, drx.ErrRank} {
		if errors.Is(err, wrong) {
			return cli.AsWrongUsage(err)
		}
	}
	return cli.AsOptionUsageError(err)
}
