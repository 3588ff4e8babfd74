// Package chart draws the figures of the benchmark: lines, dots and bars over
// linear, logarithmic or named axes, as SVG documents that need nothing else.
//
// Colours are those of Okabe and Ito, which the colour-blind can tell apart;
// every series also has a marker of its own, so that a print in grey does.
//
// All lengths are pixels, x rightwards and y downwards.
package chart

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// ErrEmpty is returned for a chart that has no point that can be drawn.
var ErrEmpty = errors.New("chart without points")

// A Kind says how points become marks.
type Kind int

// The kinds of charts.
const (
	Lines Kind = iota // markers, joined in the order of x
	Dots              // markers: for names, which have nothing in between
	Bars              // bars from the lower end of y, side by side at each x
)

// An Axis says what a direction means. The zero value is linear and unnamed.
type Axis struct {
	Label string   // quantity and unit: "time per section (µs)"
	Log   bool     // values at or below zero cannot be drawn then
	Names []string // names of the places 0, 1, 2, ...; nil for a scale of numbers
}

// A Point is one value Y of a series at X: on an axis with names the number of the name.
type Point struct{ X, Y float64 }

// A Series is a named sequence of points.
type Series struct {
	Name   string
	Points []Point
	Limit  bool // drawn in grey and dashed: what the machine allows, not a competitor
}

// A Chart is one figure.
type Chart struct {
	Title  string
	Note   string // a line below the title
	Kind   Kind
	X, Y   Axis
	Series []Series
}

// The sizes of a chart.
const (
	plotWidth  = 560
	plotHeight = 340
	textSize   = 13
	titleSize  = 17
	rowHeight  = 20 // of the legend
	tickLength = 5
	leftMargin = 86
	topMargin  = 66
	slant      = 11 // characters; longer names of places are written at a slant
)

// SVG writes the chart as a document of its own. Points that cannot be drawn
// (NaN, infinite, or not positive on a logarithmic axis) are left out. The
// error is ErrEmpty when none is left, or the writer's.
func (c Chart) SVG(w io.Writer) error {
	c = c.drawable()
	if len(c.Series) == 0 {
		return fmt.Errorf("%q: %w", c.Title, ErrEmpty)
	}
	d := newDrawing(c)
	d.head()
	d.axes()
	d.marks()
	d.legend()
	d.print("</svg>\n")
	if _, err := io.WriteString(w, d.String()); err != nil {
		return fmt.Errorf("write svg: %w", err)
	}
	return nil
}

// drawable returns the chart without what cannot be drawn, lines sorted by x.
func (c Chart) drawable() Chart {
	bad := func(v float64, a Axis) bool {
		return math.IsNaN(v) || math.IsInf(v, 0) || a.Log && a.Names == nil && v <= 0
	}
	var kept []Series
	for _, s := range c.Series {
		s.Points = slices.DeleteFunc(slices.Clone(s.Points), func(p Point) bool { return bad(p.X, c.X) || bad(p.Y, c.Y) })
		slices.SortStableFunc(s.Points, func(a, b Point) int { return compare(a.X, b.X) })
		if len(s.Points) > 0 {
			kept = append(kept, s)
		}
	}
	c.Series = kept
	return c
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// drawing is a chart on its way to text.
type drawing struct {
	strings.Builder
	c      Chart
	x, y   scale
	width  int
	height int
	names  bool // names of places are at a slant
}

func newDrawing(c Chart) *drawing {
	d := &drawing{c: c, x: c.scale(c.X, func(p Point) float64 { return p.X }), y: c.scale(c.Y, func(p Point) float64 { return p.Y })}
	d.x.from, d.x.to = leftMargin, leftMargin+plotWidth
	d.y.from, d.y.to = topMargin+plotHeight, topMargin
	if c.Kind == Bars && !c.Y.Log {
		d.y.lo = min(d.y.lo, 0)
	}
	longest, name := 0, 0
	for _, s := range c.Series {
		longest = max(longest, len([]rune(s.Name)))
	}
	for _, n := range c.X.Names {
		name = max(name, len([]rune(n)))
	}
	d.names = name*len(c.X.Names)*8 > plotWidth
	d.width = leftMargin + plotWidth + 60 + longest*7 + 16
	d.height = topMargin + max(plotHeight, len(c.Series)*rowHeight) + 62
	if d.names {
		d.height += min(name, 3*slant) * 4
	}
	return d
}

func (d *drawing) print(format string, args ...any) { fmt.Fprintf(d, format, args...) }

// head opens the document: paper, title, note.
func (d *drawing) head() {
	d.print(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" font-family="DejaVu Sans, Helvetica, Arial, sans-serif" font-size="%d">`+"\n",
		d.width, d.height, textSize)
	d.print("<title>%s</title>\n", escape(d.c.Title))
	d.print(`<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", d.width, d.height)
	d.print(`<text x="16" y="26" font-size="%d" font-weight="bold" fill="#222222">%s</text>`+"\n", titleSize, escape(d.c.Title))
	if d.c.Note != "" {
		d.print(`<text x="16" y="46" fill="#555555">%s</text>`+"\n", escape(d.c.Note))
	}
}

// legend lists the series on the right, in the order of the chart.
func (d *drawing) legend() {
	x := float64(leftMargin + plotWidth + 24)
	for i, s := range d.c.Series {
		y := float64(topMargin + 8 + i*rowHeight)
		if d.c.Kind == Bars {
			d.print(`<rect x="%.1f" y="%.1f" width="18" height="11" fill="%s"/>`+"\n", x-4, y-6, d.look(i).color)
		} else {
			if d.c.Kind == Lines {
				d.line(x-6, y, x+18, y, d.look(i))
			}
			d.marker(x+6, y, d.look(i))
		}
		d.print(`<text x="%.1f" y="%.1f" fill="#222222">%s</text>`+"\n", x+26, y+4.5, escape(s.Name))
	}
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// escape makes a text fit for XML.
func escape(s string) string { return escaper.Replace(s) }
