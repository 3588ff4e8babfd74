package picture

import (
	"bufio"
	"fmt"
	"image/color"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text writes the figure as tables of aligned chunk numbers. Panels are side by side if TextWidth
// permits, and unwritten chunks are in parentheses. With NoNumbers it draws the path instead, as
// far as it leads to neighbours along one dimension. With color the background of a chunk shows its
// segment, or with Gradient its number, in xterm's 256 colours. It returns an error if a panel's
// rows or labels do not match, or if w fails.
func (f Figure) Text(w io.Writer, color bool) error {
	f, err := f.checked()
	if err != nil {
		return err
	}
	t := table{w: bufio.NewWriter(w), color: color, figure: f}
	if f.Title != "" {
		fmt.Fprintf(t.w, "%s\n\n", f.Title)
	}
	t.measure(f)
	t.panels(f)
	t.legend(f.legend())
	if err := t.w.Flush(); err != nil {
		return fmt.Errorf("write chunk map: %w", err)
	}
	return nil
}

// table writes panels as text. The writer keeps the first error for Flush.
type table struct {
	w         *bufio.Writer
	figure    Figure
	color     bool
	corner    string // the names of the dimensions
	gutter    int    // characters of the row labels, 0 for none
	column    int    // characters of a column, with the space before it
	unwritten bool   // at least one number is in parentheses
}

// measure sets one column width for all panels.
func (t *table) measure(f Figure) {
	_, largest, unwritten := f.census()
	t.unwritten = unwritten
	t.column = len(t.number(Cell{Number: largest, Written: true}))
	if f.RowDim != "" || f.ColDim != "" {
		t.corner = f.RowDim + `\` + f.ColDim
	}
	t.gutter = utf8.RuneCountInString(t.corner)
	for _, p := range f.Panels {
		for _, v := range p.RowLabels {
			t.gutter = max(t.gutter, len(strconv.Itoa(v)))
		}
		for _, v := range p.ColLabels {
			t.column = max(t.column, len(t.label(v)))
		}
	}
	t.column++
}

// label returns a column label padded so that its digits are above those of the numbers.
func (t *table) label(v int) string {
	if t.unwritten {
		return strconv.Itoa(v) + " "
	}
	return strconv.Itoa(v)
}

// number returns the text of a chunk.
func (t *table) number(c Cell) string {
	n := strconv.FormatInt(c.Number, 10)
	if t.figure.NoNumbers {
		n = " "
	}
	switch {
	case c.Segment < 0:
		return ""
	case !c.Written:
		return "(" + n + ")"
	case t.unwritten:
		return " " + n + " "
	}
	return n
}

// panel writes the title, the column labels under a corner, and the rows.
func (t *table) panel(p Panel) {
	if p.Title != "" {
		fmt.Fprintln(t.w, p.Title)
	}
	rows, cols := p.size()
	if rows*cols == 0 {
		fmt.Fprintf(t.w, "%s\n\n", noChunks)
		return
	}
	if len(p.ColLabels) > 0 || t.corner != "" {
		t.margin(t.corner, " |")
		for _, v := range p.ColLabels {
			t.pad(t.label(v), t.column)
		}
		fmt.Fprintln(t.w)
		t.margin(strings.Repeat("-", t.gutter), "-+")
		fmt.Fprintln(t.w, strings.Repeat("-", cols*t.column))
	}
	var links [][]link
	if t.figure.NoNumbers {
		links = p.links()
	}
	for i, row := range p.Cells {
		label := ""
		if len(p.RowLabels) > 0 {
			label = strconv.Itoa(p.RowLabels[i])
		}
		t.margin(label, " |")
		for j, c := range row {
			text := t.number(c)
			if links != nil && c.Segment >= 0 {
				text = links[i][j].text(t.column)
			}
			t.cell(c, text)
		}
		fmt.Fprintln(t.w)
	}
	fmt.Fprintln(t.w)
}

// margin writes the text left of the numbers, if there is a gutter.
func (t *table) margin(label, bar string) {
	if t.gutter > 0 {
		t.pad(label, t.gutter)
		fmt.Fprint(t.w, bar)
	}
}

// cell writes the text of a chunk, on the background of its colour if colours are on.
func (t *table) cell(c Cell, text string) {
	if !t.color || c.Segment < 0 {
		t.pad(text, t.column)
		return
	}
	if t.figure.Gradient {
		t.background(t.figure.shade(c))
	} else {
		t.background(cellColor(c.Segment, c.Written))
	}
	t.pad(text, t.column)
	fmt.Fprint(t.w, resetColor)
}

// background switches to black text on a colour.
func (t *table) background(c color.RGBA) {
	fmt.Fprintf(t.w, "\x1b[38;5;16;48;5;%dm", xterm256(c))
}

// pad writes the text right-aligned in a field.
func (t *table) pad(s string, width int) {
	fmt.Fprintf(t.w, "%*s", width, s)
}

// legend writes a line per segment. The entry for hatching explains the parentheses instead.
func (t *table) legend(items []legendItem) {
	for _, item := range items {
		switch {
		case item.swatch && item.segment == noSegment:
			fmt.Fprintf(t.w, "(n) %s\n", item.text)
		case item.swatch && t.color:
			t.background(cellColor(item.segment, true))
			fmt.Fprintf(t.w, "   %s %s\n", resetColor, item.text)
		default:
			fmt.Fprintln(t.w, item.text)
		}
	}
}
