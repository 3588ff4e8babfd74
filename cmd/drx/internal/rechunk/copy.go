// Package rechunk has the verb copy, which copies an array into other chunks, and the verbs cut and
// sort, which copy it with other indices.
package rechunk

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"time"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/interrupt"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/selection"
	"drx/cmd/internal/result"
	"drx/cmd/internal/summary"
	"drx/cmd/internal/usage"
	"drx/cube"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
	"drx/relayout"
)

// New returns the verb copy.
func New() *cobra.Command {
	var c copyCommand
	cmd := &cobra.Command{
		Use:     "copy SRC DST",
		Short:   "Copy an array into other chunks or another order of dimensions",
		GroupID: cli.GroupArray,
		Long: `Copy an array, or a section of it, to a new one with other chunks or with its dimensions in
another order, in bounded memory. --plan only prints the plan and its cost. Both the plan and
the summary say how much space the old and the new chunks take, and how much of it is used;
there is a warning if the new ones take much more.

--section and --at select what to copy by indices, --sel by labels and coordinates, see read. A
dimension of which one range is copied keeps its indices. Of others, as --sel store=3|4 or every
tenth index, the selected indices are numbered from 0 in the order that was asked for, and have
their labels; values of a coordinate become labels. Such a copy is made in one go, without --plan
and --resume: after an interruption there is none, and after a kill drx rm removes it.

Dimension d of the new array is dimension PERMUTE[d] of the old one. Names, attributes, fill
value, element order, alignment and codec are kept; --codec gives another one, see create;
--codec none leaves the chunks uncompressed, and --codec auto tries some codecs on up to eight
chunks, and takes the fastest of those that take about the least space. Where chunks, type, order of
elements and codec stay the same, the stored bytes of the chunks are copied, without being
decompressed. If memory is short, the copy may take several passes through temporary arrays.

--digits rounds floating-point data to significant digits, --bits to bits of the fraction, as
netCDF's quantize does, so that they compress better; an attribute says so. What is rounded
away is lost in the copy.

--sort puts the indices of a dimension in the order of its coordinate, which ascends, so that what
was appended late is in order. SRC may then be a dataset, of which all variables and the
coordinate are sorted; it needs the right to write, as cp does, and takes no other flags. An array
gets labels, as above.

--dtype converts the elements: floating-point numbers are rounded to the nearest value of the
new type, ties to the even integer. Complex numbers convert to complex types only. A value
that does not fit is an error; with --clip it becomes the nearest value that fits, and NaN
becomes the fill value if the new type is an integer. If the fill value does not fit, give
another with --fill.

Until the copy is complete, the new array has the attribute relayout.incomplete, and no other
verb opens it. The same command with --resume continues a copy that was interrupted or killed,
if SRC has not changed. A copy that was killed repeats what it had copied since its last commit: it
commits after each template, the box that --plan prints, and every 256 MiB. If many small templates
make a copy slow, --checkpoint makes commits less frequent.`,
		Example: `  drx copy radar series --chunk 224,64,64 --order hilbert
  drx copy radar small --dtype uint8 --clip --fill 255
  drx copy radar packed --codec blosc:zstd:5:shuffle
  drx copy field rounded --codec auto --digits 4
  drx copy sales two --sel 'store=3|4'
  drx copy weather sorted --sort time
  drx copy A B --permute 2,0,1 --memory 1GiB --plan
  drx copy A B --permute 2,0,1 --memory 1GiB --resume`,
		Args:              cli.Exactly("SRC", "DST"),
		ValidArgsFunction: cli.CompleteOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(c.parse(), cli.CheckNewName(cmd, args[1])); err != nil {
				return err
			}
			if arrays.IsDataset(args[0]) && cmd.Flags().Changed("sort") {
				return c.sortDataset(cmd, args[0], args[1])
			}
			return withOptions(args[0], drx.Options{Cache: relayout.ArrayCache}, func(src *drx.Array) error {
				return c.run(cmd, src, args[1])
			})
		},
	}
	c.Flags.AddTo(cmd)
	f := cmd.Flags()
	f.StringVar(&c.text.chunk, "chunk", "", "`extents` of a chunk of the new array (default: about 1 MiB)")
	f.StringVar(&c.text.permute, "permute", "", "`order` of the dimensions: numbers of the old ones, or row or col")
	f.StringVar(&c.text.memory, "memory", "256MiB", "`bytes` of memory for buffers, as in 64MiB")
	f.StringVar(&c.sort, "sort", "", "`dimension` whose indices are put in the order of its coordinate")
	cli.CompleteFlag(cmd, "sort", arrays.CompleteDims)
	f.StringVar(&c.order, "order", "", "`order` of the elements inside a chunk: "+cli.OrList(cli.ElementOrders)+" (default: as in SRC)")
	f.StringVar(&c.codec, "codec", "", "`codec` that compresses the chunks, see create, or auto, which tries some (default: as in SRC)")
	f.StringVar(&c.text.dtype, "dtype", "", "element `type` of the new array (default: as in SRC)")
	f.BoolVar(&c.clip, "clip", false, "replace values that do not fit --dtype by the nearest that do")
	usage.AddRoundingFlags(f, &c.digits, &c.bits)
	f.StringVar(&c.fill, "fill", "", "`value` of elements never written (default: as in SRC)")
	f.StringVar(&c.dir, "temp", "", "`folder` for temporary arrays (default: that of DST)")
	f.DurationVar(&c.checkpoint, "checkpoint", 0, "least `time` between commits, as in 1s (default: no limit)")
	f.BoolVar(&c.plan, "plan", false, "print the plan and copy nothing")
	f.BoolVar(&c.resume, "resume", false, "continue a copy that was interrupted")
	for flag, choices := range map[string][]string{"dtype": cli.DtypeNames(), "order": cli.ElementOrders} {
		cli.CompleteFlag(cmd, flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

// withOptions is With with options for opening the array.
func withOptions(name string, o drx.Options, f func(a *drx.Array) error) error {
	a, err := drx.Open(name, o)
	if err != nil {
		return err
	}
	return arrays.ThenClose(a, f)
}

// copyCommand is the command line of one copy.
type copyCommand struct {
	selection.Flags
	text               struct{ chunk, permute, memory, dtype string }
	chunk              []int
	memory             int
	dtype              dtype.DType // 0: the type of the source
	order, fill, dir   string
	codec              string // "": the source's
	sort               string // dimension
	clip, plan, resume bool
	checkpoint         time.Duration
	digits, bits       int
	rounding           meaning.Rounding // from digits and bits
}

func (c *copyCommand) parse() (err error) {
	if c.chunk, err = cli.ParseInts("--chunk", c.text.chunk); err != nil {
		return err
	}
	if c.order != "" {
		if err := cli.CheckElementOrder(c.order); err != nil {
			return err
		}
	}
	if c.codec, err = cli.ParseCodecOrAuto(c.codec); err != nil {
		return err
	}
	if c.text.dtype != "" {
		if c.dtype, err = cli.ParseType(c.text.dtype); err != nil {
			return err
		}
	}
	if c.rounding, err = meaning.RoundTo(c.digits, c.bits); err != nil {
		return cli.AsOptionUsageError(err)
	}
	if c.checkpoint < 0 {
		return cli.Usagef("--checkpoint %v: want 0 or more", c.checkpoint)
	}
	c.memory, err = cli.ParseBytes("--memory", c.text.memory)
	return err
}

// run copies src to the array of the given name.
func (c *copyCommand) run(cmd *cobra.Command, src *drx.Array, name string) error {
	o := relayout.Options{Memory: int64(c.memory), TempDir: c.dir, Resume: c.resume, Clip: c.clip, Rounding: c.rounding, CommitInterval: c.checkpoint}
	found, err := c.Of(src)
	if err != nil {
		return err
	}
	cli.Note(cmd, src, found.Note)
	if err := c.sortSelection(src, found); err != nil {
		return err
	}
	if o.Order, err = nd.ParseOrder(c.text.permute, src.Rank()); err != nil {
		return cli.Usagef("--permute: %w", err)
	}
	var isBox bool
	if o.Section, isBox = oneBox(found.Sel); !isBox {
		return c.copySelection(cmd, src, found, o.Order, name)
	}
	grid, err := relayout.GridOfSection(src, o.Section)
	if err != nil {
		return cli.AsUsageError(fmt.Errorf("%s: %w", cli.Printable(src.Name()), cli.NameDim(src, err)))
	}
	spec, err := c.target(src, o.Order, nd.Box(grid.Lo, grid.Hi))
	if err != nil {
		return err
	}
	to := relayout.Grid{Lo: spec.Lo, Hi: make([]int, len(spec.Lo)), ChunkShape: spec.ChunkShape, ElemSize: spec.DType.Size()}
	for d := range to.Hi {
		to.Hi[d] = spec.Lo[d] + spec.Shape[d]
	}
	plan, err := relayout.NewPlan(grid, to, o.Order, o.Memory)
	if errors.Is(err, relayout.ErrMemory) {
		return cli.Usagef("--memory %s: %w", c.text.memory, err)
	}
	if err != nil {
		return cli.AsUsageError(fmt.Errorf("%s: %w", cli.Printable(name), usage.NameDim(cli.PrintableDims(spec.Dims), err)))
	}
	sizes := summary.NewSizes(cli.Printable(drx.BaseName(name)), grid, to, spec.Align)
	if warning := sizes.Warning(); warning != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "drx:", warning)
	}
	if c.plan {
		if cli.WantsJSON(cmd) {
			return cli.PrintJSON(cmd.OutOrStdout(), result.NewCopy(name, result.Planned, result.NewCost(plan.Cost(), plan.PeakMemory()), plan.Passes...))
		}
		return summary.Plan(cmd.OutOrStdout(), grid, to, plan, sizes)
	}
	round, err := c.roundingOf(src, spec)
	if err != nil {
		return err
	}
	dst, done, err := c.open(name, spec, to, func(spec *drx.Spec) error {
		return chooseCodec(cmd, name, spec, src.DType(), round, func(sec nd.Section, buf []byte) error {
			part := make(nd.Section, len(sec))
			for d, own := range o.Order.Dims(len(sec)) {
				part[own] = sec[d]
			}
			return src.ReadBytes(part, buf, o.Order)
		})
	})
	if err != nil {
		return err
	}
	if done {
		if err := dst.Close(); err != nil {
			return err
		}
		return cli.Confirm(cmd, result.NewCopy(name, result.Complete, result.Cost{}), "%s: complete, nothing to resume\n", cli.Printable(dst.Name()))
	}
	cli.NoteHoles(cmd, dst.Name(), dst.Layout().Codec)
	return runCopy(cmd, dst, src, o, sizes)
}

