package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/internal/result"
	"drx/cmd/internal/summary"
	"drx/cmd/internal/usage"
	"drx/cube"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/relayout"
)

// copyFlags holds the flags of copy.
type copyFlags struct {
	chunk, permute, section, dtype, fill string
	codec                                string // "": the source's
	memory, every                        byteCount
	clip, plan, resume, progress         bool
	digits, bits                         int
}

func (c *command) copy() *cobra.Command {
	k := copyFlags{memory: relayout.DefaultMemory, every: relayout.DefaultCommitBytes}
	cmd := &cobra.Command{
		Use:   "copy SRC DST",
		Short: "Copy an array into other chunks or another order of dimensions",
		Long: `Copy an array, or a section of it, to a new one with other chunks or with its dimensions in another
order, in bounded memory. Each process reads its share of the old chunks, the processes exchange the
elements, and each writes the new chunks that it owns. --plan only prints what that takes. With and
without it there is a line with the space that the old and the new chunks take, and how much of it is used.

Dimension d of the new array is dimension PERMUTE[d] of the old one. Names, attributes, fill value,
element order, alignment and codec are kept; --codec gives another one, such as zstd:3, lz4 or
blosc:zstd:5:shuffle, and --codec none leaves the chunks uncompressed. Each process compresses what it
writes.

With --dtype numbers are rounded to the nearest of that type, halves to even; complex numbers convert to
complex types only. A number out of range is an error. With --clip it becomes the nearest number in range,
and NaN becomes the fill value in integer types. If the old fill value is out of range give a --fill.

With --digits floating-point data are rounded to significant digits, with --bits to bits of the fraction, as
netCDF's quantize does, so that they compress better; an attribute records it. What is rounded away is
lost in the copy.

Until the copy is complete the new array has the attribute ` + relayout.IncompleteAttr + `, and no other verb opens it.
The same command with --resume continues a copy that was interrupted in any way, if SRC has not changed:
with any number of processes that have enough memory, or with 'drx copy'.`,
		Example: `  mpirun -n 4 drxmp copy radar series --chunk 224,64,64 --progress
  mpirun -n 4 drxmp copy A B --permute 2,0,1 --dtype float32
  mpirun -n 8 drxmp copy A B --permute 2,0,1 --dtype float32 --resume
  mpirun -n 4 drxmp copy radar packed --codec blosc:zstd:5:shuffle`,
		Args: exactly("SRC", "DST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return c.run(cmd, func(p *process) error {
				return p.with(args[0], drx.Options{Cache: 1}, func(src *drxmp.Array) error { return p.copy(ctx, src, args[1], k) })
			})
		},
	}
	k.flags(cmd)
	return cmd
}

func (k *copyFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&k.chunk, "chunk", "", "`extents` of a chunk of the new array (default: about 1 MiB)")
	f.StringVar(&k.permute, "permute", "", "`order` of the dimensions: numbers of the old ones, or row or col")
	f.StringVar(&k.section, "section", "", "`section` to copy, as in 0:10,5:9 (default: everything)")
	f.StringVar(&k.dtype, "dtype", "", "element `type` of the new array (default: as in SRC)")
	f.BoolVar(&k.clip, "clip", false, "replace numbers out of range of --dtype by the nearest in range")
	f.StringVar(&k.fill, "fill", "", "`value` of elements never written (default: as in SRC)")
	f.StringVar(&k.codec, "codec", "", "`codec` that compresses the chunks (default: as in SRC)")
	usage.AddRoundingFlags(f, &k.digits, &k.bits)
	f.Var(&k.memory, "memory", "`bytes` of memory for the buffers of a process, as in 64MiB")
	f.Var(&k.every, "every", "least `bytes` to move between two commits; the end of each template commits, too")
	f.BoolVar(&k.plan, "plan", false, "print the plan and copy nothing")
	f.BoolVar(&k.resume, "resume", false, "continue a copy that was interrupted")
	f.BoolVar(&k.progress, "progress", false, "print the progress every second")
}

