package main

import (
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// A progress is a bar on the error output that shows how much is done, the speed and the remaining time.
// If the error output is not a terminal, there is no bar, and the methods do nothing.
type progress struct {
	all *mpb.Progress
	bar *mpb.Bar
}

// barDelay is the time after which a verb shows its bar.
const barDelay = 300 * time.Millisecond

// newProgress starts a bar for a number of bytes.
func newProgress(cmd *cobra.Command, bytes int64) *progress {
	return startProgress(cmd.ErrOrStderr(), bytes,
		decor.CountersKibiByte("% .1f of % .1f"), decor.AverageSpeed(decor.SizeB1024(0), "  % .1f"))
}

// noProgress returns a progress without a bar.
func noProgress(int64) *progress { return &progress{} }

// newCount starts a bar for a number of chunks, pictures or the like.
func newCount(cmd *cobra.Command, things int64) *progress {
	return startProgress(cmd.ErrOrStderr(), things,
		decor.CountersNoUnit("%d of %d"), decor.AverageSpeed(0, "  %.0f/s"))
}

func startProgress(w io.Writer, total int64, counters, speed decor.Decorator) *progress {
	if !isTerminal(w) || total == 0 {
		return &progress{}
	}
	show := make(chan struct{})
	time.AfterFunc(barDelay, func() { close(show) })
	all := mpb.New(mpb.WithOutput(w), mpb.WithWidth(40), mpb.WithRenderDelay(show))
	return &progress{all, all.AddBar(total,
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(counters, decor.Name("  ")),
		mpb.AppendDecorators(speed, decor.AverageETA(decor.ET_STYLE_GO, decor.WC{W: 8}), decor.Name(" left")),
	)}
}

// add reports that n more bytes or things are done.
func (p *progress) add(n int) {
	if p.bar != nil {
		p.bar.IncrBy(n)
	}
}

// end removes the bar. It must be called before anything else is printed.
func (p *progress) end() {
	if p.bar != nil {
		p.bar.Abort(true) // has no effect on a bar that is complete
		p.all.Wait()
	}
}
