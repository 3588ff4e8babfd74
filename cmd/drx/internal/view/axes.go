package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"drx/cmd/drx/internal/cli"
	"drx/cube"
	"drx/dataset/cftime"
	"drx/internal/plot"
)

// uneven is the tolerance of a uniform coordinate: the largest deviation of a value from even
// steps, as a share of the step. Coordinates stored as float32 deviate by rounding.
const uneven = 0.01

// A ruler positions the elements of a dimension on an axis.
type ruler struct {
	x cube.Indices
	// the position on the axis: the value of the coordinate, the index, or the number of the
	// element
	value func(element int) float64
	label string
	scale plot.Scale
}

// rulerOf returns the ruler of a dimension. It positions elements by the values of the coordinate
// if fits accepts these, and by number otherwise. A picture needs a uniform coordinate, because all
// its elements are equally large; lines need one that ascends or descends.
func (s *Scene) rulerOf(d int, fits func(values []float64) bool) (ruler, error) {
	r := ruler{x: s.Sel[d], label: s.dimLabel(d), scale: plot.Numbers{Whole: true}}
	r.value = func(i int) float64 { return float64(r.x.At(i)) }
	if _, labels := s.labels.Labels(d); len(labels) > 0 {
		return r.byNumber(func(i int) string { return s.labels.Label(d, r.x.At(i)) }), nil
	}
	c, err := s.axes.Coordinate(d)
	if err != nil {
		return r, err
	}
	if c == nil {
		if len(r.x) > 1 { // several ranges: the steps between indices are uneven
			return r.byNumber(func(i int) string { return fmt.Sprint(r.x.At(i)) }), nil
		}
		return r, nil
	}
	units, isTime := c.Units()
	switch text := c.Attr("units"); {
	case isTime && units.Calendar != cftime.Standard:
		r.label += fmt.Sprintf(" (%v calendar)", units.Calendar)
	case !isTime && text != "":
		r.label += " (" + text + ")"
	}
	values := make([]float64, r.x.Len())
	for i := range values {
		values[i] = c.Float64(r.x.At(i))
	}
	if !fits(values) {
		r.label += ", by index"
		return r.byNumber(func(i int) string { return c.Text(r.x.At(i)) }), nil
	}
	r.value = func(i int) float64 { return values[i] }
	r.scale = plot.Numbers{}
	if isTime {
		r.scale = plot.Times{Units: units}
	}
	return r, nil
}

// byNumber returns a ruler that positions elements by their number in the selection and names them.
func (r ruler) byNumber(name func(element int) string) ruler {
	n := r.x.Len()
	r.scale = plot.Names{Name: func(i int) string { return name(min(max(i, 0), n-1)) }}
	r.value = func(i int) float64 { return float64(i) }
	return r
}

// step returns the distance of two elements, 1 if there is only one.
func (r ruler) step() float64 {
	n := r.x.Len()
	if n < 2 {
		return 1
	}
	return (r.value(n-1) - r.value(0)) / float64(n-1)
}

// edges returns the axis of a picture of count blocks of span elements. It extends half a step
// beyond the first and the last element.
func (r ruler) edges(count, span int) plot.Axis {
	first, step := r.value(0), r.step()
	return plot.Axis{Label: r.label, From: first - step/2, To: first + step*(float64(count*span)-0.5), Scale: r.scale}
}

// middle returns the position of the middle of a block of span elements.
func (r ruler) middle(block, span int) float64 {
	first := block * span
	last := min(first+span, r.x.Len()) - 1
	return r.value(first)/2 + r.value(last)/2
}

// isUniform reports whether all steps between values are nearly equal, and not zero.
func isUniform(values []float64) bool {
	n := len(values)
	step := (values[n-1] - values[0]) / float64(max(1, n-1))
	for i, v := range values {
		if math.IsNaN(v) || math.Abs(v-values[0]-step*float64(i)) > uneven*math.Abs(step) {
			return false
		}
	}
	return n == 1 || step != 0
}

// isMonotonic reports whether values ascend or descend.
func isMonotonic(values []float64) bool {
	up := len(values) < 2 || values[1] > values[0]
	for i := 1; i < len(values); i++ {
		if up && !(values[i] > values[i-1]) || !up && !(values[i] < values[i-1]) {
			return false
		}
	}
	return !slices.ContainsFunc(values, math.IsNaN)
}

// northward are the units of latitudes in the CF conventions.
var northward = []string{"degrees_north", "degree_north", "degree_N", "degrees_N", "degreeN", "degreesN"}

// isNorthward reports whether the coordinate of a dimension is a latitude or a y that ascends, so
// that the last index belongs to the top of the picture.
func (s *Scene) isNorthward(d int) bool {
	c, err := s.axes.Coordinate(d)
	if err != nil || c == nil || c.IsTime() {
		return false
	}
	x := s.Sel[d]
	first, last := c.Float64(x.At(0)), c.Float64(x.At(x.Len()-1))
	isY := slices.Contains(northward, c.Attr("units")) || c.Attr("axis") == "Y" ||
		slices.Contains([]string{"latitude", "projection_y_coordinate"}, c.Attr("standard_name"))
	return isY && first < last
}

// axesOf returns the axes of a picture.
func (s *Scene) axesOf(part *Slice) (x, y plot.Axis, err error) {
	across, err := s.rulerOf(s.p.Cols, isUniform)
	if err != nil {
		return x, y, err
	}
	x = across.edges(part.Cols, part.Across.span())
	if s.p.Rows < 0 {
		return x, plot.Axis{From: -0.5, To: 0.5, Scale: plot.Names{Name: func(int) string { return "" }}}, nil
	}
	down, err := s.rulerOf(s.p.Rows, isUniform)
	if err != nil {
		return x, y, err
	}
	y = down.edges(part.Rows, part.Down.span())
	if !s.flip {
		y.From, y.To = y.To, y.From
	}
	return x, y, nil
}

// fixed describes the dimensions with one index that are not drawn, except for those in without:
// "time = 2010-08-26, level = 500 hPa".
func (s *Scene) fixed(sel cube.Selection, without ...int) string {
	var parts []string
	for d, x := range sel {
		if !s.p.Has(d) && !slices.Contains(without, d) && x.Len() == 1 {
			parts = append(parts, s.at(d, x.At(0)))
		}
	}
	return strings.Join(parts, ", ")
}

// at returns the name of a dimension with the label of an index, its coordinate or the index
// itself.
func (s *Scene) at(d, index int) string {
	text := fmt.Sprintf("%s = %s", s.dimLabel(d), cli.Printable(s.labels.Label(d, index)))
	if c, err := s.axes.Coordinate(d); err == nil && c != nil && !c.IsTime() && c.Attr("units") != "" {
		text += " " + shortUnits.Replace(cli.Printable(c.Attr("units")))
	}
	return text
}

// shortUnits replaces the units of latitude and longitude by signs.
var shortUnits = strings.NewReplacer("degrees_north", "°N", "degrees_east", "°E")

// dimLabel returns the name of a dimension, or "dimension 0" if it has none.
func (s *Scene) dimLabel(d int) string {
	if s.a.Dims()[d] == "" {
		return fmt.Sprintf("dimension %d", d)
	}
	return cli.DimNames(s.a)[d]
}
