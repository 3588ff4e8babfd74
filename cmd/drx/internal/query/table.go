package query

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/display"
	"drx/cube"
	"drx/nd"
)

// A table prints a selection as blocks of rows and columns with their labels. There is one block
// for each combination of indices in the other dimensions, with those indices as its title.
type table struct {
	ctx          context.Context
	out          io.Writer
	c            *cube.Cube
	a            *drx.Array
	names        []string
	sel          cube.Selection
	rows, cols   int   // dimensions; cols is -1 for an array of one, which is printed as a column
	others       []int // the other dimensions, slowest first
	limit        int   // indices per dimension, 0 for all
	text         func(index int, element []byte) string
	scales       int      // the dimension whose index is passed to text, or -1
	title        []string // the indices in others that are fixed so far
	printedSlice bool     // a slice has been printed already
}

// printTable prints a selection, its dimensions permuted by order, with the limit and the texts of
// a table.
func printTable(ctx context.Context, w io.Writer, c *cube.Cube, sel cube.Selection, order nd.Order, t table) error {
	out := bufio.NewWriter(w)
	a := c.Array()
	t.ctx, t.out, t.c, t.a, t.names, t.sel, t.rows = ctx, out, c, a, cli.DimNames(a), slices.Clone(sel), -1
	if shape := sel.Shape(); slices.Contains(shape, 0) {
		_, err := fmt.Fprintf(w, "%s: no elements: %s\n", cli.Printable(a.Name()), cli.FormatShape(order.Apply(shape)))
		return err
	}
	dims := order.Dims(a.Rank())
	p, err := display.ChoosePlane(a, "", order.Apply(sel.Shape()))
	if err != nil {
		return err
	}
	t.cols = dims[p.Cols]
	if p.Rows >= 0 {
		t.rows = dims[p.Rows]
	}
	for _, d := range dims {
		if d != t.rows && d != t.cols {
			t.others = append(t.others, d)
		}
	}
	if t.rows < 0 { // a column is easier to read than a long line
		t.rows, t.cols = t.cols, -1
	}
	if err := t.slices(0); err != nil {
		return err
	}
	return out.Flush()
}

// slices prints all slices in which the first i of the other dimensions keep their present index.
func (t *table) slices(i int) error {
	if i == len(t.others) {
		return t.block()
	}
	d := t.others[i]
	x := t.sel[d]
	defer func() { t.sel[d] = x }()
	for j, piece := range firstAndLast(x, t.limit) {
		if j > 0 {
			fmt.Fprintf(t.out, "\n...\n")
		}
		for k := range piece.Len() {
			t.sel[d] = piece.Slice(k, 1)
			t.title = append(t.title, fmt.Sprintf("%s = %s", t.names[d], t.label(d, piece.At(k))))
			err := t.slices(i + 1)
			t.title = t.title[:len(t.title)-1]
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// label returns the label of an index, safe to print.
func (t *table) label(d, index int) string { return cli.Escaped(t.c.Label(d, index)) }

// firstAndLast returns the first and the last of some indices, limit in all, as two parts. If there
// are at most limit indices, or limit is 0, it returns them as one part.
func firstAndLast(x cube.Indices, limit int) []cube.Indices {
	n := x.Len()
	switch {
	case n == 0:
		return nil
	case limit == 0 || n <= limit:
		return []cube.Indices{x}
	case limit == 1:
		return []cube.Indices{x.Slice(0, 1), nil} // the second part is empty: it only marks the omission
	}
	return []cube.Indices{x.Slice(0, (limit+1)/2), x.Slice(n-limit/2, limit/2)}
}

// block prints one slice.
func (t *table) block() error {
	if t.printedSlice {
		fmt.Fprintln(t.out)
	}
	t.printedSlice = true
	rows, cols := t.sel[t.rows].Len(), 1
	if t.cols >= 0 {
		cols = t.sel[t.cols].Len()
	}
	if t.limit > 0 {
		rows, cols = min(rows, t.limit), min(cols, t.limit)
	}
	if err := checkTable(t.a, rows, cols); err != nil {
		return err
	}
	if len(t.title) > 0 {
		fmt.Fprintln(t.out, strings.Join(t.title, ", "))
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	pieces := []cube.Indices{{nd.At(0)}} // of the columns
	if t.cols >= 0 {
		pieces = firstAndLast(t.sel[t.cols], t.limit)
		fmt.Fprintf(w, "%s/%s\t%s\n", t.names[t.rows], t.names[t.cols], t.columnLabels(pieces))
	} else {
		fmt.Fprintf(w, "%s\t\t\n", t.names[t.rows])
	}
	for i, piece := range firstAndLast(t.sel[t.rows], t.limit) {
		if i > 0 {
			fmt.Fprintf(w, "...\t%s\n", strings.Repeat("...\t", cells(pieces)))
		}
		for k := range piece.Len() {
			if err := t.ctx.Err(); err != nil {
				return err
			}
			if err := t.row(w, piece.Slice(k, 1), pieces); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// cells returns the number of cells of a row after its label. All rows must have the same number,
// because tabwriter ends a column at the first row that lacks it.
func cells(pieces []cube.Indices) int {
	n := len(pieces) - 1
	for _, piece := range pieces {
		n += piece.Len()
	}
	return n
}

// columnLabels returns the labels of the columns, each followed by a tab.
func (t *table) columnLabels(pieces []cube.Indices) string {
	var b strings.Builder
	for i, piece := range pieces {
		if i > 0 {
			b.WriteString("...\t")
		}
		for k := range piece.Len() {
			b.WriteString(t.label(t.cols, piece.At(k)))
			b.WriteByte('\t')
		}
	}
	return b.String()
}

// row prints one row of the slice, cut into pieces of the columns.
func (t *table) row(w io.Writer, row cube.Indices, pieces []cube.Indices) error {
	sel := slices.Clone(t.sel)
	sel[t.rows] = row
	fmt.Fprintf(w, "%s\t", t.label(t.rows, row.At(0)))
	size := t.a.DType().Size()
	for i, piece := range pieces {
		if t.cols >= 0 {
			sel[t.cols] = piece
		}
		if i > 0 {
			fmt.Fprint(w, "...\t")
		}
		buf := make([]byte, piece.Len()*size)
		if err := t.c.Read(sel, buf, nil); err != nil {
			return err
		}
		for k := 0; len(buf) > 0; buf, k = buf[size:], k+1 {
			fmt.Fprintf(w, "%s\t", t.text(t.scaleIndex(sel, k), buf[:size]))
		}
	}
	fmt.Fprintln(w)
	return nil
}

// scaleIndex returns the index that the k-th element of a row has in the dimension with a scale per
// index, 0 if there is no such dimension.
func (t *table) scaleIndex(sel cube.Selection, k int) int {
	switch {
	case t.scales < 0:
		return 0
	case t.scales == t.cols:
		return sel[t.cols].At(k)
	}
	return sel[t.scales].At(0)
}
