package plot

import (
	"image"
	"image/color"
	"math"
)

// draw draws all parts on the canvas.
func (l *layout) draw(c Canvas) {
	y := margin - 6
	if l.Title != "" {
		y += titleLine - 6
		c.Text(l.fonts.Elide(l.Title, titleSize, l.width-2*margin), image.Pt(margin, y), TextStyle{Size: titleSize, Color: Ink})
	}
	if l.Subtitle != "" {
		y += lineHeight + 1
		c.Text(l.fonts.Elide(l.Subtitle, textSize, l.width-2*margin), image.Pt(margin, y), TextStyle{Size: textSize, Color: PaleInk})
	}
	if l.Raster != nil {
		c.Image(l.Raster.Image, l.plot)
	} else {
		l.drawGrid(c)
	}
	l.border(c, l.plot)
	l.drawLines(c)
	l.drawAxes(c)
	l.drawBar(c)
	l.drawKey(c)
	for i, s := range l.notes {
		c.Text(s, image.Pt(margin, l.notesAt+i*(noteSize+4)), TextStyle{Size: noteSize, Color: PaleInk})
	}
}

// border draws the edges of a rectangle, outside of it.
func (l *layout) border(c Canvas, r image.Rectangle) {
	out := r.Inset(-1)
	c.Fill(image.Rect(out.Min.X, out.Min.Y, out.Max.X, r.Min.Y), borderColor)
	c.Fill(image.Rect(out.Min.X, r.Max.Y, out.Max.X, out.Max.Y), borderColor)
	c.Fill(image.Rect(out.Min.X, r.Min.Y, r.Min.X, r.Max.Y), borderColor)
	c.Fill(image.Rect(r.Max.X, r.Min.Y, out.Max.X, r.Max.Y), borderColor)
}

// xAt and yAt return the position of a value in the figure.
func (l *layout) xAt(v float64) float64 {
	return float64(l.plot.Min.X) + positionOn(l.X, v, l.plot.Dx())
}

func (l *layout) yAt(v float64) float64 {
	return float64(l.plot.Max.Y) - positionOn(l.Y, v, l.plot.Dy())
}

// pixel returns the pixel, one of n from first on, that contains the position at.
func pixel(at float64, first, n int) int {
	return min(max(int(math.Floor(at)), first), first+n-1)
}

// drawGrid draws lines at the ticks.
func (l *layout) drawGrid(c Canvas) {
	for _, t := range l.xTicks {
		x := pixel(l.xAt(t.At), l.plot.Min.X, l.plot.Dx())
		c.Fill(image.Rect(x, l.plot.Min.Y, x+1, l.plot.Max.Y), grid)
	}
	for _, t := range l.yTicks {
		y := pixel(l.yAt(t.At), l.plot.Min.Y, l.plot.Dy())
		c.Fill(image.Rect(l.plot.Min.X, y, l.plot.Max.X, y+1), grid)
	}
}

// drawAxes draws the ticks with their labels, and the labels of the axes.
func (l *layout) drawAxes(c Canvas) {
	text := TextStyle{Size: textSize, Color: Ink, Align: AlignMiddle}
	first := l.plot.Max.Y + tickLength + tickGap + textSize - 3
	for _, t := range l.xTicks {
		x := pixel(l.xAt(t.At), l.plot.Min.X, l.plot.Dx())
		c.Fill(image.Rect(x, l.plot.Max.Y+1, x+1, l.plot.Max.Y+1+tickLength), borderColor)
		c.Text(t.Label, image.Pt(x, first), text)
		c.Text(t.Sub, image.Pt(x, first+lineHeight-2), text)
	}
	for _, t := range l.yTicks {
		l.drawTickBeside(c, t, pixel(l.yAt(t.At), l.plot.Min.Y, l.plot.Dy()), l.plot.Min.X-1, -1)
	}
	label := TextStyle{Size: textSize, Color: PaleInk, Align: AlignMiddle}
	wide, high := max(l.plot.Dx(), l.width/2), max(l.plot.Dy(), 120)
	middle := l.plot.Min.Add(l.plot.Max).Div(2)
	if wide > l.plot.Dx() { // narrow plot: the label begins below its left end
		label.Align, middle.X = AlignLeft, l.plot.Min.X
	}
	c.Text(l.fonts.Elide(l.X.Label, textSize, wide), image.Pt(middle.X, first+l.xLines*lineHeight), label)
	label.Align, label.Up = AlignMiddle, true
	c.Text(l.fonts.Elide(l.Y.Label, textSize, high), image.Pt(margin+textSize-3, middle.Y), label)
}

// drawTickBeside draws a tick of a vertical axis at height y, to the left (side -1) or the right
// (side 1) of an edge.
func (l *layout) drawTickBeside(c Canvas, t Tick, y, edge, side int) {
	align := AlignLeft
	if side < 0 {
		align = AlignRight
	}
	c.Fill(image.Rect(edge, y, edge+side*tickLength, y+1), borderColor)
	at := image.Pt(edge+side*(tickLength+tickGap), y+textSize*4/11)
	c.Text(l.beside(t), at, TextStyle{Size: textSize, Color: Ink, Align: align})
}

// drawBar draws the colour bar.
func (l *layout) drawBar(c Canvas) {
	if l.Bar == nil {
		return
	}
	n := l.bar.Dy()
	for i := range n {
		col := l.Bar.Colors[(n-1-i)*len(l.Bar.Colors)/n]
		if l.Bar.Lo == l.Bar.Hi {
			col = l.Bar.Colors[len(l.Bar.Colors)/2]
		}
		c.Fill(image.Rect(l.bar.Min.X, l.bar.Min.Y+i, l.bar.Max.X, l.bar.Min.Y+i+1), rgba(col))
	}
	l.border(c, l.bar)
	axis := Axis{From: l.Bar.Lo, To: l.Bar.Hi}
	for _, t := range l.barTicks {
		y := pixel(float64(l.bar.Max.Y)-positionOn(axis, t.At, n), l.bar.Min.Y, n)
		l.drawTickBeside(c, t, y, l.bar.Max.X+1, 1)
	}
	at := image.Pt(l.bar.Max.X+tickLength+tickGap+l.widest(l.barTicks)+textSize+4, (l.bar.Min.Y+l.bar.Max.Y)/2)
	c.Text(l.fonts.Elide(l.Bar.Label, textSize, n), at, TextStyle{Size: textSize, Color: PaleInk, Align: AlignMiddle, Up: true})
}

// rgba returns a colour without transparency.
func rgba(c color.Color) color.RGBA {
	r, g, b, _ := c.RGBA()
	return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}
}

// drawKey draws the entries of the key, below the colour bar if there is one.
func (l *layout) drawKey(c Canvas) {
	top := l.plot.Min.Y
	if l.Bar != nil {
		top = l.bar.Max.Y + l.airAboveKey()
	}
	for i, e := range l.Key {
		at := image.Pt(l.right, top+i*lineHeight)
		box := image.Rect(0, 0, swatch, swatch).Add(at)
		c.Fill(box, rgba(e.Color))
		l.border(c, box)
		c.Text(l.fonts.Elide(e.Text, textSize, mostLegend), at.Add(image.Pt(swatch+6, swatch-1)), TextStyle{Size: textSize, Color: Ink})
	}
}
