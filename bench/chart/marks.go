package chart

import "strings"

// look is what tells a series from the others.
type look struct {
	color  string
	dash   string
	marker int
}

// The colours of Okabe and Ito, yellow left out as it is too pale on white.
var colors = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#222222", "#8c6d31", "#6a3d9a"}

const limitColor = "#888888"

// look returns the colours in turn; their second round is dashed. Limits are
// grey and do not count.
func (d *drawing) look(series int) look {
	n := 0
	for _, s := range d.c.Series[:series] {
		if s.Limit == d.c.Series[series].Limit {
			n++
		}
	}
	if d.c.Series[series].Limit {
		return look{color: limitColor, dash: "5 4", marker: n}
	}
	l := look{color: colors[n%len(colors)], marker: n}
	if n >= len(colors) {
		l.dash = "7 3"
	}
	return l
}

// marks draws the points of all series, the first series on top.
func (d *drawing) marks() {
	for i := len(d.c.Series) - 1; i >= 0; i-- {
		points, l := d.c.Series[i].Points, d.look(i)
		if d.c.Kind == Bars {
			d.bars(i, points, l)
			continue
		}
		for j, p := range points {
			if d.c.Kind == Lines && j > 0 {
				d.line(d.x.at(points[j-1].X), d.y.at(points[j-1].Y), d.x.at(p.X), d.y.at(p.Y), l)
			}
		}
		for _, p := range points {
			d.marker(d.x.at(p.X)+d.aside(i), d.y.at(p.Y), l)
		}
	}
}

// aside moves the dots of several series at one place apart.
func (d *drawing) aside(series int) float64 {
	if d.c.Kind != Dots || d.c.X.Names == nil {
		return 0
	}
	room := 0.6 * plotWidth / float64(len(d.c.X.Names))
	return room * ((float64(series)+0.5)/float64(len(d.c.Series)) - 0.5)
}

func (d *drawing) bars(series int, points []Point, l look) {
	room := plotWidth / max(d.x.hi-d.x.lo, 1) * 0.8
	width := room / float64(len(d.c.Series))
	base := d.y.from
	if !d.y.log && d.y.lo < 0 {
		base = d.y.at(0)
	}
	for _, p := range points {
		x, y := d.x.at(p.X)-room/2+float64(series)*width, d.y.at(p.Y)
		d.print(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, min(y, base), max(width-1, 1), max(base-y, y-base), l.color)
	}
}

func (d *drawing) line(x0, y0, x1, y1 float64, l look) {
	d.print(`<path d="M%.1f %.1fL%.1f %.1f" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>`+"\n", x0, y0, x1, y1, l.color, l.dash)
}

// The markers, about a centre of 0 0, in turn.
var markers = []string{
	"M-4.5 0A4.5 4.5 0 1 0 4.5 0A4.5 4.5 0 1 0 -4.5 0Z", // circle
	"M-4 -4H4V4H-4Z",              // square
	"M0 -5.4L5 4H-5Z",             // triangle
	"M0 -5.6L5.6 0L0 5.6L-5.6 0Z", // diamond
	"M0 5.4L5 -4H-5Z",             // triangle on its tip
	"M-1.6 -5H1.6V-1.6H5V1.6H1.6V5H-1.6V1.6H-5V-1.6H-1.6Z", // plus
	"M-5 -5H-2L0 -2L2 -5H5L2 0L5 5H2L0 2L-2 5H-5L-2 0Z",    // cross
}

func (d *drawing) marker(x, y float64, l look) {
	d.print(`<path transform="translate(%.1f %.1f)" d="%s" fill="%s" stroke="#ffffff" stroke-width="0.7"/>`+"\n",
		x, y, markers[l.marker%len(markers)], l.color)
}

// axes draws the frame, the grid, the ticks and the labels.
func (d *drawing) axes() {
	left, right, top, bottom := d.x.from, d.x.to, d.y.to, d.y.from
	for _, v := range d.y.minor() {
		d.rule(left, d.y.at(v), right, d.y.at(v), "#eeeeee")
	}
	for _, v := range d.y.ticks() {
		y := d.y.at(v)
		d.rule(left, y, right, y, "#cccccc")
		d.print(`<text x="%.1f" y="%.1f" text-anchor="end" fill="#222222">%s</text>`+"\n", left-tickLength-4, y+4.5, label(v))
	}
	d.places()
	d.print(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="none" stroke="#444444"/>`+"\n", left, top, right-left, bottom-top)
	d.print(`<text transform="translate(22 %.1f) rotate(-90)" text-anchor="middle" fill="#222222">%s</text>`+"\n", (top+bottom)/2, escape(d.c.Y.Label))
	d.print(`<text x="%.1f" y="%d" text-anchor="middle" fill="#222222">%s</text>`+"\n", (left+right)/2, d.height-14, escape(d.c.X.Label))
}

// places draws the ticks of x, or its names.
func (d *drawing) places() {
	if d.c.X.Names == nil {
		for _, v := range d.x.ticks() {
			x := d.x.at(v)
			d.rule(x, d.y.to, x, d.y.from+tickLength, "#dddddd")
			d.tick(x, label(v))
		}
		return
	}
	for i, name := range d.c.X.Names {
		x := d.x.at(float64(i))
		if i > 0 {
			d.rule(d.x.at(float64(i)-0.5), d.y.to, d.x.at(float64(i)-0.5), d.y.from, "#eeeeee")
		}
		d.tick(x, name)
	}
}

// tick writes what is at a place below the axis; several names too long for their
// places at a slant.
func (d *drawing) tick(x float64, text string) {
	y := d.y.from + tickLength + textSize + 2
	if !d.names {
		d.print(`<text x="%.1f" y="%.1f" text-anchor="middle" fill="#222222">%s</text>`+"\n", x, y, escape(text))
		return
	}
	if runes := []rune(text); len(runes) > 3*slant {
		text = strings.TrimSpace(string(runes[:3*slant-1])) + "…"
	}
	d.print(`<text transform="translate(%.1f %.1f) rotate(-32)" text-anchor="end" fill="#222222">%s</text>`+"\n", x+6, y-2, escape(text))
}

func (d *drawing) rule(x0, y0, x1, y1 float64, color string) {
	d.print(`<path d="M%.1f %.1fL%.1f %.1f" stroke="%s"/>`+"\n", x0, y0, x1, y1, color)
}
