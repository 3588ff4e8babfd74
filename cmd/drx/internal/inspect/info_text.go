package inspect

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/schema"
	"drx/cube"
)

// historyEnds is the number of records shown from each end of a long history.
const historyEnds = 5

// print writes the info for people, with its history, which all shows whole if it is long.
func (i arrayInfo) print(out io.Writer, history, all bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	line("name", "%s", cli.Printable(i.Name))
	line("dtype", "%s", i.DType)
	line("rank", "%d", i.Rank)
	line("shape", "%s", cli.FormatShape(i.Shape))
	line("bounds", "%v", i.bounds())
	line("dims", "%s", strings.Join(i.names(), ", "))
	line("chunk", "%s, %s order, a slot of %s%s", cli.FormatShape(i.Chunk), i.Order, cli.ByteSize(i.Slot), i.alignment())
	line("fill", "%s", i.Fill)
	line("grid", "%s chunks from %s on", cli.FormatShape(i.Grid), cli.FormatInts(i.GridLo))
	line("chunks", "%d, %d written (%s)", i.Chunks, i.Written, cli.Percent(float64(i.Written), float64(i.Chunks)))
	line("utilisation", "%s of the allocated elements are within the bounds", cli.Percent(i.Utilisation, 1))
	if i.Codec != "" {
		line("codec", "%s%s", i.Codec, i.stored())
	}
	if i.Recompress {
		line("", "chunks have codecs of before, too: drx recompress %s --codec %s goes on, unless it is running", cli.Printable(i.Name), i.Codec)
	}
	line("bytes", "%s logical, %s on disk, %s log, %s table%s", cli.ByteSize(i.Logical), cli.ByteSize(i.OnDisk), cli.ByteSize(i.Log), cli.ByteSize(i.Table), i.journal())
	line("commits", "%d", i.Commits)
	line("segments", "%d", i.Segments)
	if levels := i.levels(); levels != "" {
		line("levels", "%s", levels)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if history {
		if err := i.printHistory(out, all); err != nil {
			return err
		}
	}
	return i.printAttrs(out)
}

// levels lists the levels of labels and their dimensions, empty if there are none.
func (i arrayInfo) levels() string {
	var levels []string
	for attr := range i.Attrs {
		if dim, name, ok := cube.LevelOf(attr); ok && dim < i.Rank {
			levels = append(levels, fmt.Sprintf("%s (%s)", cli.Printable(name), i.names()[dim]))
		}
	}
	slices.Sort(levels)
	return strings.Join(levels, ", ")
}

// stored returns a phrase about the space that the written chunks take, empty if there are none.
func (i arrayInfo) stored() string {
	if i.Stored == 0 {
		return ""
	}
	return fmt.Sprintf(", %s stored%s of the chunks", cli.ByteSize(i.Stored), ratio(i.WrittenBytes, i.Stored))
}

// ratio returns a phrase about the ratio of stored to written bytes, empty if nothing is written.
func ratio(written, stored int64) string {
	if stored == 0 {
		return ""
	}
	return fmt.Sprintf(", 1 / %.2f", float64(written)/float64(stored))
}

// alignment returns a phrase about the alignment of slots, empty if there is none.
func (i arrayInfo) alignment() string {
	if i.Align == 0 {
		return ""
	}
	return ", aligned to " + cli.ByteSize(int64(i.Align))
}

// journal returns a phrase about the journal, empty if it occupies no space.
func (i arrayInfo) journal() string {
	if i.Journal == 0 {
		return ""
	}
	return fmt.Sprintf(", %s journal", cli.ByteSize(i.Journal))
}

// names returns the names of the dimensions for printing.
func (i arrayInfo) names() []string { return cli.PrintableDims(i.Dims) }

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
		fmt.Fprintf(w, "  %d\t%s\t%s\t%d\t%d\t%s\n", n, names[r.Dim], r.Side, r.Start, r.Number, cli.FormatInts(r.Coefficients))
	}
	return w.Flush()
}

func (i arrayInfo) printAttrs(out io.Writer) error {
	if len(i.Attrs) == 0 {
		return nil
	}
	fmt.Fprintln(out, "\nattributes")
	return schema.ListAttrs(out, i.Attrs, "  ")
}
