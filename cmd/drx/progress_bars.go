package main

import "github.com/spf13/cobra"

// progressBars shows the progress of work that calls back with what is done, one bar after the other for each total.
type progressBars struct {
	cmd         *cobra.Command
	bar         *progress
	done, total int64
}

// report shows how far the work is, of total bytes.
func (b *progressBars) report(done, total int64) {
	if b.bar == nil || total != b.total || done < b.done {
		b.end()
		b.bar, b.done, b.total = newProgress(b.cmd, total), 0, total
	}
	b.bar.add(int(done - b.done))
	b.done = done
}

// end ends the last bar.
func (b *progressBars) end() {
	if b.bar != nil {
		b.bar.end()
	}
	b.bar = nil
}