// target returns the description of the array that the copy creates; the bounds are in the order
// of the source.
func (c *copyCommand) target(src *drx.Array, order nd.Order, bounds nd.Section) (drx.Spec, error) {
	t := src.DType()
	lo, hi := bounds.Bounds()
	spec := drx.Spec{
		DType: t, Lo: order.Apply(lo), Shape: order.Apply(nd.Shape(lo, hi)), ChunkShape: c.chunk,
		Order: src.Layout().ElementOrder, FillValue: t.Format(src.FillValue()), Align: src.Layout().Align, Codec: src.Layout().Codec, Source: src.Name(),
		Options: drx.Options{Cache: relayout.ArrayCache, Incomplete: true},
	}
	spec.Attrs = map[string]any{}
	for name, value := range src.Attrs() {
		spec.Attrs[cube.PermutedAttr(name, order)] = value
	}
	names := src.Dims()
	for _, d := range order.Dims(src.Rank()) {
		spec.Dims = append(spec.Dims, names[d])
	}
	if c.order != "" {
		spec.Order = drx.ElementOrder(c.order)
	}
	if c.codec != "" {
		spec.Codec = c.codec
	}
	if c.dtype != 0 {
		spec.DType = c.dtype
	}
	if c.fill != "" {
		spec.FillValue = c.fill
	}
	if spec.ChunkShape == nil {
		spec.ChunkShape = drx.DefaultChunk(spec.DType, spec.Shape)
	}
	if _, err := spec.DType.Encode(fmt.Sprint(spec.FillValue)); err != nil && c.dtype != 0 && c.fill == "" {
		return spec, cli.Usagef("--dtype %v: the fill value %v of %s does not fit; choose another with --fill", spec.DType, spec.FillValue, src.Name())
	}
	return spec, nil
}

