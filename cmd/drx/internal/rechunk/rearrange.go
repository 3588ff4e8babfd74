package rechunk

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/interrupt"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/selection"
	"drx/cmd/internal/result"
	"drx/cube"
	"drx/dataset"
)

// rearrangeCommand is the command line of cut or sort.
type rearrangeCommand struct {
	selection.Flags
	dim, memory  string
	plan, resume bool
	// choose chooses the indices that the copy has of a dimension.
	choose func(r *dataset.Rearranger) error
}

const rearrangeHelp = `SRC is a dataset, or an array that belongs to none. In a dataset all variables with the
dimension change. The coordinate, its bounds, labels, and attributes with a value for each index
follow. The first index stays what it was. Chunks, fill value and codec are kept.

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
	c.choose = c.cut
	f := cmd.Flags()
	selection.AddAtTo(cmd, &c.At, "`indices` of one dimension: time=3, y=0:100")
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
labels, as text, so that what was appended late is in order.

` + rearrangeHelp,
		Example: `  drx sort weather sorted --by time
  drx sort sales by_item --by item --plan`,
		Args:              cli.Exactly("SRC", "DST"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.dim == "" {
				return cli.Usagef("sort needs --by, the dimension whose coordinate or labels are sorted")
			}
			return c.run(cmd, args[0], args[1])
		},
	}
	c.choose = c.sort
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

// run copies an array or a dataset.
func (c *rearrangeCommand) run(cmd *cobra.Command, from, to string) error {
	memory, err := cli.ParseBytes("--memory", c.memory)
	if err == nil {
		err = cli.CheckNewName(cmd, to)
	}
	if err != nil {
		return err
	}
	check := datasets.CheckOtherKind
	if arrays.IsDataset(from) {
		check = datasets.CheckNoArray
	}
	if err := check(to); err != nil {
		return err
	}
	r, err := dataset.NewRearranger(from, c.dims()...)
	if err != nil {
		return arrays.NotFound(from, rearrangeError(err))
	}
	if err := c.choose(r); err != nil {
		return errors.Join(rearrangeError(err), r.Close())
	}
	if c.plan {
		return errors.Join(c.print(cmd, result.NewRearrangement(to, result.Planned, r)), r.Close())
	}
	return c.copyAll(cmd, r, to, memory)
}

// dims returns the dimensions that the command line names.
func (c *rearrangeCommand) dims() []string {
	if c.dim != "" {
		return []string{c.dim}
	}
	return c.Dims()
}

// rearrangeError marks errors about the command line.
func rearrangeError(err error) error {
	for _, wrong := range []error{fs.ErrExist, fs.ErrInvalid, dataset.ErrDim, dataset.ErrVariable, dataset.ErrValue, dataset.ErrMismatch, cube.ErrLabel} {
		if errors.Is(err, wrong) {
			return cli.AsWrongUsage(err)
		}
	}
	return err
}

// copyAll copies and prints the result.
func (c *rearrangeCommand) copyAll(cmd *cobra.Command, r *dataset.Rearranger, to string, memory int) error {
	bars := &progress.Bars{Cmd: cmd}
	err := r.Copy(cmd.Context(), to, dataset.RearrangeOptions{Memory: memory, Resume: c.resume, Keep: true, Progress: bars.Report})
	bars.End()
	switch {
	case err != nil && cmd.Context().Err() != nil:
		return interrupt.WithKept(err, "the same command with --resume continues")
	case errors.Is(err, fs.ErrExist) && !c.resume:
		return cli.AsUsageError(rearrangeError(existsHint(to, err)))
	case err != nil:
		return rearrangeError(err)
	}
	return c.print(cmd, result.NewRearrangement(to, result.Copied, r))
}

// print prints a plan or a result.
func (c *rearrangeCommand) print(cmd *cobra.Command, r result.Rearrangement) error {
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

// cut chooses the indices that are not selected.
func (c *rearrangeCommand) cut(r *dataset.Rearranger) error {
	if len(c.Dims()) == 0 {
		return cli.Usagef("cut: select what is to be left out of one dimension, with --sel or --at: time=2024-02-10..2024-02-12")
	}
	flags := c.Flags
	if v := r.Variable(); v != nil {
		flags = c.ForVariable(v)
	}
	found, err := flags.Of(r.Array())
	if err != nil {
		return err
	}
	return r.Cut(found.Sel)
}

// sort chooses the indices in the order of the coordinate of --by, or of its labels.
func (c *rearrangeCommand) sort(r *dataset.Rearranger) error {
	dim := c.dim
	if v := r.Variable(); v != nil {
		dim = selection.OwnDim(v, dim)
	}
	k, err := cli.ParseDim(r.Array(), dim)
	if err != nil {
		return err
	}
	return r.Sort(k)
}
