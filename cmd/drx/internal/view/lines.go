package view

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/display"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
	"drx/internal/plot"
)

const (
	mostLines = 16   // in a picture
	linePixel = 2048 // largest number of points of a line
)

// A lineSection is one of the sections that are drawn as lines.
type lineSection struct {
	name string
	sel  cube.Selection
}

// newLines chooses the sections of --lines. They are lines along one dimension, given by --dims or
// else the last one with several indices.
func newLines(o Options, a *drx.Array) (*Scene, []lineSection, error) {
	plain := o
	plain.dims = "" // --dims names two dimensions for a picture, but one for lines
	s, err := NewScene(plain, a, -1)
	if err != nil {
		return nil, nil, err
	}
	s.dims = o.dims
	found, err := o.Of(a)
	if err != nil {
		return nil, nil, err
	}
	var lines []lineSection
	for _, text := range o.lines {
		more, err := s.linesOf(text, found.Sel)
		if err != nil {
			return nil, nil, err
		}
		lines = append(lines, more...)
	}
	if len(lines) > mostLines {
		return nil, nil, cli.Usagef("%s: --lines: %d or more lines, at most %d; choose with --at or --sel", a.Name(), mostLines+1, mostLines)
	}
	if err := s.chooseLineDim(lines); err != nil {
		return nil, nil, err
	}
	return s, lines, nil
}

// linesOf returns the sections of one value of --lines: DIM gives a line per index of a dimension,
// DIM=INDEX,... a single line. It returns at most mostLines+1 lines, enough for the caller to
// refuse them.
func (s *Scene) linesOf(text string, sel cube.Selection) ([]lineSection, error) {
	if !strings.Contains(text, "=") {
		d, err := cli.ParseDim(s.a, text)
		if err != nil {
			return nil, err
		}
		var lines []lineSection
		for i := range min(sel[d].Len(), mostLines+1) {
			one := slices.Clone(sel)
			one[d] = sel[d].Slice(i, 1)
			name := s.at(d, one[d].At(0))
			if _, labels := s.labels.Labels(d); len(labels) > 0 {
				name = s.labels.Label(d, one[d].At(0)) // a label needs no name of its dimension
			}
			lines = append(lines, lineSection{name, one})
		}
		return lines, nil
	}
	o := s.Flags
	o.At = strings.TrimPrefix(o.At+","+text, ",")
	found, err := o.Of(s.a)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, field := range selection.FieldsOf(text) {
		name, _, _ := strings.Cut(field, "=")
		d, err := cli.ParseDim(s.a, strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if found.Sel[d].Len() != 1 {
			return nil, cli.Usagef("--lines %s: want one index of dimension %s", text, cli.DimNames(s.a)[d])
		}
		names = append(names, s.at(d, found.Sel[d].At(0)))
	}
	return []lineSection{{strings.Join(names, ", "), found.Sel}}, nil
}

// chooseLineDim chooses the dimension along which lines go, and restricts each line to its first
// index in all other dimensions.
func (s *Scene) chooseLineDim(lines []lineSection) error {
	lens := lines[0].sel.Shape()
	d := len(lens) - 1
	for d > 0 && lens[d] == 1 {
		d--
	}
	if s.dims != "" {
		var err error
		if d, err = cli.ParseDim(s.a, s.dims); err != nil {
			return err
		}
	}
	s.kind, s.p, s.Sel = linesKind, display.Plane{Rows: -1, Cols: d}, lines[0].sel
	s.notes = nil
	for i := range lines {
		if lines[i].sel[d].Len() != lens[d] {
			return cli.Usagef("%s: --lines: the lines have %d and %d indices of dimension %s: choose the same ones with --at",
				s.a.Name(), lens[d], lines[i].sel[d].Len(), cli.DimNames(s.a)[d])
		}
		lines[i].sel = slices.Clone(lines[i].sel)
		if fixed := display.ShownNote("", display.FixOthers(s.a, lines[i].sel, s.p)); i == 0 {
			s.addNotes(fixed)
		}
	}
	s.Sel = lines[0].sel
	s.addNotes(s.Meaning.Note)
	return nil
}

// readLines reads the values of the lines.
func (s *Scene) readLines(ctx context.Context, lines []lineSection, bar func(bytes int64) *progress.Progress) ([]*Slice, error) {
	var parts []*Slice
	for _, l := range lines {
		part, err := readSlice(ctx, s.labels, l.sel, s.p, s.Meaning, linePixel, bar)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// outline returns the values of a line. If elements were combined in blocks it returns the least
// and the greatest of each, in the order of their indices: means would hide a spike.
func (s *Slice) outline() []float64 {
	if s.ends == nil {
		return s.Values
	}
	values := make([]float64, 0, 2*len(s.ends))
	for _, e := range s.ends {
		values = append(values, e.first, e.last)
	}
	return values
}

// lineLimits returns the ends of the vertical axis, from the flags or a little beyond the values.
func (s *Scene) lineLimits(parts []*Slice) (lo, hi float64) {
	var values [][]float64
	for _, part := range parts {
		if s.Robust {
			values = append(values, part.outline())
		} else {
			values = append(values, []float64{part.Stat.min, part.Stat.max})
		}
	}
	if s.Robust {
		h := s.limits(&Slice{Values: slices.Concat(values...), Stat: statOf(parts)})
		return h.Lo, h.Hi
	}
	lo, hi = plot.Around(values...)
	if !math.IsNaN(s.Lo) {
		lo = s.Lo
	}
	if !math.IsNaN(s.Hi) {
		hi = s.Hi
	}
	return lo, max(hi, lo)
}

// lineFigure returns lines with axes, between two values.
func (s *Scene) lineFigure(lines []lineSection, parts []*Slice, lo, hi float64, subtitle string) (plot.Figure, error) {
	f := plot.Figure{Title: s.title(), Subtitle: subtitle, Y: plot.Axis{Label: s.units(), From: lo, To: hi}}
	r, err := s.rulerOf(s.p.Cols, isMonotonic)
	if err != nil {
		return f, err
	}
	for i, part := range parts {
		line := plot.Line{Y: part.outline(), X: make([]float64, 0, 2*part.Cols)}
		for j := range part.Cols {
			x := r.middle(j, part.Across.span())
			if line.X = append(line.X, x); part.ends != nil {
				line.X = append(line.X, x)
			}
		}
		if len(lines) > 1 {
			line.Name = lines[i].name
		}
		f.Lines = append(f.Lines, line)
	}
	n := r.x.Len()
	f.X = plot.Axis{Label: r.label, From: r.value(0), To: r.value(n - 1), Scale: r.scale}
	if f.X.From > f.X.To { // a descending coordinate: the axis ascends nevertheless
		f.X.From, f.X.To = f.X.To, f.X.From
	}
	switch across := parts[0].Across; {
	case across.Block > 1 && across.Step > 1:
		f.Notes = append(f.Notes, fmt.Sprintf("The lines go through the least and the greatest of each %d elements, every %d-th of which was read.", across.Block, across.Step))
	case across.Block > 1:
		f.Notes = append(f.Notes, fmt.Sprintf("The lines go through the least and the greatest of each %d elements.", across.Block))
	case across.Step > 1:
		f.Notes = append(f.Notes, fmt.Sprintf("Only every %d-th element was read.", across.Step))
	}
	return f, nil
}
