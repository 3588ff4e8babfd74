// Package query has the verbs read, stats (and sum), and diff, which print elements, statistics of
// them, and differences.
package query

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/scaled"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
	"drx/formats"
	"drx/formats/transfer"
	"drx/nd"
)

// readOptions are the flags of read.
type readOptions struct {
	selection.Flags
	order, out     string
	csv, long      bool
	limit, version int
}

// NewRead returns the verb read.
func NewRead() *cobra.Command {
	var o readOptions
	cmd := &cobra.Command{
		Use:     "read ARRAY",
		Short:   "Read a section to a file or the terminal",
		GroupID: cli.GroupFirst,
		Long: `Read a section of an array and print it as a table or as CSV, or write it to a .npy or .csv file
with -o.

A section has one range per dimension: 2:6, 3:9:2 with a step, 7 for one index, : for all.
A negative index is an index below zero; it does not count from the end. A dimension read at
one index is kept, with extent one.

--at gives indices of some dimensions only: time=3,y=0:100. --sel selects by the values of
coordinates, as in a dataset, and by labels, see append: lat=50.2,store=7 selects one index
each, store=3|4 several, and time=2013-01-01..2013-12-31 a range by value with both ends, open
at an end without a value. One value of a coordinate selects the nearest index, with
--method exact only an equal value. 'drx help selection' says more.

--order col stores the same array column-major (fortran_order); a permutation like 1,0
transposes it. The file is streamed, and replaces one of that name only when it is complete.
Nothing is written if there is not enough disk space.

A table applies the attributes scale_factor and add_offset, and a note says so, and has NaN for
what _FillValue, missing_value and nodata call missing. CSV, JSON and files have the stored
values; for CSV a note says so where values are others, or NaN, and drx export A A.csv writes
these.

CSV has one line per row of the last dimension, which begins with the other indices, or with
--long one line per element, as append --coords reads it. Tables and CSV show labels
where there are any, otherwise values of coordinates, otherwise indices. Unprintable characters of
labels are escaped, as in \x1b, in tables and on a terminal; CSV in a file or a pipe has them
unchanged.

With --at-version the array is as it was after an earlier commit, see log. Overwritten elements are
not kept: chunks that were overwritten or dropped since are an error.`,
		Example: `  drx read radar --section 0:24,383,350
  drx read radar --section :,-10:10,:700:2 -o part.npy
  drx read A --order 1,0 -o transposed.npy
  drx read sales --sel 'store=3|4,date=2013-01-01..2013-01-31'
  drx read A -o A.csv`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			toCSV := strings.EqualFold(filepath.Ext(o.out), ".csv")
			if o.csv = o.csv || o.long || toCSV; o.csv && o.out != "" && !toCSV {
				return cli.Usagef("read: -o %s is no .csv file, which --csv and --long write", cli.Printable(o.out))
			}
			if err := cli.CheckNotJSON(cmd, o.csv || o.out != "", "--csv, --long and -o"); err != nil {
				return err
			}
			if o.limit < 0 {
				return cli.Usagef("read: --limit %d: want 0 or more", o.limit)
			}
			if err := cli.CheckExtension(o.out, ".npy", ".csv"); err != nil {
				return err
			}
			return arrays.WithVersion(cmd, args[0], o.version, func(a *drx.Array) error { return o.read(cmd, a) })
		},
	}
	o.Flags.AddTo(cmd)
	f := cmd.Flags()
	f.StringVar(&o.order, "order", "row", "`order` of the dimensions: row, col or a permutation")
	f.StringVarP(&o.out, "output", "o", "", ".npy or .csv `file` to write, - for standard output (default: a table)")
	f.BoolVar(&o.csv, "csv", false, "write CSV, one line per row")
	f.BoolVar(&o.long, "long", false, "write CSV, one line per element")
	f.IntVar(&o.limit, "limit", 10, "largest `number` of rows, columns and slices in a table, 0 for all")
	arrays.AddVersionFlag(cmd, &o.version)
	cli.CompleteFlag(cmd, "order", cobra.FixedCompletions([]string{"row", "col"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o readOptions) read(cmd *cobra.Command, a *drx.Array) error {
	c, sel, err := o.CubeOf(cmd, a)
	if err != nil {
		return err
	}
	order, err := nd.ParseOrder(o.order, a.Rank())
	if err != nil {
		return cli.Usagef("--order %s: %w", o.order, err)
	}
	stdout := cmd.OutOrStdout()
	switch {
	case o.out != "" && !o.csv:
		info := formats.Info{DType: a.DType(), Shape: order.Apply(sel.Shape())}
		if o.order == "col" { // not a transposition: the same array, stored column-major
			info.Order, info.Shape = order, sel.Shape()
		}
		save := func(w io.Writer) error { return saveNPY(cmd, c, sel, order, info, w) }
		if o.out == "-" {
			return save(stdout)
		}
		if err := transfer.CheckSpace(o.out, selection.SelectionBytes(a, sel)); err != nil {
			return err
		}
		return outfile.Replace(o.out, save)
	case o.order == "col":
		order = nd.RowMajor // col only changes the file: a table is the same in both
	}
	if o.long || o.csv {
		cli.Note(cmd, a, scaled.MeaningOf(a, true).Within(sel).NoteStored("CSV"))
	}
	switch {
	case cli.WantsJSON(cmd):
		return printReadJSON(cmd.Context(), stdout, c, sel, order)
	case o.csv:
		print := printCSV
		if o.long {
			print = printLong
		}
		save := func(w io.Writer) error { return print(cmd.Context(), w, c, sel, order) }
		if o.out != "" {
			return outfile.Replace(o.out, save)
		}
		return save(stdout)
	}
	m, scales := scaled.MeaningOf(a, true), -1
	if m.PerIndex() {
		scales = m.Dim
	}
	cli.Note(cmd, a, m.Note)
	return printTable(cmd.Context(), stdout, c, sel, order, table{limit: o.limit, text: m.Texts(a), scales: scales})
}

// saveNPY streams a selection, in the given order, to a .npy file.
func saveNPY(cmd *cobra.Command, c *cube.Cube, sel cube.Selection, order nd.Order, info formats.Info, to io.Writer) error {
	w, err := formats.Create(to, "npy", info)
	if err != nil {
		return err
	}
	p := progress.New(cmd, selection.SelectionBytes(c.Array(), sel))
	defer p.End()
	done := 0
	err = selection.EachPart(cmd.Context(), c, sel, order, func(part cube.Selection, b []byte) error {
		shape := part.Shape()
		if info.Order == nil { // the file is row-major, with its dimensions permuted
			shape = order.Apply(shape)
		}
		sec := boxAt(info, done/info.DType.Size(), shape)
		done += len(b)
		p.Add(len(b))
		return w.WriteSection(sec, b)
	})
	if err != nil {
		return err
	}
	return w.Close()
}

// boxAt returns the section of the given shape whose first element is preceded by before elements
// in the file.
func boxAt(info formats.Info, before int, shape []int) nd.Section {
	sec := make(nd.Section, len(shape))
	for d, stride := range info.Order.Strides(info.Shape) {
		lo := before / max(1, stride) % max(1, info.Shape[d])
		sec[d] = nd.Span(lo, lo+shape[d])
	}
	return sec
}
