package chart

import (
	"image/color"
	"math"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// px is a pixel, three quarters of a point, which is the unit of vgsvg documents.
const px vg.Length = 0.75

// The sizes of a chart.
const (
	plotWidth    = 620 * px // with the labels of y
	plotHeight   = 385 * px // with the labels of x
	margin       = 14 * px
	topMargin    = 44 * px // with the title
	noteHeight   = 18 * px
	legendGap    = 16 * px
	textSize     = 13 * px
	titleSize    = 17 * px
	rowHeight    = 20 * px // of the legend
	thumbWidth   = 24 * px
	longestName  = 33 // characters of a category that are written
	namesAbreast = 68 // characters; names that are longer together are at a slant
	slant        = 32 * math.Pi / 180
)

// style returns the style of all texts.
func style(size vg.Length, ink color.Color, weight xfont.Weight) draw.TextStyle {
	return draw.TextStyle{
		Color:   ink,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size},
		Handler: text.Plain{Fonts: font.DefaultCache},
	}
}

// slanted reports whether the names of the categories are drawn at a slant, as they do not fit side
// by side.
func (c Chart) slanted() bool { return c.longest()*len(c.X.Names) > namesAbreast }

// longest returns the length of the longest name of a category, in characters.
func (c Chart) longest() (n int) {
	for _, name := range c.X.Names {
		n = max(n, min(len([]rune(name)), longestName))
	}
	return n
}

// size returns the extents of the document.
func (c Chart) size() (width, height vg.Length) {
	names := vg.Length(0)
	for _, s := range c.Series {
		names = max(names, style(textSize, inkColor, 0).Width(s.Name))
	}
	width = margin + plotWidth + legendGap + thumbWidth + 6*px + names + margin
	height = c.head() + max(plotHeight, vg.Length(len(c.Series))*rowHeight) + margin
	if c.slanted() {
		height += vg.Length(c.longest()) * 3.4 * px
	}
	return width, height
}

// draw draws the chart: title and note above, the legend on the right.
func (c Chart) draw(dc draw.Canvas) error {
	dc.SetColor(color.White)
	dc.Fill(dc.Rectangle.Path())
	top := dc.Max.Y
	dc.FillText(style(titleSize, inkColor, xfont.WeightBold), vg.Point{X: margin, Y: top - 26*px}, c.Title)
	if c.Note != "" {
		dc.FillText(style(textSize, noteColor, 0), vg.Point{X: margin, Y: top - 46*px}, c.Note)
	}
	p, legend, err := c.plot()
	if err != nil {
		return err
	}
	right, head := margin+plotWidth, c.head()
	inner := draw.Crop(dc, margin+rowHeight, right-dc.Max.X, margin+rowHeight, -head)
	p.Draw(inner)
	c.labels(dc, p.DataCanvas(inner))
	legend.Draw(draw.Crop(dc, right+legendGap, 0, 0, -head+2*px))
	return nil
}

// head returns the height of title and note.
func (c Chart) head() vg.Length {
	if c.Note != "" {
		return topMargin + noteHeight
	}
	return topMargin
}

// labels writes the labels of the axes. gonum's own labels would be off the middle of a logarithmic
// axis.
func (c Chart) labels(dc, data draw.Canvas) {
	s := style(textSize, inkColor, 0)
	s.XAlign = draw.XCenter
	dc.FillText(s, vg.Point{X: data.Center().X, Y: margin}, c.X.Label)
	s.Rotation = math.Pi / 2
	dc.FillText(s, vg.Point{X: margin + 10*px, Y: data.Center().Y}, c.Y.Label)
}

// plot makes the gonum plot and its legend. It draws the first series last, above the others.
func (c Chart) plot() (*plot.Plot, plot.Legend, error) {
	p, legend := plot.New(), plot.NewLegend()
	x, y := c.scales()
	legend.TextStyle = style(textSize, inkColor, 0)
	legend.Top, legend.Left, legend.ThumbnailWidth = true, true, thumbWidth
	legend.Padding = rowHeight - legend.TextStyle.Height("x")
	p.BackgroundColor = nil // the page has one
	p.Add(grid{x, y})
	for i := range c.Series {
		back := len(c.Series) - 1 - i
		marks, err := c.marks(back, y)
		if err != nil {
			return nil, legend, err
		}
		p.Add(marks...)
		if marks, err = c.marks(i, y); err != nil {
			return nil, legend, err
		}
		var thumbs []plot.Thumbnailer
		for _, m := range marks {
			thumbs = append(thumbs, m.(plot.Thumbnailer))
		}
		legend.Add(c.Series[i].Name, thumbs...)
	}
	axis(&p.X, x)
	axis(&p.Y, y)
	if c.slanted() {
		p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = slant, draw.XRight, draw.YTop
	}
	return p, legend, nil
}

