package picture

import (
	"image"
	"image/color"
	"slices"
	"strconv"

	"drx/internal/plot"
)

// canvas is the target of a drawing: pixels or SVG.
type canvas interface {
	plot.Canvas
	// cell fills the rectangle in the segment's colour, hatched unless written.
	cell(r image.Rectangle, segment int, written bool)
	// path draws lines with round joints and ends through two or more points, or a dot for a
	// single point.
	path(lines [][]image.Point, width int, c color.RGBA)
	// lines draws the lines from Min to Max of each element, all horizontal
	// or vertical, 2*inset wide, over the cells.
	lines(ls []image.Rectangle)
}

const noChunks = "no chunks"

// draw draws the figure on the canvas.
func (l *layout) draw(f Figure, c canvas) {
	title := l.fonts.Elide(f.Title, titleSize, maxText)
	c.Text(title, image.Pt(margin, margin+titleSize), plot.TextStyle{Size: titleSize, Align: plot.AlignLeft, Color: ink})
	for i, p := range f.Panels {
		l.drawHead(f, p, l.cells[i], c)
		l.drawCells(f, p, l.cells[i], c)
		if min(l.cellW, l.cellH) >= leastLined {
			c.lines(l.edges(p, l.cells[i]))
		}
		if f.Path {
			l.drawPath(p, l.cells[i], c)
			l.drawNumbers(f, p, l.cells[i], c)
		}
	}
	l.drawLegend(c)
}

// drawHead writes the panel's title, the names of the dimensions and the labels
// around the cells, which begin at the point given.
func (l *layout) drawHead(f Figure, p Panel, at image.Point, c canvas) {
	rows, cols := p.size()
	left, top := at.X-l.gutter, at.Y-l.head
	c.Text(l.fonts.Elide(p.Title, panelSize, maxText), image.Pt(left, top+panelSize), plot.TextStyle{Size: panelSize, Align: plot.AlignLeft, Color: ink})
	if rows*cols == 0 {
		c.Text(noChunks, image.Pt(at.X, at.Y+labelSize), plot.TextStyle{Size: labelSize, Align: plot.AlignLeft, Color: paleInk})
		return
	}
	baseline, y := labelSize*7/20, at.Y-8
	if f.RowDim != "" {
		c.Text(l.fonts.Elide(rowArrow(f.RowDim), labelSize, maxGutter), image.Pt(at.X-8, y), plot.TextStyle{Size: labelSize, Align: plot.AlignRight, Color: paleInk})
	}
	if f.ColDim != "" {
		name := l.fonts.Elide(colArrow(f.ColDim), labelSize, max(maxGutter, cols*l.cellW))
		c.Text(name, image.Pt(at.X+l.cellW/2-4, y-line+4), plot.TextStyle{Size: labelSize, Align: plot.AlignLeft, Color: paleInk})
	}
	for i := range l.labelled(p.ColLabels, l.cellW, l.widest(p.ColLabels)+8) {
		c.Text(strconv.Itoa(p.ColLabels[i]), image.Pt(at.X+i*l.cellW+l.cellW/2, y), plot.TextStyle{Size: labelSize, Align: plot.AlignMiddle, Color: paleInk})
	}
	for i := range l.labelled(p.RowLabels, l.cellH, labelSize+4) {
		mid := at.Y + i*l.cellH + l.cellH/2
		c.Text(strconv.Itoa(p.RowLabels[i]), image.Pt(at.X-8, mid+baseline), plot.TextStyle{Size: labelSize, Align: plot.AlignRight, Color: paleInk})
	}
}

// widest returns the width of the widest label.
func (l *layout) widest(labels []int) int {
	w := 0
	for _, v := range labels {
		w = max(w, l.fonts.Width(strconv.Itoa(v), labelSize))
	}
	return w
}

// labelled yields the cells to label, so that labels of the given size do not overlap: every
// cell, or every 2nd, 5th, 10th, 20th .. counted from label 0 if there is one.
func (l *layout) labelled(labels []int, cell, width int) func(yield func(int) bool) {
	step, factors := 1, [3]int{2, 5, 10}
	for base, i := 1, 0; step*cell < width; i++ {
		step = base * factors[i%3]
		if i%3 == 2 {
			base *= 10
		}
	}
	zero := 0
	for i, v := range labels {
		if v == 0 {
			zero = i
		}
	}
	return func(yield func(int) bool) {
		for i := zero % step; i < len(labels); i += step {
			if !yield(i) {
				return
			}
		}
	}
}

