package picture

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// panels writes the panels side by side, as many as fit into the width.
func (t *table) panels(f Figure) {
	var row []block
	width := 0
	for _, p := range f.Panels {
		b := t.block(p)
		if len(row) > 0 && (p.Break || width+panelSpace+b.width > f.TextWidth) {
			t.beside(row)
			row, width = nil, 0
		}
		row = append(row, b)
		width += panelSpace + b.width
	}
	t.beside(row)
}

// panelSpace is the space between two panels side by side.
const panelSpace = 3

// block is a panel as text.
type block struct {
	lines []string
	width int
}

// block returns a panel as text.
func (t *table) block(p Panel) block {
	var b bytes.Buffer // writing to it never fails
	alone := *t
	alone.w = bufio.NewWriter(&b)
	alone.panel(p)
	_ = alone.w.Flush()
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	width := 0
	for _, s := range lines {
		width = max(width, visible(s))
	}
	return block{lines, width}
}

// beside writes blocks next to each other, the last one without trailing spaces.
func (t *table) beside(blocks []block) {
	height := 0
	for _, b := range blocks {
		height = max(height, len(b.lines))
	}
	for i := range height {
		line, missing := "", 0 // missing: spaces before the next block
		for _, b := range blocks {
			if i < len(b.lines) && b.lines[i] != "" {
				line += strings.Repeat(" ", missing) + b.lines[i]
				missing = -visible(b.lines[i])
			}
			missing += b.width + panelSpace
		}
		fmt.Fprintln(t.w, line)
	}
}

// visible returns the number of characters of a line without escape sequences.
func visible(s string) int {
	n := 0
	for {
		before, after, more := strings.Cut(s, "\x1b[")
		n += utf8.RuneCountInString(before)
		if !more {
			return n
		}
		_, s, _ = strings.Cut(after, "m")
	}
}

// link says which neighbours of a cell the path connects it with.
type link uint8

const (
	linkUp link = 1 << iota
	linkRight
	linkDown
	linkLeft
)

// links returns the links of every cell.
func (p Panel) links() [][]link {
	rows, cols := p.size()
	links := make([][]link, rows)
	for i := range links {
		links[i] = make([]link, cols)
	}
	stops := p.stops()
	for i := 1; i < len(stops); i++ {
		from, to := stops[i-1], stops[i]
		if to.number != from.number+1 {
			continue
		}
		out, in := direction(to.row-from.row, to.col-from.col)
		links[from.row][from.col] |= out
		links[to.row][to.col] |= in
	}
	return links
}

// direction returns the links at both ends of a step, or none unless the step leads to a neighbour
// in one dimension.
func direction(down, right int) (out, in link) {
	switch [2]int{down, right} {
	case [2]int{-1, 0}:
		return linkUp, linkDown
	case [2]int{1, 0}:
		return linkDown, linkUp
	case [2]int{0, -1}:
		return linkLeft, linkRight
	case [2]int{0, 1}:
		return linkRight, linkLeft
	}
	return 0, 0
}

// text draws the link right-aligned in a field, with the line from the left neighbour if there is
// one.
func (k link) text(width int) string {
	glyphs := [...]rune{'·', '╵', '╶', '└', '╷', '│', '┌', '├', '╴', '┘', '─', '┴', '┐', '┤', '┬', '┼'}
	fill := " "
	if k&linkLeft != 0 {
		fill = "─"
	}
	return strings.Repeat(fill, width-1) + string(glyphs[k])
}