// roundingOf returns a function that rounds elements of the target; nil without --digits and
// --bits.
func (c *copyCommand) roundingOf(src *drx.Array, spec drx.Spec) (func(elements []byte) error, error) {
	if c.rounding.IsNone() {
		return nil, nil
	}
	fill, err := spec.DType.Encode(fmt.Sprint(spec.FillValue))
	if err != nil {
		return nil, cli.Usagef("--fill %v: %w", spec.FillValue, err)
	}
	m, err := meaning.Of(spec.DType, fill, src.Attrs(), nil)
	if err != nil {
		return nil, err
	}
	round, err := c.rounding.Of(m)
	if err != nil {
		return nil, cli.AsOptionUsageError(c.rounding.Wrong("%s: %w", cli.Printable(src.Name()), err))
	}
	return round, nil
}

// open creates the target after choose has set its codec. With --resume it opens an existing target
// instead, and reports whether that copy is already complete; a target with another type, grid or
// codec is an error that wraps fs.ErrExist.
func (c *copyCommand) open(name string, spec drx.Spec, grid relayout.Grid, choose func(spec *drx.Spec) error) (dst *drx.Array, done bool, err error) {
	if c.resume {
		dst, err = drx.Open(name, drx.Options{Write: true, Cache: relayout.ArrayCache, Incomplete: true})
		if err == nil {
			done, err = isComplete(dst, spec.DType, grid)
		}
		if err == nil && c.codec != "" && c.codec != drx.AutoCodec && c.codec != dst.Layout().Codec {
			err = errkind.Errorf(fs.ErrExist, "%s: the copy has begun with the codec %s, not %s", cli.Printable(dst.Name()), dst.Layout().Codec, c.codec)
		}
	}
	if !c.resume || errors.Is(err, fs.ErrNotExist) {
		if err := choose(&spec); err != nil {
			return nil, false, err
		}
		if dst, err = drx.Create(name, spec); err != nil {
			return nil, false, cli.AsUsageError(existsHint(name, err))
		}
	}
	return dst, done, err
}

