// Package summary describes copies as text, for drx copy and drxmp copy.
package summary

import (
	"fmt"
	"io"
	"time"

	"drx/internal/wording"
	"drx/relayout"
)

// Copied prints the cost of a copy beside the predicted one, and its sizes. name is printable.
func Copied(w io.Writer, name string, s relayout.Stats, sizes Sizes) {
	moved, planned := costText(s.Cost, s.PeakMemory), costText(s.Plan.Cost(), s.Plan.PeakMemory())
	if moved == planned {
		planned = "as"
	}
	fmt.Fprintf(w, "%s: %s moved %s (%s planned)\n", name, passes(len(s.Plan.Passes)), moved, planned)
	sizes.Print(w)
	if s.Skipped.Bytes() > 0 {
		fmt.Fprintf(w, "%s had been copied before\n", wording.Bytes(s.Skipped.Bytes()))
	}
	rate := int64(float64(s.Cost.Bytes()) / max(s.Elapsed.Seconds(), 1e-9))
	fmt.Fprintf(w, "%s, %s/s\n", s.Elapsed.Round(time.Millisecond), wording.Bytes(rate))
}

// costText describes the bytes that a copy moves and the memory of its buffers.
func costText(c relayout.Cost, memory int64) string {
	return fmt.Sprintf("%s in %d operations, %s of memory", wording.Bytes(c.Bytes()), c.Operations(), wording.Bytes(memory))
}

// Sizes are the sizes of an array and of its copy.
type Sizes struct {
	name        string // of the copy
	from, to    relayout.Grid
	align       int
	old, copied relayout.Size
}

// NewSizes returns the sizes of an array and of its copy, whose chunks begin at multiples of align
// bytes. name is that of the copy, printable.
func NewSizes(name string, from, to relayout.Grid, align int) Sizes {
	return Sizes{name, from, to, align, from.Size(align), to.Size(align)}
}

// Print prints the sizes and how much of them is used.
func (s Sizes) Print(w io.Writer) {
	fmt.Fprintf(w, "%s, %s used, in chunks of %s become %s, %s used, in chunks of %s\n",
		wording.Bytes(s.old.Chunks), wording.Percent(s.old.Utilisation(), 1), wording.Shape(s.from.ChunkShape),
		wording.Bytes(s.copied.Chunks), wording.Percent(s.copied.Utilisation(), 1), wording.Shape(s.to.ChunkShape))
}

// Warning returns a sentence if the copy needs much more space, with a chunk shape that needs less;
// otherwise "".
func (s Sizes) Warning() string {
	if !s.copied.TooLarge(s.old) {
		return ""
	}
	fit := s.to
	fit.ChunkShape = s.to.FittingChunk()
	return fmt.Sprintf("%s: chunks of %s take %s, %.1f times as much as now, because most of them is outside of the array; --chunk %s would take %s",
		s.name, wording.Shape(s.to.ChunkShape), wording.Bytes(s.copied.Chunks), float64(s.copied.Chunks)/float64(max(1, s.old.Chunks)),
		wording.Ints(fit.ChunkShape), wording.Bytes(fit.Size(s.align).Chunks))
}

func passes(n int) string {
	if n == 1 {
		return "one pass"
	}
	return fmt.Sprintf("%d passes", n)
}

// Pass prints what a pass does; number counts from 1.
func Pass(w io.Writer, number int, pass relayout.Pass) {
	fmt.Fprintf(w, "pass %d: chunks %s -> %s, template %s\n", number,
		wording.Shape(pass.Source.ChunkShape), wording.Shape(pass.Target.ChunkShape), wording.Shape(pass.Template))
	fmt.Fprintf(w, "  reads %d chunks, %s; writes %d chunks, %s; memory %s\n",
		pass.Cost.Reads, wording.Bytes(pass.Cost.BytesRead), pass.Cost.Writes, wording.Bytes(pass.Cost.BytesWritten), wording.Bytes(pass.PeakMemory))
}

// Plan prints the passes of a plan and its cost, and that of a plain copy. The error is that of
// relayout.ChunkByChunkCost.
func Plan(w io.Writer, src, dst relayout.Grid, p *relayout.Plan, sizes Sizes) error {
	for i, pass := range p.Passes {
		Pass(w, i+1, pass)
	}
	all := p.Cost()
	fmt.Fprintf(w, "%s: %s in %d operations, memory %s of %s\n",
		passes(len(p.Passes)), wording.Bytes(all.Bytes()), all.Operations(), wording.Bytes(p.PeakMemory()), wording.Bytes(p.Memory))
	sizes.Print(w)
	simple, err := relayout.ChunkByChunkCost(src, dst, p.Order)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "a chunk-by-chunk copy would move %s\n", wording.Bytes(simple.Bytes()))
	return nil
}
