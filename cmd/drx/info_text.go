package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// historyEnds is the number of records shown from each end of a long history.
const historyEnds = 5

// print writes the info for people; all shows a long history whole.
func (i arrayInfo) print(out io.Writer, all bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	line("name", "%s", printable(i.Name))
	line("dtype", "%s", i.DType)
	line("rank", "%d", i.Rank)
	line("shape", "%s", formatShape(i.Shape))
	line("bounds", "%v", i.bounds())
	line("dims", "%s", strings.Join(i.names(), ", "))
	line("chunk", "%s, %s order, a slot of %s%s", formatShape(i.Chunk), i.Order, byteSize(i.Slot), i.alignment())
	line("fill", "%s", i.Fill)
	line("grid", "%s chunks from %s on", formatShape(i.Grid), formatInts(i.GridLo))
	line("chunks", "%d, %d written (%s)", i.Chunks, i.Written, percent(float64(i.Written), float64(i.Chunks)))
	line("utilisation", "%s of the allocated elements are within the bounds", percent(i.Utilisation, 1))
	line("bytes", "%s logical, %s on disk, %s log, %s table%s", byteSize(i.Logical), byteSize(i.OnDisk), byteSize(i.Log), byteSize(i.Table), i.journal())
	line("commits", "%d", i.Commits)
	line("segments", "%d", i.Segments)
	if err := w.Flush(); err != nil {
		return err
	}
	if err := i.printHistory(out, all); err != nil {
		return err
	}
	return i.printAttrs(out)
}

// alignment returns a phrase about the alignment of slots, empty if there is none.
func (i arrayInfo) alignment() string {
	if i.Align == 0 {
		return ""
	}
	return ", aligned to " + byteSize(int64(i.Align))
}

// journal returns a phrase about the journal, empty if it takes no space.
func (i arrayInfo) journal() string {
	if i.Journal == 0 {
		return ""
	}
	return fmt.Sprintf(", %s journal", byteSize(i.Journal))
}

// percent formats a share. It says 100 % only if part equals whole.
func percent(part, whole float64) string {
	if whole == 0 {
		return "none"
	}
	share := 100 * part / whole
	if share > 99.9 && part < whole {
		share = 99.9
	}
	return strconv.FormatFloat(share, 'f', 1, 64) + " %"
}

// names returns the names of the dimensions for printing.
func (i arrayInfo) names() []string { return printableDims(i.Dims) }

func (i arrayInfo) printHistory(out io.Writer, all bool) error {
	if len(i.Records) == 0 {
		return nil
	}
	fmt.Fprintln(out, "\nhistory")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  segment\tdim\tside\tstart\tnumber\tcoefficients")
	names := i.names()
	for n, r := range i.Records {
		if !all && n >= historyEnds && n < len(i.Records)-historyEnds {
			if n == historyEnds {
				fmt.Fprintf(w, "  ...\t\t\t\t\t%d more, see --all\n", len(i.Records)-2*historyEnds)
			}
			continue
		}
		fmt.Fprintf(w, "  %d\t%s\t%s\t%d\t%d\t%s\n", n, names[r.Dim], r.Side, r.Start, r.Number, formatInts(r.Coefficients))
	}
	return w.Flush()
}

func (i arrayInfo) printAttrs(out io.Writer) error {
	if len(i.Attrs) == 0 {
		return nil
	}
	fmt.Fprintln(out, "\nattributes")
	return listAttrs(out, i.Attrs, "  ")
}