// A transfer describes a copy: its source, its options and the array to create.
type transfer struct {
	copyFlags
	order    nd.Order
	from     relayout.Grid
	rounding meaning.Rounding
	spec     drx.Spec // of the array to create
	sizes    summary.Sizes
}

// parse returns the transfer described by the command line, for the given source.
func (k copyFlags) parse(src *drxmp.Array) (*transfer, error) {
	t := &transfer{copyFlags: k}
	var sec nd.Section
	var err error
	if t.order, err = nd.ParseOrder(k.permute, len(src.Shape())); err != nil {
		return nil, usagef("--permute: %w", err)
	}
	if k.section != "" {
		if sec, err = nd.ParseSection(k.section); err != nil {
			return nil, usagef("--section: %w", usage.NameDim(src.Dims(), err))
		}
	}
	if t.from, err = relayout.GridOfSection(src, sec); err != nil {
		return nil, valueError(fmt.Errorf("%s: --section %s: %w", src.Name(), k.section, usage.NameDim(src.Dims(), err)))
	}
	t.spec = drx.Spec{
		DType: src.DType(), Shape: t.order.Apply(nd.Shape(t.from.Lo, t.from.Hi)), Lo: t.order.Apply(t.from.Lo),
		Order: src.Layout().ElementOrder, FillValue: src.DType().Format(src.FillValue()), Align: src.Layout().Align, Codec: src.Layout().Codec, Source: src.Name(),
		Options: drx.Options{Cache: 1, Incomplete: true},
	}
	for _, d := range t.order.Dims(len(t.from.Lo)) {
		t.spec.Dims = append(t.spec.Dims, src.Dims()[d])
	}
	return t, t.change()
}

// change applies the options of the command line to the properties of the source.
func (t *transfer) change() (err error) {
	if t.dtype != "" {
		if t.spec.DType, err = dtype.Parse(usage.TypeName(t.dtype)); err != nil {
			return usagef("--dtype %q%s: %w", t.dtype, usage.TypeHint(t.dtype), err)
		}
	}
	if t.fill != "" {
		t.spec.FillValue = t.fill
	}
	if t.codec != "" {
		if t.spec.Codec, err = drx.ParseCodec(t.codec); err != nil {
			return usagef("--codec: %w", err)
		}
	}
	if t.rounding, err = meaning.RoundTo(t.digits, t.bits); err == nil && !t.rounding.IsNone() {
		if err = t.rounding.Check(t.spec.DType); err != nil {
			err = t.rounding.Wrong("%w", err)
		}
	}
	if err != nil {
		return usagef("%w", usage.WithFlags(err))
	}
	if t.chunk == "" {
		t.spec.ChunkShape = drx.DefaultChunk(t.spec.DType, t.spec.Shape)
		return nil
	}
	for field := range strings.SplitSeq(t.chunk, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return usagef("--chunk %q: not extents like 256,256", t.chunk)
		}
		t.spec.ChunkShape = append(t.spec.ChunkShape, n)
	}
	return nil
}

// copy copies src to the array with the given name.
func (p *process) copy(ctx context.Context, src *drxmp.Array, to string, k copyFlags) error {
	t, err := k.parse(src)
	if err != nil {
		return err
	}
	into := relayout.Grid{Lo: t.spec.Lo, Hi: t.order.Apply(t.from.Hi), ChunkShape: t.spec.ChunkShape, ElemSize: t.spec.DType.Size()}
	plan, err := relayout.NewParallelPlan(t.from, into, t.order, int64(k.memory), p.Procs())
	if err != nil {
		return valueError(fmt.Errorf("%q: %w", to, usage.NameDim(t.spec.Dims, err)))
	}
	t.sizes = summary.NewSizes(wording.Printable(drx.BaseName(to)), t.from, into, t.spec.Align)
	if k.plan {
		return p.reportPlan(to, plan, t.sizes)
	}
	dst, err := p.target(t, to, into)
	if err != nil || dst == nil {
		return err
	}
	if relayout.Incomplete(dst) {
		plan, err = relayout.ResumeParallelPlan(dst, t.from, t.order, int64(t.memory), p.Procs())
	}
	if err == nil {
		err = p.move(ctx, dst, src, plan, t)
	}
	return p.thenClose(dst, err)
}