// scales returns the scales of both axes.
func (c Chart) scales() (x, y scale) {
	x = c.scale(c.X, func(p Point) float64 { return p.X })
	y = c.scale(c.Y, func(p Point) float64 { return p.Y })
	if c.Kind == Bars && !c.Y.Log {
		y.lo = min(y.lo, 0)
	}
	return x, y
}

// axis sets the scale and the style of an axis. It hides the line of the axis, which is part of the
// frame, and its label, which labels writes.
func axis(a *plot.Axis, s scale) {
	a.Min, a.Max, a.Tick.Marker = s.lo, s.hi, s
	if s.log {
		a.Scale = plot.LogScale{}
	}
	a.Padding, a.LineStyle.Width, a.Tick.Length = 0, 0, 5*px
	a.Tick.LineStyle = draw.LineStyle{Color: gridColor, Width: px}
	tick := style(textSize, inkColor, 0)
	tick.XAlign, tick.YAlign = a.Tick.Label.XAlign, a.Tick.Label.YAlign
	a.Tick.Label = tick
}

// marks returns the plotters of a series.
func (c Chart) marks(series int, y scale) ([]plot.Plotter, error) {
	l, points := c.styleOf(series), c.points(series)
	if c.Kind == Bars {
		return []plot.Plotter{bars{points, barsShare / float64(len(c.Series)), max(0, y.lo), l.color}}, nil
	}
	dots, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	dots.GlyphStyle = l.glyph()
	if c.Kind == Dots {
		return []plot.Plotter{dots}, nil
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return nil, err
	}
	line.LineStyle = l.line()
	return []plot.Plotter{line, dots}, nil
}

// A bars draws bars at its points, from a base upwards, with a width in categories. gonum's own
// bars do not support a logarithmic scale.
type bars struct {
	points      plotter.XYs
	width, base float64
	color       color.Color
}

// Plot draws the bars.
func (b bars) Plot(dc draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&dc)
	for _, at := range b.points {
		left, right := toX(at.X-b.width/2), toX(at.X+b.width/2)
		b.fill(&dc, left, right-px, toY(b.base), toY(at.Y))
	}
}

// Thumbnail draws a bar for the legend.
func (b bars) Thumbnail(dc *draw.Canvas) {
	middle := dc.Center().Y
	b.fill(dc, dc.Min.X+2*px, dc.Max.X-2*px, middle-5.5*px, middle+5.5*px)
}

func (b bars) fill(dc *draw.Canvas, left, right, from, to vg.Length) {
	dc.FillPolygon(b.color, []vg.Point{{X: left, Y: from}, {X: left, Y: to}, {X: right, Y: to}, {X: right, Y: from}})
}

// A grid draws the grid lines and a frame behind the marks.
type grid struct{ x, y scale }

// Plot draws the lines of y, then those of x, which are between names or at the ticks.
func (g grid) Plot(dc draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&dc)
	stroke := func(ink color.Color, points ...vg.Point) {
		dc.StrokeLines(draw.LineStyle{Color: ink, Width: px}, points)
	}
	across := func(v float64, ink color.Color) {
		stroke(ink, vg.Point{X: dc.Min.X, Y: toY(v)}, vg.Point{X: dc.Max.X, Y: toY(v)})
	}
	down := func(v float64, ink color.Color) {
		stroke(ink, vg.Point{X: toX(v), Y: dc.Min.Y}, vg.Point{X: toX(v), Y: dc.Max.Y})
	}
	for _, v := range g.y.minor() {
		across(v, fineColor)
	}
	for _, v := range g.y.ticks() {
		across(v, gridColor)
	}
	for i := range g.x.names {
		down(float64(i)-0.5, fineColor)
	}
	if g.x.names == nil {
		for _, v := range g.x.ticks() {
			down(v, gridColor)
		}
	}
	stroke(frameColor, dc.Min, vg.Point{X: dc.Max.X, Y: dc.Min.Y}, dc.Max, vg.Point{X: dc.Min.X, Y: dc.Max.Y}, dc.Min)
}
