// Package chart draws the figures of the benchmark with gonum's plot: lines, dots and bars over
// linear, logarithmic or named axes, as SVG documents that need nothing else.
//
// Colours are those of Okabe and Ito, which the colour-blind can tell apart;
// every series also has a marker of its own, so that a print in grey does.
package chart

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
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

// SVG writes the chart as a document of its own. Points that cannot be drawn
// (NaN, infinite, or not positive on a logarithmic axis) are left out. The
// error is ErrEmpty when none is left, or the writer's.
func (c Chart) SVG(w io.Writer) error {
	c = c.drawable()
	if len(c.Series) == 0 {
		return fmt.Errorf("%q: %w", c.Title, ErrEmpty)
	}
	canvas := vgsvg.New(c.size())
	if err := c.draw(draw.New(canvas)); err != nil {
		return fmt.Errorf("draw %q: %w", c.Title, err)
	}
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return fmt.Errorf("write svg: %w", err)
	}
	// Where the font is not installed, one of the same widths takes its place.
	svg := bytes.ReplaceAll(text.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))
	if _, err := w.Write(svg); err != nil {
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
		slices.SortStableFunc(s.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		if len(s.Points) > 0 {
			kept = append(kept, s)
		}
	}
	c.Series = kept
	return c
}
