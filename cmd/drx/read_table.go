package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"drx"
	"drx/nd"
)

// A table prints a section as blocks of rows and columns with their indices, one per slice
// of the other dimensions, of which it names those that vary.
type table struct {
	ctx        context.Context
	out        io.Writer
	a          *drx.Array
	names      []string
	sec        nd.Section
	rows, cols int   // dimensions; rows is -1 for an array of one, which goes down the page
	others     []int // the other dimensions, slowest first
	limit      int
	title      []string // index of each of others so far
	later      bool     // a slice has been printed
}

// printTable prints a section with at most limit indices per dimension, 0 for all. With an
// order the dimensions change places.
func printTable(ctx context.Context, w io.Writer, a *drx.Array, sec nd.Section, order nd.Order, limit int) error {
	out := bufio.NewWriter(w)
	t := &table{ctx: ctx, out: out, a: a, names: dimNames(a), sec: append(nd.Section(nil), sec...), rows: -1, limit: limit}
	dims := order.Dims(a.Rank())
	p, err := choosePlane(a, "", order.Apply(sec.Shape()))
	if err != nil {
		return err
	}
	t.cols = dims[p.cols]
	if p.rows >= 0 {
		t.rows = dims[p.rows]
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

// slices prints the slices of the others from the i-th on, the ones before it being fixed.
func (t *table) slices(i int) error {
	if i == len(t.others) {
		return t.block()
	}
	d := t.others[i]
	r := t.sec[d]
	defer func() { t.sec[d] = r }()
	for j, piece := range cut(r, t.limit) {
		if j > 0 {
			fmt.Fprintf(t.out, "\n...\n")
		}
		for k := range piece.Len() {
			t.sec[d] = part(piece, k, 1)
			t.title = append(t.title, fmt.Sprintf("%s = %d", t.names[d], t.sec[d].Lo))
			err := t.slices(i + 1)
			t.title = t.title[:len(t.title)-1]
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// cut returns the first and the last indices of a range, limit in all; the range itself
// where it is not longer.
func cut(r nd.Range, limit int) []nd.Range {
	n := r.Len()
	switch {
	case n == 0:
		return nil
	case limit == 0 || n <= limit:
		return []nd.Range{r}
	case limit == 1:
		return []nd.Range{part(r, 0, 1), part(r, n, 0)} // nothing, but something left out
	}
	return []nd.Range{part(r, 0, (limit+1)/2), part(r, n-limit/2, limit/2)}
}

// block prints one slice.
func (t *table) block() error {
	if t.later {
		fmt.Fprintln(t.out)
	}
	t.later = true
	if len(t.title) > 0 {
		fmt.Fprintln(t.out, strings.Join(t.title, ", "))
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	pieces := []nd.Range{nd.At(0).By(1)} // of the columns
	if t.cols >= 0 {
		pieces = cut(t.sec[t.cols], t.limit)
		fmt.Fprintf(w, "%s/%s\t%s\n", t.names[t.rows], t.names[t.cols], heads(pieces))
	} else {
		fmt.Fprintf(w, "%s\t\t\n", t.names[t.rows])
	}
	for i, piece := range cut(t.sec[t.rows], t.limit) {
		if i > 0 {
			fmt.Fprintf(w, "...\t%s\n", strings.Repeat("...\t", cells(pieces)))
		}
		for k := range piece.Len() {
			if err := t.ctx.Err(); err != nil {
				return err
			}
			if err := t.row(w, part(piece, k, 1), pieces); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// cells returns the number of cells of a row behind its index. Every row must have them:
// a column ends where they are missing.
func cells(pieces []nd.Range) int {
	n := len(pieces) - 1
	for _, piece := range pieces {
		n += piece.Len()
	}
	return n
}

// heads returns the indices of the columns as cells.
func heads(pieces []nd.Range) string {
	var b strings.Builder
	for i, piece := range pieces {
		if i > 0 {
			b.WriteString("...\t")
		}
		for k := range piece.Len() {
			b.WriteString(strconv.Itoa(piece.Lo + k*piece.Stride()))
			b.WriteByte('\t')
		}
	}
	return b.String()
}

// row prints one row of the slice, cut into pieces of the columns.
func (t *table) row(w io.Writer, row nd.Range, pieces []nd.Range) error {
	sec := append(nd.Section(nil), t.sec...)
	sec[t.rows] = row
	fmt.Fprintf(w, "%d\t", row.Lo)
	size := t.a.DType().Size()
	for i, piece := range pieces {
		if t.cols >= 0 {
			sec[t.cols] = piece
		}
		if i > 0 {
			fmt.Fprint(w, "...\t")
		}
		buf := make([]byte, piece.Len()*size)
		if err := t.a.ReadBytes(sec, buf, nil); err != nil {
			return err
		}
		for ; len(buf) > 0; buf = buf[size:] {
			fmt.Fprintf(w, "%s\t", t.a.DType().Format(buf[:size]))
		}
	}
	fmt.Fprintln(w)
	return nil
}
