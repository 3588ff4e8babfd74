package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/drxmp"
	"drx/nd"
	"drx/relayout"
)

// copying is the command line of one copy.
type copying struct {
	chunk, permute string
	memory         int64
}

func (c *command) copy() *cobra.Command {
	var k copying
	cmd := &cobra.Command{
		Use:   "copy SRC DST",
		Short: "Copy an array into other chunks or another order of dimensions",
		Long: `Copy an array to a new one with other chunks or with its dimensions in another order. Each process reads
its share of the old chunks, all bring the elements to where the new chunks grow, and each writes the
new chunks that are its own, in bounded memory. Dimension d of the new array is dimension PERMUTE[d] of
the old one. Names, attributes, fill value, element order and alignment are kept.

Until the copy is complete the new array carries the attribute ` + drx.IncompleteAttr + `.`,
		Example: `  mpirun -n 4 drxmp copy radar series --chunk 224,64,64
  mpirun -n 4 drxmp copy A B --permute 2,0,1`,
		Args: exactly("SRC", "DST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd, func(p *process) error {
				return p.with(args[0], drx.Options{Cache: 1}, func(src *drxmp.Array) error { return p.copy(src, args[1], k) })
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&k.chunk, "chunk", "", "`extents` of a chunk of the new array (default: about 1 MiB)")
	f.StringVar(&k.permute, "permute", "", "`order` of the dimensions: numbers of the old ones, or row or col")
	f.Int64Var(&k.memory, "memory", relayout.DefaultMemory, "`bytes` of memory for the buffers of a process")
	return cmd
}

// spec says what array to create.
func (k copying) spec(src *drxmp.Array) (drx.Spec, nd.Order, error) {
	lo, hi := limits(src.Bounds())
	order, err := nd.ParseOrder(k.permute, len(lo))
	if err != nil {
		return drx.Spec{}, nil, err
	}
	s := drx.Spec{
		DType: src.DType(), Shape: order.Apply(nd.Shape(lo, hi)), Lo: order.Apply(lo), Order: src.ElementOrder(),
		Fill: src.DType().Format(src.Fill()), Dims: slices.Clone(src.Dims()), Align: src.Align(),
		Options: drx.Options{Cache: 1},
	}
	for d, from := range order.Dims(len(lo)) {
		s.Dims[d] = src.Dims()[from]
	}
	if k.chunk == "" {
		s.Chunk = drx.DefaultChunk(s.DType, s.Shape)
		return s, order, nil
	}
	for field := range strings.SplitSeq(k.chunk, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return s, nil, usagef("--chunk %q: not extents like 256,256", k.chunk)
		}
		s.Chunk = append(s.Chunk, n)
	}
	return s, order, nil
}

func limits(sec nd.Section) (lo, hi []int) {
	for _, r := range sec {
		lo, hi = append(lo, r.Lo), append(hi, r.Hi)
	}
	return lo, hi
}

func (p *process) copy(src *drxmp.Array, to string, k copying) error {
	spec, order, err := k.spec(src)
	if err != nil {
		return err
	}
	lo, hi := limits(src.Bounds())
	from := relayout.Grid{Lo: lo, Hi: hi, Chunk: src.Chunk(), Elem: src.DType().Size()}
	into := relayout.Grid{Lo: spec.Lo, Hi: order.Apply(hi), Chunk: spec.Chunk, Elem: from.Elem}
	plan, err := relayout.PlanParallel(from, into, order, k.memory, p.Procs())
	if err != nil {
		return err
	}
	o := p.options
	if plan.Block != nil { // who writes a chunk owns it
		o.Distribution = drxmp.Distribution{Grid: plan.Block, Dims: slices.Repeat([]drxmp.Dealing{drxmp.Cyclic()}, len(lo))}
	}
	dst, err := drxmp.Create(p, to, spec, o)
	if err != nil {
		return err
	}
	return p.thenClose(dst, p.move(dst, src, plan))
}

// move copies by a plan, with the mark of a copy that is not complete meanwhile.
func (p *process) move(dst, src *drxmp.Array, plan *relayout.ParallelPlan) error {
	attrs := src.Attrs()
	for _, name := range slices.Sorted(maps.Keys(attrs)) { // in the same order everywhere
		if err := dst.SetAttr(name, attrs[name]); err != nil {
			return err
		}
	}
	if err := dst.SetAttr(drx.IncompleteAttr, map[string]any{"procs": p.Procs()}); err != nil {
		return err
	}
	if err := dst.Sync(); err != nil {
		return err
	}
	cost, err := relayout.CopyParallel(p, dst, src, plan)
	if err != nil {
		return err
	}
	if err := dst.Sync(); err != nil {
		return err
	}
	if err := dst.DeleteAttr(drx.IncompleteAttr); err != nil {
		return err
	}
	return p.printf("%s: read %d bytes in %d chunks, wrote %d in %d\n", dst.Name(), cost.BytesRead, cost.Reads, cost.BytesWritten, cost.Writes)
}
