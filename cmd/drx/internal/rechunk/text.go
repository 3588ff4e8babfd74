package rechunk

import (
	"fmt"
	"io"
	"time"

	"drx/cmd/drx/internal/cli"
	"drx/relayout"
)

// printSummary prints the cost of a copy beside the predicted one.
func printSummary(w io.Writer, name string, s relayout.Stats, sizes copySizes) {
	moved, planned := costText(s.Cost, s.PeakMemory), costText(s.Plan.Cost(), s.Plan.PeakMemory())
	if moved == planned {
		planned = "as"
	}
	fmt.Fprintf(w, "%s: %s moved %s (%s planned)\n", name, passes(len(s.Plan.Passes)), moved, planned)
	sizes.print(w)
	if s.Skipped.Bytes() > 0 {
		fmt.Fprintf(w, "%s had been copied before\n", cli.ByteSize(s.Skipped.Bytes()))
	}
	rate := int64(float64(s.Cost.Bytes()) / max(s.Elapsed.Seconds(), 1e-9))
	fmt.Fprintf(w, "%s, %s/s\n", s.Elapsed.Round(time.Millisecond), cli.ByteSize(rate))
}

// costText describes the bytes that a copy moves and the memory of its buffers.
func costText(c relayout.Cost, memory int64) string {
	return fmt.Sprintf("%s in %d operations, %s of memory", cli.ByteSize(c.Bytes()), c.Operations(), cli.ByteSize(memory))
}

// copySizes are the sizes of an array and of its copy.
type copySizes struct {
	name        string // of the copy
	from, to    relayout.Grid
	align       int
	old, copied relayout.Size
}

func newCopySizes(name string, from, to relayout.Grid, align int) copySizes {
	return copySizes{name, from, to, align, from.Size(align), to.Size(align)}
}

// print prints the sizes and how much of them is used.
func (s copySizes) print(w io.Writer) {
	fmt.Fprintf(w, "%s, %s used, in chunks of %s become %s, %s used, in chunks of %s\n",
		cli.ByteSize(s.old.Chunks), cli.Percent(s.old.Utilisation(), 1), cli.FormatShape(s.from.ChunkShape),
		cli.ByteSize(s.copied.Chunks), cli.Percent(s.copied.Utilisation(), 1), cli.FormatShape(s.to.ChunkShape))
}

// warn prints a warning if the copy needs much more space, with a chunk shape that needs less.
func (s copySizes) warn(w io.Writer) {
	if !s.copied.TooLarge(s.old) {
		return
	}
	fit := s.to
	fit.ChunkShape = s.to.FittingChunk()
	fmt.Fprintf(w, "drx: %s: chunks of %s take %s, %.1f times as much as now, because most of them is outside of the array; --chunk %s would take %s\n",
		s.name, cli.FormatShape(s.to.ChunkShape), cli.ByteSize(s.copied.Chunks), float64(s.copied.Chunks)/float64(max(1, s.old.Chunks)),
		cli.FormatInts(fit.ChunkShape), cli.ByteSize(fit.Size(s.align).Chunks))
}

func passes(n int) string {
	if n == 1 {
		return "one pass"
	}
	return fmt.Sprintf("%d passes", n)
}

func printPlan(w io.Writer, src, dst relayout.Grid, p *relayout.Plan, sizes copySizes) error {
	for i, pass := range p.Passes {
		fmt.Fprintf(w, "pass %d: chunks %s -> %s, template %s\n", i+1,
			cli.FormatShape(pass.Source.ChunkShape), cli.FormatShape(pass.Target.ChunkShape), cli.FormatShape(pass.Template))
		fmt.Fprintf(w, "  reads %d chunks, %s; writes %d chunks, %s; memory %s\n",
			pass.Cost.Reads, cli.ByteSize(pass.Cost.BytesRead), pass.Cost.Writes, cli.ByteSize(pass.Cost.BytesWritten), cli.ByteSize(pass.PeakMemory))
	}
	all := p.Cost()
	fmt.Fprintf(w, "%s: %s in %d operations, memory %s of %s\n",
		passes(len(p.Passes)), cli.ByteSize(all.Bytes()), all.Operations(), cli.ByteSize(p.PeakMemory()), cli.ByteSize(p.Memory))
	sizes.print(w)
	simple, err := relayout.ChunkByChunkCost(src, dst, p.Order)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "a chunk-by-chunk copy would move %s\n", cli.ByteSize(simple.Bytes()))
	return nil
}
