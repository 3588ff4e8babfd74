package rechunk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/selection"
	"drx/cmd/internal/result"
	"drx/cube"
	"drx/dataset"
	"drx/dtype"
	"drx/nd"
	"drx/relayout"
)

// oneBox returns a selection as a section, and whether it is a box: one range with step 1 per
// dimension.
func oneBox(sel cube.Selection) (nd.Section, bool) {
	sec, ok := sel.Section()
	return sec, ok && !slices.ContainsFunc(sec, func(r nd.Range) bool { return r.Stride() != 1 })
}

// A selectionCopy copies a selection that is not a box to a new array. Package relayout plans and
// resumes only copies of boxes. This copy fills a few chunks of the target at a time and commits
// once at the end, so it cannot be resumed.
type selectionCopy struct {
	command *copyCommand
	from    *cube.Cube
	sel     cube.Selection
	order   nd.Order
	bounds  nd.Section       // of the target, with dimensions in the order of the source
	labels  map[int][]string // new labels by dimension of the source

	to         *drx.Array
	convert    *dtype.Converter
	round      func(elements []byte) error
	read, made []byte // elements of a part, before and after conversion
}

// copySelection copies a selection that is not a box.
func (c *copyCommand) copySelection(cmd *cobra.Command, src *drx.Array, found selection.Selection, order nd.Order, name string) error {
	if c.plan || c.resume {
		return cli.Usagef("copy: the indices %s are not one range of each dimension: such a copy is made in one go, without --plan and --resume", selection.FormatSelection(found.Sel))
	}
	from, err := found.Axes.Cube()
	if err != nil {
		return err
	}
	j := &selectionCopy{command: c, from: from, sel: found.Sel, order: order}
	if err := j.number(found.Axes, name); err != nil {
		return err
	}
	spec, err := c.target(src, order, j.bounds)
	if err != nil {
		return err
	}
	if j.round, err = c.roundingOf(src, spec); err != nil {
		return err
	}
	if j.round != nil {
		spec.Attrs[c.rounding.Attr()] = c.rounding.Number(src.Attrs())
	}
	err = chooseCodec(cmd, name, &spec, src.DType(), j.round, func(sec nd.Section, buf []byte) error { return j.from.Read(j.part(sec), buf, order) })
	if err != nil {
		return err
	}
	began := time.Now()
	if j.to, err = drx.Create(name, spec); err != nil {
		return cli.AsUsageError(existsHint(name, err))
	}
	name = j.to.Name()
	cli.NoteHoles(cmd, name, spec.Codec)
	outfile.Temporary.AddArray(name)
	defer outfile.Temporary.DoneArray(name)
	if err := j.run(cmd); err != nil {
		return errors.Join(err, j.to.Discard(), drx.Remove(name))
	}
	text, bytes := arrays.Extents(j.to), j.bytes(j.to.DType())
	if err := j.to.Close(); err != nil { // it commits
		return errors.Join(err, drx.Remove(name))
	}
	cost := relayout.Cost{BytesRead: j.bytes(src.DType()), BytesWritten: bytes}
	stats := relayout.Stats{Cost: cost, PeakMemory: int64(cap(j.read) + cap(j.made)), Elapsed: time.Since(began)}
	return cli.Confirm(cmd, result.NewCopy(name, result.Copied, result.Cost{}).Done(stats), "%s, %s copied\n", text, cli.ByteSize(bytes))
}

// bytes returns the size of the selection in elements of a type.
func (j *selectionCopy) bytes(t dtype.DType) int64 {
	n, _ := nd.Product(j.sel.Shape()...) // it is part of an array
	return int64(n) * int64(t.Size())
}

// number sets the bounds and the labels of the target. A dimension with a single copied range keeps
// its indices. The indices of other dimensions are numbered from 0 and keep their labels.
func (j *selectionCopy) number(axes *dataset.Axes, name string) error {
	j.labels = map[int][]string{}
	j.bounds = make(nd.Section, len(j.sel))
	for d, x := range j.sel {
		if len(x) == 1 && x[0].Stride() == 1 {
			j.bounds[d] = x[0]
			continue
		}
		j.bounds[d] = nd.Span(0, x.Len())
		coordinate, err := axes.Coordinate(d)
		if err != nil {
			return err
		}
		if err := j.checkDatasetDim(d, name); err != nil {
			return err
		}
		_, labels := j.from.Labels(d)
		if coordinate == nil && len(labels) == 0 {
			continue // the indices have only numbers, and get new ones
		}
		if j.labels[d], err = j.names(d); err != nil {
			return err
		}
	}
	return nil
}

// checkDatasetDim returns an error if the target would be a variable of a dataset whose dimension d
// has other indices.
func (j *selectionCopy) checkDatasetDim(d int, name string) error {
	folder, _, err := dataset.Find(name)
	if dim := j.from.Array().Dims()[d]; err == nil && folder != "" && dim != "" {
		return cli.Usagef("copy: %s would belong to the dataset %s, whose dimension %s has other indices than %s: copy to a name outside of it",
			cli.Printable(name), cli.Printable(folder), cli.Printable(dim), selection.FormatIndices(j.sel[d]))
	}
	return err
}

