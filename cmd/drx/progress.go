package main

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
)

// A progress shows on the error output how much is done, the speed and the remaining time: on a terminal as a bar that
// is redrawn, otherwise, with --progress, as a line every few seconds. The zero progress shows nothing.
type progress struct {
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

// addOutputFlags adds the flags that say how much all verbs tell.
func addOutputFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.Bool("progress", false, "print how far a long verb is every few seconds, on the error output, without a terminal too")
	f.Bool("quiet", false, "print no progress, no notes, and no lines that only confirm what was done; answers, --json, warnings and errors remain")
}

// checkOutputFlags checks the flags of addOutputFlags.
func checkOutputFlags(cmd *cobra.Command) error {
	if isQuiet(cmd) && wantsProgress(cmd) {
		return usagef("%s: --quiet and --progress exclude each other", cmd.Name())
	}
	return nil
}

// isQuiet reports whether --quiet was given.
func isQuiet(cmd *cobra.Command) bool { return isOn(cmd, "quiet") }

// wantsProgress reports whether --progress was given.
func wantsProgress(cmd *cobra.Command) bool { return isOn(cmd, "progress") }

func isOn(cmd *cobra.Command, flag string) bool {
	on, _ := cmd.Flags().GetBool(flag) // no error: the root command has the flag
	return on
}

// newProgress starts a progress for a number of bytes, 0 if it is unknown.
func newProgress(cmd *cobra.Command, bytes int64) *progress {
	return startProgress(cmd, bytes, byteSize)
}

// noProgress returns a progress that shows nothing.
func noProgress(int64) *progress { return &progress{} }

// newCount starts a progress for a number of chunks, pictures or the like.
func newCount(cmd *cobra.Command, things int64) *progress {
	return startProgress(cmd, things, func(n int64) string { return strconv.FormatInt(n, 10) })
}

func startProgress(cmd *cobra.Command, total int64, amount func(int64) string) *progress {
	w := cmd.ErrOrStderr()
	switch {
	case isQuiet(cmd):
		return &progress{}
	case isTerminal(w):
		return showBar(w.(*os.File), total, amount)
	case wantsProgress(cmd):
		return showLines(w, total, amount, lineInterval)
	}
	return &progress{}
}

// showBar shows a bar on a terminal. It is removed at the end.
func showBar(w *os.File, total int64, amount func(int64) string) *progress {
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
func showLines(w io.Writer, total int64, amount func(int64) string, interval time.Duration) *progress {
	m := &meter{total: total, began: time.Now()}
	return showEach(w, m, interval, func(bool) {
		if m.total > 0 || m.done > 0 {
			fmt.Fprintf(w, "drx: %s\n", m.line(amount))
		}
	})
}

// showEach calls show after each interval, and at the end, with the meter up to date.
func showEach(w io.Writer, m *meter, interval time.Duration, show func(ended bool)) *progress {
	p := &progress{out: w, stop: make(chan struct{})}
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

// add reports that n more bytes or things are done.
func (p *progress) add(n int) { p.done.Add(int64(n)) }

// end ends the progress. It must be called before anything else is printed; another call has no effect.
func (p *progress) end() {
	if p.out == nil {
		return
	}
	p.out = nil
	close(p.stop)
	p.gone.Wait()
}
