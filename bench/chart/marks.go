package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// seriesStyle is how a series is drawn.
type seriesStyle struct {
	color  color.NRGBA
	dashed dash
	marker int
}

// A dash is a pattern of dashes.
type dash int

const (
	solid dash = iota
	longDashes
	shortDashes
)

var dashes = [...][]vg.Length{solid: nil, longDashes: {7 * px, 3 * px}, shortDashes: {5 * px, 4 * px}}

// colors has the colours of Okabe and Ito, except yellow, which is too pale on white.
var colors = []color.NRGBA{
	rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73), rgb(0xcc79a7), rgb(0x56b4e9),
	rgb(0xe69f00), rgb(0x222222), rgb(0x8c6d31), rgb(0x6a3d9a),
}

var (
	limitColor = rgb(0x888888)
	inkColor   = rgb(0x222222)
	noteColor  = rgb(0x555555)
	frameColor = rgb(0x444444)
	gridColor  = rgb(0xcccccc)
	fineColor  = rgb(0xeeeeee)
)

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}
}

// styleOf returns the style of a series. Series take the colours in turn, dashed in the second
// round. Limits are grey and use up no colour.
func (c Chart) styleOf(series int) seriesStyle {
	n := 0
	for _, s := range c.Series[:series] {
		if s.Limit == c.Series[series].Limit {
			n++
		}
	}
	if c.Series[series].Limit {
		return seriesStyle{color: limitColor, dashed: shortDashes, marker: n}
	}
	l := seriesStyle{color: colors[n%len(colors)], marker: n}
	if n >= len(colors) {
		l.dashed = longDashes
	}
	return l
}

// line returns the style of the line between the points of a series.
func (l seriesStyle) line() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: 2 * px, Dashes: dashes[l.dashed]}
}

// glyph returns the style of the marker of a point.
func (l seriesStyle) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color, Radius: 4.5 * px, Shape: outline(markers[l.marker%len(markers)])}
}

// An outline has the corners of a marker of radius 1. The marker is filled and has a thin white
// edge.
type outline []vg.Point

// markers has the outlines in the order in which series take them.
var markers = [...]outline{
	circle(24),
	{{X: -0.9, Y: -0.9}, {X: 0.9, Y: -0.9}, {X: 0.9, Y: 0.9}, {X: -0.9, Y: 0.9}}, // square
	{{X: 0, Y: 1.2}, {X: 1.1, Y: -0.9}, {X: -1.1, Y: -0.9}},                      // triangle
	{{X: 0, Y: 1.25}, {X: 1.25, Y: 0}, {X: 0, Y: -1.25}, {X: -1.25, Y: 0}},       // diamond
	// triangle on its tip
	{{X: 0, Y: -1.2}, {X: 1.1, Y: 0.9}, {X: -1.1, Y: 0.9}},
	star(1.15, 0.35, 0),         // plus
	star(1.15, 0.35, math.Pi/4), // cross
}

// circle returns a regular polygon with n corners.
func circle(n int) (o outline) {
	for i := range n {
		y, x := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		o = append(o, vg.Point{X: vg.Length(x), Y: vg.Length(y)})
	}
	return o
}

// star returns a plus sign, rotated by an angle, whose arms have the given length and half width.
func star(length, half, angle float64) (o outline) {
	sin, cos := math.Sincos(angle)
	for arm := range 4 {
		s, c := math.Sincos(float64(arm) * math.Pi / 2)
		for _, p := range [][2]float64{{length, -half}, {length, half}, {half, half}} {
			x, y := c*p[0]-s*p[1], s*p[0]+c*p[1]
			o = append(o, vg.Point{X: vg.Length(cos*x - sin*y), Y: vg.Length(sin*x + cos*y)})
		}
	}
	return o
}

// DrawGlyph draws the marker at a point.
func (o outline) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var p vg.Path
	for i, corner := range o {
		corner = at.Add(corner.Scale(style.Radius))
		if i == 0 {
			p.Move(corner)
		} else {
			p.Line(corner)
		}
	}
	p.Close()
	c.SetColor(style.Color)
	c.Fill(p)
	c.SetLineStyle(draw.LineStyle{Color: color.White, Width: 0.7 * px})
	c.Stroke(p)
}

// points returns the points of a series, moved sideways if several series share a category.
func (c Chart) points(series int) plotter.XYs {
	var xys plotter.XYs
	for _, p := range c.Series[series].Points {
		xys = append(xys, plotter.XY{X: p.X + c.aside(series), Y: p.Y})
	}
	return xys
}

// The shares of the width of a category that dots and bars take.
const (
	dotsShare = 0.6
	barsShare = 0.8
)

// aside returns the sideways offset of the marks of a series, in categories.
func (c Chart) aside(series int) float64 {
	share := barsShare
	switch {
	case c.Kind == Lines || c.Kind == Dots && c.X.Names == nil:
		return 0
	case c.Kind == Dots:
		share = dotsShare
	}
	return share * ((float64(series)+0.5)/float64(len(c.Series)) - 0.5)
}