// names returns the labels or coordinates of the selected indices of a dimension. They become
// labels of the target, so it is an error if two are equal.
func (j *selectionCopy) names(d int) ([]string, error) {
	names := make([]string, j.sel[d].Len())
	seen := make(map[string]int, len(names))
	for i := range names {
		index := j.sel[d].At(i)
		names[i] = j.from.Label(d, index)
		if twin, twice := seen[names[i]]; twice {
			return nil, cli.Usagef("copy: dimension %s: the indices %d and %d are both called %q, so this cannot be their label; copy one range, or use drx export",
				cli.DimNames(j.from.Array())[d], twin, index, names[i])
		}
		seen[names[i]] = index
	}
	return names, nil
}

// run copies the elements and the labels, and removes the mark of an incomplete array. The next
// commit makes the array complete.
func (j *selectionCopy) run(cmd *cobra.Command) (err error) {
	src := j.from.Array()
	if j.convert, err = dtype.NewConverter(src.DType(), j.to.DType(), j.command.clip, j.to.FillValue()); err != nil {
		return fmt.Errorf("%s: %w", cli.Printable(src.Name()), err)
	}
	p := progress.New(cmd, j.bytes(src.DType()))
	err = j.copyParts(cmd.Context(), p)
	p.End()
	if err != nil {
		return err
	}
	if err := j.setLabels(); err != nil {
		return err
	}
	return j.to.DeleteAttr(relayout.IncompleteAttr)
}

// setLabels sets the new labels.
func (j *selectionCopy) setLabels() error {
	made, err := cube.Of(j.to)
	if err != nil {
		return err
	}
	for d, own := range j.order.Dims(len(j.sel)) {
		if labels, ok := j.labels[own]; ok {
			if err := made.SetLabels(d, labels); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyParts copies the elements, part after part.
func (j *selectionCopy) copyParts(ctx context.Context, p *progress.Progress) error {
	shape, err := j.partShape()
	if err != nil {
		return err
	}
	return eachBox(j.to.Bounds(), shape, func(box nd.Section) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := j.copyPart(box)
		p.Add(n)
		return err
	})
}

// partBuffers is the number of buffers of the size of a part: the elements as stored, a range of
// them while cube gathers it, and the converted elements.
const partBuffers = 3

// partShape returns the extents of a part: as many whole chunks of the target as the memory holds.
// It extends the last dimension first.
func (j *selectionCopy) partShape() ([]int, error) {
	shape := slices.Clone(j.to.ChunkShape())
	size := partBuffers * max(j.from.Array().DType().Size(), j.to.DType().Size())
	bytes, err := nd.Product(append([]int{size}, shape...)...)
	if err != nil || bytes > j.command.memory {
		return nil, cli.Usagef("--memory %s: three chunks of %s elements of %s do not fit; give more, or smaller ones with --chunk",
			j.command.text.memory, cli.FormatShape(shape), j.to.DType())
	}
	extents := j.to.Shape()
	for d := len(shape) - 1; d >= 0; d-- {
		// one more, as the bounds may cut the first chunk
		chunks := min(j.command.memory/bytes, nd.CeilDiv(extents[d], shape[d])+1)
		shape[d], bytes = shape[d]*max(1, chunks), bytes*max(1, chunks)
	}
	return shape, nil
}

// eachBox cuts a section at multiples of the extents of a box, and calls f with each part.
func eachBox(sec nd.Section, extents []int, f func(box nd.Section) error) error {
	lo, hi := sec.Bounds()
	first, end := make([]int, len(sec)), make([]int, len(sec)) // numbers of boxes
	for d, n := range extents {
		if lo[d] == hi[d] {
			return nil
		}
		first[d], end[d] = nd.FloorDiv(lo[d], n), nd.CeilDiv(hi[d], n)
	}
	index, box := slices.Clone(first), make(nd.Section, len(sec))
	for more := true; more; more = nd.Next(index, first, end) {
		for d, n := range extents {
			box[d] = nd.Span(max(lo[d], index[d]*n), min(hi[d], (index[d]+1)*n))
		}
		if err := f(box); err != nil {
			return err
		}
	}
	return nil
}

// part returns the selection of the source that a box of the target holds.
func (j *selectionCopy) part(box nd.Section) cube.Selection {
	part := make(cube.Selection, len(box))
	for d, own := range j.order.Dims(len(box)) {
		part[own] = j.sel[own].Slice(box[d].Lo-j.bounds[own].Lo, box[d].Len())
	}
	return part
}

// copyPart copies a part of the target, and returns how many bytes it has read.
func (j *selectionCopy) copyPart(box nd.Section) (int, error) {
	src, part := j.from.Array(), j.part(box)
	elements, _ := box.Len() // of an array
	n := elements * src.DType().Size()
	j.read = slices.Grow(j.read[:0], n)[:n]
	if err := j.from.Read(part, j.read, j.order); err != nil {
		return 0, err
	}
	b := j.read
	if j.convert != nil {
		m := elements * j.to.DType().Size()
		j.made = slices.Grow(j.made[:0], m)[:m]
		b = j.made
		if err := j.convert.Apply(b, j.read); err != nil {
			return 0, fmt.Errorf("%s: %w", cli.Printable(src.Name()), err)
		}
	}
	if j.round != nil {
		if err := j.round(b); err != nil {
			return 0, err
		}
	}
	return n, j.to.WriteBytes(box, b, nil)
}
