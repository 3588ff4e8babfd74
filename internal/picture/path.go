package picture

import (
	"cmp"
	"image"
	"image/color"
	"slices"
	"strconv"

	"drx/internal/plot"
)

// shade returns the colour of a cell from its number: viridis, lightened for dark text.
func (f Figure) shade(c Cell) color.RGBA {
	return mix(Viridis.Map(float64(c.Number)/float64(max(1, f.largest))), paper, 0.5)
}

// A stop is a cell on the path.
type stop struct {
	number   int64
	row, col int
}

// stops returns the cells of the panel in the order of their numbers.
func (p Panel) stops() []stop {
	var list []stop
	for i, row := range p.Cells {
		for j, c := range row {
			if c.Segment >= 0 {
				list = append(list, stop{c.Number, i, j})
			}
		}
	}
	slices.SortFunc(list, func(a, b stop) int { return cmp.Compare(a.number, b.number) })
	return list
}

// near reports whether b is one of the eight neighbours of a, or a itself.
func (a stop) near(b stop) bool { return abs(a.row-b.row) <= 1 && abs(a.col-b.col) <= 1 }

// trail is the path through a panel. It is interrupted if the next number is not in the panel.
type trail struct {
	steps  [][]image.Point // lines from neighbour to neighbour
	jumps  [][]image.Point // single lines
	begins [][]image.Point // the first point of each part
}

// trail returns the path through the middles of the cells.
func (l *layout) trail(p Panel, at image.Point) trail {
	var t trail
	middle := func(s stop) image.Point {
		return at.Add(image.Pt(s.col*l.cellW+l.cellW/2, s.row*l.cellH+l.cellH/2))
	}
	stops := p.stops()
	for i, s := range stops {
		m := middle(s)
		switch {
		case i == 0 || stops[i-1].number != s.number-1:
			t.begins = append(t.begins, []image.Point{m})
			t.steps = append(t.steps, []image.Point{m})
		case s.near(stops[i-1]):
			last := len(t.steps) - 1
			t.steps[last] = append(t.steps[last], m)
		default:
			t.jumps = append(t.jumps, []image.Point{middle(stops[i-1]), m})
			t.steps = append(t.steps, []image.Point{m})
		}
	}
	return t
}

// leastPath is the smallest side of cells for which a path is drawn.
const leastPath = 4

// drawPath draws the path: jumps thin, so that they do not hide the steps, and a dot where it
// begins.
func (l *layout) drawPath(p Panel, at image.Point, c canvas) {
	side := min(l.cellW, l.cellH)
	if side < leastPath {
		return
	}
	t := l.trail(p, at)
	width := max(1, side/12)
	c.path(t.jumps, max(1, width/3), jumpInk)
	c.path(t.steps, width, edgeInk)
	if l.numbers == 0 && side >= leastLined {
		c.path(t.begins, max(4, side/2), edgeInk)
	}
}

// drawNumbers writes the numbers over the path, each on a rectangle in its cell's colour.
func (l *layout) drawNumbers(f Figure, p Panel, at image.Point, c canvas) {
	if l.numbers == 0 {
		return
	}
	for i, row := range p.Cells {
		for j, cell := range row {
			if cell.Segment < 0 {
				continue
			}
			r := image.Rect(0, 0, l.cellW, l.cellH).Add(at).Add(image.Pt(j*l.cellW, i*l.cellH))
			middle := r.Min.Add(r.Max).Div(2)
			half := image.Pt(l.fonts.Width(strconv.FormatInt(cell.Number, 10), l.numbers)/2+3, l.numbers/2+2)
			patch := image.Rectangle{Min: middle.Sub(half), Max: middle.Add(half)}
			if f.Gradient {
				c.Fill(patch, f.shade(cell))
			} else {
				c.cell(patch, cell.Segment, cell.Written)
			}
			l.drawNumber(cell, r, c)
		}
	}
}

// points converts lines to the points of a canvas.
func points(lines [][]image.Point) [][]plot.Point {
	out := make([][]plot.Point, len(lines))
	for i, line := range lines {
		for _, p := range line {
			out[i] = append(out[i], plot.Point{X: float64(p.X), Y: float64(p.Y)})
		}
	}
	return out
}
