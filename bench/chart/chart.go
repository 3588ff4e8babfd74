// Package chart draws the figures of the benchmark with gonum's plot: lines, dots and bars over
// linear, logarithmic or named axes, as self-contained SVG documents.
//
// The colours are those of Okabe and Ito, which colour-blind readers can distinguish. Every series
// also has its own marker, for prints in grey.
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

// ErrEmpty is returned for a chart without any point that can be drawn.
var ErrEmpty = errors.New("chart without points")

// A Kind is a way to draw points.
type Kind int

// The kinds of charts.
const (
	Lines Kind = iota // markers, joined in the order of x
	Dots              // markers: for names, which have nothing in between
	Bars              // bars from the lower end of y, side by side at each x
)

// An Axis describes the scale of x or y. The zero value is linear and has no label.
type Axis struct {
	Label string   // quantity and unit: "time per section (µs)"
	Log   bool     // values at or below zero cannot be drawn then
	Names []string // names of the categories 0, 1, 2, ...; nil for a scale of numbers
}

// A Point is one value Y of a series at X. On an axis with names, X is the number of the name.
type Point struct{ X, Y float64 }

// A Series is a named sequence of points.
type Series struct {
	Name   string
	Points []Point
	Limit  bool // drawn in grey and dashed: a limit of the machine, not a competitor
}

// A Chart is one figure.
type Chart struct {
	Title  string
	Note   string // a line below the title
	Kind   Kind
	X, Y   Axis
	Series []Series
}

// SVG writes the chart as an SVG document. It leaves out points that cannot be drawn
// (NaN, infinite, or not positive on a logarithmic axis). It returns ErrEmpty if none is
// left, or the error of the writer.
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
	// If the font is not installed, the viewer uses one with the same widths.
	svg := bytes.ReplaceAll(text.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))
	if _, err := w.Write(svg); err != nil {
		return fmt.Errorf("write svg: %w", err)
	}
	return nil
}

// drawable returns the chart without points that cannot be drawn, and with points sorted by x.
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
