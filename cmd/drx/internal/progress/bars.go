package progress

import "github.com/spf13/cobra"

// Bars shows the progress of work with several parts, one bar after the other. The work calls
// Report; a new total begins a new bar.
type Bars struct {
	Cmd         *cobra.Command
	bar         *Progress
	done, total int64
}

// Report shows that done of total bytes are processed.
func (b *Bars) Report(done, total int64) {
	if b.bar == nil || total != b.total || done < b.done {
		b.End()
		b.bar, b.done, b.total = New(b.Cmd, total), 0, total
	}
	b.bar.Add(int(done - b.done))
	b.done = done
}

// End ends the last bar.
func (b *Bars) End() {
	if b.bar != nil {
		b.bar.End()
	}
	b.bar = nil
}