// The states of a target.
const (
	foundNothing byte = iota
	foundPart
	foundAll
)

// target creates the target or, to resume a copy, opens it; it must have the given grid. It returns
// nil if the target is complete.
func (p *process) target(t *transfer, name string, grid relayout.Grid) (*drxmp.Array, error) {
	found := []byte{foundNothing}
	var err error
	if t.resume && p.Proc() == 0 {
		found[0], err = findTarget(name, t.spec, grid)
	}
	if err := p.Agree("check of "+name, err); err != nil {
		return nil, err
	}
	if err := p.Broadcast(found, 0); err != nil {
		return nil, err
	}
	o := p.options
	switch found[0] {
	case foundAll:
		r := parallelCopy{Copy: result.NewCopy(name, result.Complete, result.Cost{}), Procs: p.Procs()}
		return nil, p.reportResult(r, func() { p.reportf("%s: complete, nothing to resume\n", drx.BaseName(name)) })
	case foundPart:
		o.Options = drx.Options{Write: true, Cache: 1, Incomplete: true}
		return drxmp.Open(p, name, o)
	}
	return drxmp.Create(p, name, t.spec, o)
}

// findTarget returns the state of a target, which is complete if it has no mark of an unfinished
// copy and chunk 0 was written. The error wraps fs.ErrExist if another array has the name.
func findTarget(name string, spec drx.Spec, grid relayout.Grid) (byte, error) {
	a, err := drx.Open(name, drx.Options{Incomplete: true})
	if errors.Is(err, fs.ErrNotExist) {
		return foundNothing, nil
	}
	if err != nil {
		return 0, err
	}
	defer a.Close()
	t := spec.DType
	if g := relayout.GridOf(a); a.DType() != t || !reflect.DeepEqual(g, grid) {
		return 0, fmt.Errorf("%s: %w, and is not what is to be copied: %v from %v to %v, chunks of %v; not %v from %v to %v, chunks of %v",
			a.Name(), fs.ErrExist, a.DType(), g.Lo, g.Hi, g.ChunkShape, t, grid.Lo, grid.Hi, grid.ChunkShape)
	}
	if a.Layout().Codec != spec.Codec {
		return 0, errkind.Errorf(fs.ErrExist, "%s: the copy has begun with the codec %s, not %s", a.Name(), a.Layout().Codec, spec.Codec)
	}
	if relayout.Incomplete(a) || a.Grid().Chunks() == 0 {
		return foundPart, nil
	}
	if written, err := a.Written(0); err != nil || !written {
		return foundPart, err
	}
	return foundAll, nil
}

// move copies to an open target. After an error it prints how to continue.
func (p *process) move(ctx context.Context, dst, src *drxmp.Array, plan *relayout.ParallelPlan, t *transfer) error {
	if plan.Block != nil { // each proc must own the chunks it writes
		cyclic := slices.Repeat([]drxmp.DimDistribution{drxmp.Cyclic()}, len(plan.Block))
		if err := dst.Redistribute(drxmp.Distribution{Grid: plan.Block, Dims: cyclic}); err != nil {
			return err
		}
	}
	attrs := src.Attrs()
	for _, name := range slices.Sorted(maps.Keys(attrs)) { // in the same order in all processes
		if err := dst.SetAttr(cube.PermutedAttr(name, t.order), attrs[name]); err != nil {
			return err
		}
	}
	o := relayout.ParallelOptions{Clip: t.clip, Resume: t.resume, CommitBytes: int64(t.every), Rounding: t.rounding}
	if t.progress {
		o.Progress = p.progress(dst.Name())
	}
	stats, err := relayout.CopyParallel(ctx, p, dst, src, plan, o)
	switch {
	case err == nil:
		return p.reportCopied(dst.Name(), plan, stats, t.sizes)
	case !relayout.Incomplete(dst):
		return err
	case errors.Is(err, drx.ErrDType):
		return fmt.Errorf("%w; go on with --clip --resume", err)
	}
	return fmt.Errorf("%w; go on with --resume", err)
}
