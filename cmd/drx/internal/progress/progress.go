// Package progress shows the progress of a long verb.
package progress

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"drx/cmd/drx/internal/cli"
)

// A Progress shows the amount done, the speed and the remaining time on the error output: on a
// terminal as a bar that is redrawn, otherwise, with --progress, as a line every few seconds. The
// zero Progress shows nothing.
type Progress struct {
	done atomic.Int64
	out  io.Writer // nil for none
	stop chan struct{}
	gone sync.WaitGroup
}

const (
	barDelay    = 300 * time.Millisecond // a verb that ends sooner shows no bar
	barInterval = 200 * time.Millisecond
	// lineInterval is the time between two lines where there is no terminal.
	lineInterval = 3 * time.Second
)

// New starts a progress for a number of bytes, 0 if it is unknown.
func New(cmd *cobra.Command, bytes int64) *Progress {
	return startProgress(cmd, bytes, cli.ByteSize)
}

// None returns a progress that shows nothing.
func None(int64) *Progress { return &Progress{} }

// NewCount starts a progress that counts things, such as chunks or pictures, instead of bytes.
func NewCount(cmd *cobra.Command, things int64) *Progress {
	return startProgress(cmd, things, func(n int64) string { return strconv.FormatInt(n, 10) })
}

func startProgress(cmd *cobra.Command, total int64, amount func(int64) string) *Progress {
	w := cmd.ErrOrStderr()
	switch {
	case cli.IsQuiet(cmd):
		return &Progress{}
	case cli.IsTerminal(w):
		return showBar(w.(*os.File), total, amount)
	case cli.WantsProgress(cmd):
		return showLines(w, total, amount, lineInterval)
	}
	return &Progress{}
}

// showBar shows a bar on a terminal. It is removed at the end.
func showBar(w *os.File, total int64, amount func(int64) string) *Progress {
	m := &meter{total: total, began: time.Now()}
	shown := false
	return showEach(w, m, barInterval, func(ended bool) {
		switch cols, _, err := term.GetSize(int(w.Fd())); {
		case ended && shown:
			fmt.Fprint(w, "\r\x1b[K")
		case !ended && err == nil && time.Since(m.began) >= barDelay:
			shown = true
			fmt.Fprintf(w, "\r%s\x1b[K", m.bar(cols, amount))
		}
	})
}

// showLines prints a line at each interval, and one at the end.
func showLines(w io.Writer, total int64, amount func(int64) string, interval time.Duration) *Progress {
	m := &meter{total: total, began: time.Now()}
	return showEach(w, m, interval, func(bool) {
		if m.total > 0 || m.done > 0 {
			fmt.Fprintf(w, "drx: %s\n", m.line(amount))
		}
	})
}

// showEach calls show after each interval, and at the end, with the meter up to date.
func showEach(w io.Writer, m *meter, interval time.Duration, show func(ended bool)) *Progress {
	p := &Progress{out: w, stop: make(chan struct{})}
	p.gone.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for ended := false; !ended; {
			select {
			case <-tick.C:
			case <-p.stop:
				ended = true
			}
			m.measure(p.done.Load(), time.Now())
			show(ended)
		}
	})
	return p
}

// Add reports that n more bytes or things are done.
func (p *Progress) Add(n int) { p.done.Add(int64(n)) }

// End ends the progress. It must be called before anything else is printed; another call has no
// effect.
func (p *Progress) End() {
	if p.out == nil {
		return
	}
	p.out = nil
	close(p.stop)
	p.gone.Wait()
}
