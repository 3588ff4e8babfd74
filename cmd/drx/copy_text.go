package main

import (
	"fmt"
	"io"
	"time"

	"drx/relayout"
)

// printSummary prints the cost of a copy beside the predicted one.
func printSummary(w io.Writer, name string, s relayout.Stats) {
	planned := s.Plan.Cost()
	fmt.Fprintf(w, "%s: %s, %s in %d operations and %s of buffers; planned %s, %d, %s\n",
		name, passes(len(s.Plan.Passes)), byteSize(s.Cost.Bytes()), s.Cost.Operations(), byteSize(s.PeakMemory),
		byteSize(planned.Bytes()), planned.Operations(), byteSize(s.Plan.PeakMemory()))
	if s.Skipped.Bytes() > 0 {
		fmt.Fprintf(w, "%s had been copied before\n", byteSize(s.Skipped.Bytes()))
	}
	rate := int64(float64(s.Cost.Bytes()) / max(s.Elapsed.Seconds(), 1e-9))
	fmt.Fprintf(w, "%s, %s/s\n", s.Elapsed.Round(time.Millisecond), byteSize(rate))
}

func passes(n int) string {
	if n == 1 {
		return "one pass"
	}
	return fmt.Sprintf("%d passes", n)
}

func printPlan(w io.Writer, src, dst relayout.Grid, p *relayout.Plan) error {
	for i, pass := range p.Passes {
		fmt.Fprintf(w, "pass %d: chunks %s -> %s, template %s\n", i+1,
			formatShape(pass.Source.ChunkShape), formatShape(pass.Target.ChunkShape), formatShape(pass.Template))
		fmt.Fprintf(w, "  reads %d chunks, %s; writes %d chunks, %s; memory %s\n",
			pass.Cost.Reads, byteSize(pass.Cost.BytesRead), pass.Cost.Writes, byteSize(pass.Cost.BytesWritten), byteSize(pass.PeakMemory))
	}
	all := p.Cost()
	fmt.Fprintf(w, "%s: %s in %d operations, memory %s of %s\n",
		passes(len(p.Passes)), byteSize(all.Bytes()), all.Operations(), byteSize(p.PeakMemory()), byteSize(p.Memory))
	simple, err := relayout.ChunkByChunkCost(src, dst, p.Order)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "a chunk-by-chunk copy would move %s\n", byteSize(simple.Bytes()))
	return nil
}
