package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"drx/cmd/internal/result"
	"drx/relayout"
)

// A byteCount is a number of bytes on the command line, written as for drx: 4096, 64KiB, 1GiB.
type byteCount int64

// byteUnits are the units of a byteCount, each 1024 times the one before.
var byteUnits = []string{"B", "KiB", "MiB", "GiB"}

// Set parses a number of at least one byte.
func (b *byteCount) Set(text string) error {
	number, shift := text, 0
	for i, unit := range byteUnits {
		if rest, ok := strings.CutSuffix(text, unit); ok {
			number, shift = rest, 10*i
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32+1)
	if err != nil || n < 1 {
		return errors.New("not a positive number of bytes, KiB, MiB or GiB")
	}
	*b = byteCount(n << shift)
	return nil
}

// String returns the number with the largest unit in which it is whole.
func (b *byteCount) String() string {
	n, i := *b, 0
	for ; n > 0 && n%1024 == 0 && i < len(byteUnits)-1; i++ {
		n /= 1024
	}
	return strconv.FormatInt(int64(n), 10) + byteUnits[i]
}

// Type returns the name of the type, for messages.
func (b *byteCount) Type() string { return "bytes" }

// reportSizes prints the sizes of an array and its copy, and how much of them is used. If the copy
// is much larger, it also prints a chunk shape that needs less space.
func (p *process) reportSizes(from, to relayout.Grid, align int) {
	if p.asJSON {
		return
	}
	old, copied := from.Size(align), to.Size(align)
	p.reportf("%d bytes in chunks of %v, %.0f%% used, become %d in chunks of %v, %.0f%% used\n",
		old.Chunks, from.ChunkShape, 100*old.Utilisation(), copied.Chunks, to.ChunkShape, 100*copied.Utilisation())
	if !copied.TooLarge(old) {
		return
	}
	fit := to
	fit.ChunkShape = to.FittingChunk()
	p.reportf("warning: that is %.1f times as much, because most of the chunks is outside of the array; --chunk %s would take %d bytes\n",
		float64(copied.Chunks)/float64(max(1, old.Chunks)), strings.ReplaceAll(strings.Trim(fmt.Sprint(fit.ChunkShape), "[]"), " ", ","),
		fit.Size(align).Chunks)
}

// A parallelCopy describes a copy that was made, or would be made, as JSON.
type parallelCopy struct {
	result.Copy
	Procs int   `json:"procs"`
	Block []int `json:"block,omitempty"` // chunks of a step, which belong to different processes
}

// newParallelCopy returns the result of a copy with a plan.
func newParallelCopy(name, state string, plan *relayout.ParallelPlan) parallelCopy {
	var passes []relayout.Pass
	if len(plan.Pass.Template) > 0 {
		passes = append(passes, plan.Pass)
	}
	planned := result.NewCost(plan.Pass.Cost, plan.PeakMemory)
	return parallelCopy{result.NewCopy(name, state, planned, passes...), plan.Procs, plan.Block}
}

// reportPlan reports the cost of a copy without making it.
func (p *process) reportPlan(name string, plan *relayout.ParallelPlan) error {
	c := plan.Pass.Cost
	return p.reportResult(newParallelCopy(name, result.Planned, plan), func() {
		p.reportf("%d processes, chunks %v -> %v, template %v, steps of %v new chunks\n",
			plan.Procs, plan.Pass.Source.ChunkShape, plan.Pass.Target.ChunkShape, plan.Pass.Template, plan.Block)
		p.reportf("reads %d bytes in %d chunks, writes %d in %d; %d bytes of buffers each\n",
			c.BytesRead, c.Reads, c.BytesWritten, c.Writes, plan.PeakMemory)
	})
}

// reportCopied reports the result of a copy, next to its plan.
func (p *process) reportCopied(name string, plan *relayout.ParallelPlan, s relayout.Stats) error {
	r := newParallelCopy(name, result.Copied, plan)
	r.Copy = r.Copy.Done(s)
	return p.reportResult(r, func() {
		c, planned := s.Cost, s.Plan.Cost()
		p.reportf("%s: read %d bytes in %d chunks, wrote %d in %d\n", name, c.BytesRead, c.Reads, c.BytesWritten, c.Writes)
		if s.Skipped.Bytes() > 0 {
			p.reportf("%d bytes in %d chunks had been copied before\n", s.Skipped.Bytes(), s.Skipped.Operations())
		}
		p.reportf("planned: read %d in %d, write %d in %d; %d bytes of buffers each, %v\n", planned.BytesRead, planned.Reads,
			planned.BytesWritten, planned.Writes, s.PeakMemory, s.Elapsed.Round(time.Millisecond))
	})
}

// progress returns a function that prints the progress of a copy, at most once a second. It prints
// lines on the error output, which mpirun passes on.
func (p *process) progress(name string) func(done, total int64) {
	begun := time.Now()
	last := begun
	return func(done, total int64) {
		if now := time.Now(); now.Sub(last) >= time.Second || done == total {
			last = now
			fmt.Fprintf(os.Stderr, "%s: %d of %d bytes, %d%%, %v\n", name, done, total, 100*done/max(total, 1), now.Sub(begun).Round(time.Second))
		}
	}
}