// existsHint extends the error that a target exists: if it is an unfinished copy, --resume
// continues it.
func existsHint(name string, err error) error {
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	a, openErr := drx.Open(name, drx.Options{})
	if openErr == nil {
		_ = a.Close() // nothing was written
	}
	switch {
	case errors.Is(openErr, drx.ErrIncomplete) && cli.IsCopy(name):
		return fmt.Errorf("%w: a copy to it was interrupted: continue with --resume", err)
	case errors.Is(openErr, drx.ErrIncomplete):
		return fmt.Errorf("%w and is incomplete, as the program that made it was interrupted: remove it with drx rm", err)
	}
	return err
}

// isComplete reports whether an array is a complete copy: it is not marked as incomplete, and its
// first chunk is written. An array that was only created is not complete. If the array has another
// type or grid, the error wraps fs.ErrExist.
func isComplete(a *drx.Array, t dtype.DType, grid relayout.Grid) (bool, error) {
	if g := relayout.GridOf(a); a.DType() != t || !reflect.DeepEqual(g, grid) {
		return false, fmt.Errorf("%s: %w and is another array: %v %s from %v on, chunks of %s; want %v %s from %v on, chunks of %s",
			cli.Printable(a.Name()), fs.ErrExist, a.DType(), cli.FormatShape(a.Shape()), g.Lo, cli.FormatShape(g.ChunkShape), t, cli.FormatShape(nd.Shape(grid.Lo, grid.Hi)), grid.Lo, cli.FormatShape(grid.ChunkShape))
	}
	if relayout.Incomplete(a) || a.Grid().Chunks() == 0 {
		return false, nil
	}
	return a.Written(0)
}

// runCopy copies and prints the actual cost beside the predicted one.
func runCopy(cmd *cobra.Command, dst, src *drx.Array, o relayout.Options, sizes summary.Sizes) error {
	var p *progress.Progress
	var shownBytes int64
	o.Progress = func(done, total int64) {
		if p == nil {
			p = progress.New(cmd, total)
		}
		p.Add(int(done - shownBytes))
		shownBytes = done
	}
	interrupt.Changes.Begin(dst)
	defer interrupt.Changes.End(dst)
	stats, err := relayout.Copy(cmd.Context(), dst, src, o)
	if p != nil {
		p.End()
	}
	if err != nil {
		if relayout.Incomplete(dst) && stats.Plan != nil { // otherwise nothing was begun
			err = resumeHint(cmd, dst.Name(), err)
		}
		_ = dst.Discard() // --resume repeats the steps since the last commit
		return err
	}
	if err := dst.Close(); err != nil {
		return err
	}
	if cli.WantsJSON(cmd) {
		planned := result.NewCost(stats.Plan.Cost(), stats.Plan.PeakMemory())
		return cli.PrintJSON(cmd.OutOrStdout(), result.NewCopy(dst.Name(), result.Copied, planned, stats.Plan.Passes...).Done(stats))
	}
	if !cli.IsQuiet(cmd) {
		summary.Copied(cmd.OutOrStdout(), cli.Printable(dst.Name()), stats, sizes)
	}
	return nil
}

// resumeHint extends the error of a copy by how to continue it.
func resumeHint(cmd *cobra.Command, name string, err error) error {
	how := "continue with --resume"
	if errors.Is(err, drx.ErrDType) {
		how = fmt.Sprintf("%s is left incomplete: continue with --clip --resume, or remove it with drx rm %s", name, name)
	}
	if cmd.Context().Err() != nil {
		return interrupt.WithKept(err, "the copy is not complete; "+how)
	}
	return interrupt.WithKept(err, how)
}
