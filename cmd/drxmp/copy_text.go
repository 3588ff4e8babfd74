package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"drx/cmd/internal/result"
	"drx/cmd/internal/summary"
	"drx/internal/wording"
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
func (p *process) reportPlan(name string, plan *relayout.ParallelPlan, sizes summary.Sizes) error {
	return p.reportResult(newParallelCopy(name, result.Planned, plan), func() {
		if len(plan.Pass.Template) > 0 {
			summary.Pass(&p.report, 1, plan.Pass)
			p.reportf("%d processes, steps of %s new chunks\n", plan.Procs, wording.Shape(plan.Block))
		}
		sizes.Print(&p.report)
		p.warnOf(sizes)
	})
}

// warnOf reports that a copy needs much more space, if it does.
func (p *process) warnOf(sizes summary.Sizes) {
	if warning := sizes.Warning(); warning != "" {
		p.reportf("drxmp: %s\n", warning)
	}
}

// reportCopied reports the result of a copy, next to its plan.
func (p *process) reportCopied(name string, plan *relayout.ParallelPlan, s relayout.Stats, sizes summary.Sizes) error {
	r := newParallelCopy(name, result.Copied, plan)
	r.Copy = r.Copy.Done(s)
	return p.reportResult(r, func() {
		summary.Copied(&p.report, wording.Printable(name), s, sizes)
		p.warnOf(sizes)
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