// drawCells draws the chunks with their numbers. Cells too small for lines between them are drawn
// in runs of equal cells.
func (l *layout) drawCells(f Figure, p Panel, at image.Point, c canvas) {
	for i, row := range p.Cells {
		for j := 0; j < len(row); {
			n, r := 1, image.Rect(0, 0, l.cellW, l.cellH)
			if min(l.cellW, l.cellH) < leastLined {
				n = f.runLength(row[j:])
				r.Max.X = n * l.cellW
			} else if !f.NoNumbers {
				r = r.Inset(inset)
			}
			r = r.Add(at).Add(image.Pt(j*l.cellW, i*l.cellH))
			if row[j].Segment >= 0 {
				if f.Gradient {
					c.Fill(r, f.shade(row[j]))
				} else {
					c.cell(r, row[j].Segment, row[j].Written)
				}
				if !f.Path {
					l.drawNumber(row[j], r, c)
				}
			}
			j += n
		}
	}
}

// runLength returns the number of leading cells with the same look.
func (f Figure) runLength(row []Cell) int {
	n := 1
	for n < len(row) && row[n].Segment == row[0].Segment && row[n].Written == row[0].Written &&
		(!f.Gradient || f.shade(row[n]) == f.shade(row[0])) {
		n++
	}
	return n
}

// drawNumber writes a chunk's number in the middle of its rectangle.
func (l *layout) drawNumber(cell Cell, r image.Rectangle, c canvas) {
	if l.numbers == 0 {
		return
	}
	color := ink
	if !cell.Written {
		color = paleInk
	}
	// Digits are 0.72 em high: half of that below the middle.
	at := image.Pt((r.Min.X+r.Max.X)/2, (r.Min.Y+r.Max.Y)/2+l.numbers*36/100)
	c.Text(strconv.FormatInt(cell.Number, 10), at, plot.TextStyle{Size: l.numbers, Align: plot.AlignMiddle, Color: color})
}

// edges returns the lines between different segments and around all of them.
func (l *layout) edges(p Panel, at image.Point) []image.Rectangle {
	var ls []image.Rectangle
	rows, cols := p.size()
	point := func(i, j int) image.Point { return at.Add(image.Pt(j*l.cellW, i*l.cellH)) }
	for i := range rows + 1 {
		runs(cols, func(j int) bool { return p.cell(i-1, j).Segment != p.cell(i, j).Segment }, func(from, to int) {
			ls = append(ls, image.Rectangle{Min: point(i, from), Max: point(i, to)})
		})
	}
	for j := range cols + 1 {
		runs(rows, func(i int) bool { return p.cell(i, j-1).Segment != p.cell(i, j).Segment }, func(from, to int) {
			ls = append(ls, image.Rectangle{Min: point(from, j), Max: point(to, j)})
		})
	}
	return ls
}

// runs calls do with the maximal ranges [from, to) of 0..n-1 in which is holds.
func runs(n int, is func(int) bool, do func(from, to int)) {
	for i := 0; i < n; i++ {
		from := i
		for i < n && is(i) {
			i++
		}
		if i > from {
			do(from, i)
		}
	}
}

// drawLegend draws the legend's entries, downwards and then to the right.
func (l *layout) drawLegend(c canvas) {
	indent := 0
	if slices.ContainsFunc(l.legend, func(item legendItem) bool { return item.swatch }) {
		indent = swatch + 8
	}
	for i, item := range l.legend {
		at := l.legendAt.Add(image.Pt(i/l.legendRows*l.legendW, i%l.legendRows*line))
		if item.swatch {
			c.cell(image.Rect(0, 0, swatch, swatch).Add(at), item.segment, item.written)
		}
		text := l.fonts.Elide(item.text, labelSize, maxText)
		c.Text(text, at.Add(image.Pt(indent, swatch-3)), plot.TextStyle{Size: labelSize, Align: plot.AlignLeft, Color: ink})
	}
}
