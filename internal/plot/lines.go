package plot

import (
	"image"
	"image/color"
)

const (
	lineWidth = 1.8
	dotWidth  = 5
	fewPoints = 60 // lines with at most this number of points have dots
)

// drawLines draws the lines, the first one on top, and the legend.
func (l *layout) drawLines(c Canvas) {
	drawn := false
	for i := len(l.Lines) - 1; i >= 0; i-- {
		line, col := l.Lines[i], lineColors[i%len(lineColors)]
		runs := l.runs(line)
		for _, run := range runs {
			drawn = true
			for _, part := range l.clip(run) {
				c.Line(part, lineWidth, col)
			}
			for j := 0; j < len(run) && (len(line.X) <= fewPoints || len(run) == 1); j++ {
				if l.inside(run[j]) {
					c.Line(run[j:j+1], dotWidth, col)
				}
			}
		}
		l.drawLegend(c, i, col)
	}
	if len(l.Lines) > 0 && !drawn {
		middle := l.plot.Min.Add(l.plot.Max).Div(2)
		c.Text("no values", middle, TextStyle{Size: textSize, Color: PaleInk, Align: AlignMiddle})
	}
}

// drawLegend draws the name of a line, if it has one.
func (l *layout) drawLegend(c Canvas, i int, col color.RGBA) {
	if l.Lines[i].Name == "" {
		return
	}
	y := l.plot.Min.Y + i*lineHeight + lineHeight/2
	from, to := Point{float64(l.right), float64(y)}, Point{float64(l.right + sampleWidth), float64(y)}
	c.Line([]Point{from, to}, lineWidth, col)
	name := l.fonts.Elide(l.Lines[i].Name, textSize, mostLegend)
	c.Text(name, image.Pt(l.right+sampleWidth+6, y+textSize*4/11), TextStyle{Size: textSize, Color: Ink})
}

// runs returns the positions of the points between the gaps of a line.
func (l *layout) runs(line Line) (runs [][]Point) {
	gap := true
	for i := range line.X {
		if !finite(line.X[i]) || !finite(line.Y[i]) {
			gap = true
			continue
		}
		if gap {
			runs = append(runs, nil)
		}
		gap = false
		last := len(runs) - 1
		runs[last] = append(runs[last], Point{l.xAt(line.X[i]), l.yAt(line.Y[i])})
	}
	return runs
}

// inside reports whether a point is in the plot.
func (l *layout) inside(p Point) bool {
	return p.X >= float64(l.plot.Min.X) && p.X <= float64(l.plot.Max.X) && p.Y >= float64(l.plot.Min.Y) && p.Y <= float64(l.plot.Max.Y)
}

// clip returns the parts of a run that are in the plot.
func (l *layout) clip(run []Point) (parts [][]Point) {
	var end Point // of the last part
	for i := 1; i < len(run); i++ {
		a, b, ok := l.clipStep(run[i-1], run[i])
		if !ok {
			continue
		}
		if len(parts) == 0 || a != end {
			parts = append(parts, []Point{a})
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], b)
		end = b
	}
	return parts
}

// clipStep returns the part of the line from a to b that is in the plot, or false if none is.
func (l *layout) clipStep(a, b Point) (from, to Point, ok bool) {
	r, enter, leave := l.plot, 0.0, 1.0
	for _, edge := range [][3]float64{ // direction, beginning, limit
		{b.X - a.X, a.X, float64(r.Max.X)},
		{a.X - b.X, -a.X, -float64(r.Min.X)},
		{b.Y - a.Y, a.Y, float64(r.Max.Y)},
		{a.Y - b.Y, -a.Y, -float64(r.Min.Y)},
	} {
		space := edge[2] - edge[1]
		switch {
		case edge[0] > 0:
			leave = min(leave, space/edge[0])
		case edge[0] < 0:
			enter = max(enter, space/edge[0])
		case space < 0:
			return a, b, false
		}
	}
	if enter > leave {
		return a, b, false
	}
	from, to = a, b
	if enter > 0 {
		from = Point{a.X + enter*(b.X-a.X), a.Y + enter*(b.Y-a.Y)}
	}
	if leave < 1 {
		to = Point{a.X + leave*(b.X-a.X), a.Y + leave*(b.Y-a.Y)}
	}
	return from, to, true
}
