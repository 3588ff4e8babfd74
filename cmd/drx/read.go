package main

import (
	"io"

	"github.com/spf13/cobra"

	"drx"
	"drx/convert/npy"
	"drx/nd"
)

// readOptions are the flags of read.
type readOptions struct {
	section, order, out string
	csv                 bool
	limit, version      int
}

func newRead() *cobra.Command {
	var o readOptions
	cmd := &cobra.Command{
		Use:     "read ARRAY",
		Short:   "Read a section into a file or onto the terminal",
		GroupID: groupData,
		Long: `Read a section of an array: into a .npy file with -o, else as a table, or as CSV.

A section has one range per dimension: 2:6, 3:9:2 with a step, 7 for one index, : for all.
Indices are the array's own; negative ones are those below zero, not counted from the end.
A dimension read at one index stays, with extent one.

--order col stores the same array column-major (fortran_order); a permutation like 1,0
transposes it. The file is streamed, and is there only when it is complete.

CSV has a line for each row of the last dimension, with the other indices in front.

With --at-version the bounds are those after an earlier commit, see log; the elements are
those of today.`,
		Example: `  drx read radar --section 0:24,383,350
  drx read radar --section :,-10:10,:700:2 -o part.npy
  drx read A --order 1,0 -o transposed.npy
  drx read A --csv > A.csv`,
		Args:              exactly("ARRAY"),
		ValidArgsFunction: completeOnlyArray,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.csv && o.out != "" {
				return usagef("read: --csv goes to standard output, -o writes .npy")
			}
			if o.limit < 0 {
				return usagef("read: --limit %d: want 0 or more", o.limit)
			}
			return withVersion(cmd, args[0], o.version, func(a *drx.Array) error { return o.read(cmd, a) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.section, "section", "", "`ranges` to read: 2:6,3:9:2 (default: the whole array)")
	f.StringVar(&o.order, "order", "row", "`order` of the dimensions: row, col or a permutation")
	f.StringVarP(&o.out, "output", "o", "", ".npy `file` to write, - for standard output (default: a table)")
	f.BoolVar(&o.csv, "csv", false, "write CSV")
	f.IntVar(&o.limit, "limit", 10, "most rows, columns and slices of a table, 0 for all")
	addVersion(cmd, &o.version)
	completeFlag(cmd, "order", cobra.FixedCompletions([]string{"row", "col"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o readOptions) read(cmd *cobra.Command, a *drx.Array) error {
	sec, err := parseSection(a, o.section)
	if err != nil {
		return err
	}
	order, err := nd.ParseOrder(o.order, a.Rank())
	if err != nil {
		return usagef("--order: %w", err)
	}
	stdout := cmd.OutOrStdout()
	switch {
	case o.out != "":
		header := npy.Header{DType: a.DType(), Shape: order.Apply(sec.Shape())}
		if o.order == "col" { // not a transposition: the same array, stored the other way
			header.ColMajor, header.Shape = true, sec.Shape()
		}
		save := func(w io.Writer) error { return saveNPY(cmd, a, sec, order, header, w) }
		if o.out == "-" {
			return save(stdout)
		}
		return replaceFile(o.out, save)
	case o.order == "col":
		order = nd.RowMajor // a table shows the array, however it is stored
	}
	if o.csv {
		return printCSV(cmd.Context(), stdout, a, sec, order)
	}
	return printTable(cmd.Context(), stdout, a, sec, order, o.limit)
}

// saveNPY streams a section in the given order.
func saveNPY(cmd *cobra.Command, a *drx.Array, sec nd.Section, order nd.Order, header npy.Header, to io.Writer) error {
	w, err := npy.NewWriter(to, header)
	if err != nil {
		return err
	}
	p := newProgress(cmd, sectionBytes(a, sec))
	defer p.end()
	var buf []byte
	err = eachSlab(cmd.Context(), a, sec, order, func(slab nd.Section, n int) error {
		if cap(buf) < n {
			buf = make([]byte, n)
		}
		if err := a.ReadBytes(slab, buf[:n], order); err != nil {
			return err
		}
		p.add(n)
		_, err := w.Write(buf[:n])
		return err
	})
	if err != nil {
		return err
	}
	return w.Close()
}
