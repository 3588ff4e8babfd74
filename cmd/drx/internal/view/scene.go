package view

import (
	"context"
	"slices"
	"strings"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/display"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/scaled"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
	"drx/dataset"
	"drx/dtype"
	"drx/nd"
)

// A kind is a way to draw elements.
type kind string

// The kinds. Other programs rely on their names, in JSON.
const (
	mapKind       kind = "map"       // a colour per value
	paletteKind   kind = "palette"   // the elements' own colours
	compositeKind kind = "composite" // three indices of a dimension as red, green and blue
	linesKind     kind = "lines"     // a line per section of one dimension
)

// A Scene is the part of an array that view draws, and how.
type Scene struct {
	Options
	scaled.Meaning
	a      *drx.Array
	axes   *dataset.Axes
	labels *cube.Cube
	kind   kind
	// has extent 1 except in the dimensions of the plane, of --animate and of the bands
	Sel   cube.Selection
	p     display.Plane
	bands int   // the dimension of --rgb, or -1
	rgb   []int // its three indices
	flip  bool  // the rows are drawn from the last to the first, so that north is up
	notes []string
}

// NewScene chooses the selection, the dimensions and the kind of a picture. animated is the
// dimension of --animate, or -1.
func NewScene(o Options, a *drx.Array, animated int) (*Scene, error) {
	found, err := o.Of(a)
	if err != nil {
		return nil, err
	}
	s := &Scene{Options: o, a: a, axes: found.Axes, Sel: found.Sel, bands: -1, kind: mapKind, Meaning: scaled.MeaningOf(a, o.ownColors)}
	if s.Minus = o.minus; s.Minus != nil {
		s.addNotes("the difference from " + s.Minus.Cube.Array().Name())
	}
	if err := display.CheckDrawable(a, s.Sel); err != nil {
		return nil, err
	}
	if s.labels, err = found.Axes.Cube(); err != nil {
		return nil, err
	}
	if err := s.chooseBands(); err != nil {
		return nil, err
	}
	if s.Palette != nil && s.kind == mapKind {
		s.kind = paletteKind
	}
	if err := s.choosePlane(animated); err != nil {
		return nil, err
	}
	s.addNotes(selection.IndexNotes(s.labels, o.At)...)
	s.addNotes(found.Note)
	s.addNotes(display.ShownNote("", display.FixOthers(a, s.Sel, s.p, animated, s.bands)))
	if s.kind != paletteKind {
		s.addNotes(s.Meaning.Note)
	}
	return s, nil
}

// addNotes adds notes for the error output.
func (s *Scene) addNotes(notes ...string) {
	s.notes = append(s.notes, slices.DeleteFunc(notes, func(text string) bool { return text == "" })...)
}

// note returns all notes as one line.
func (s *Scene) note() string { return strings.Join(s.notes, "; ") }

// choosePlane chooses the dimensions that are drawn. It chooses lines instead of a picture that
// would be one element high or wide, unless --dims or --zoom ask for a picture.
func (s *Scene) choosePlane(animated int) (err error) {
	lens := s.Sel.Shape()
	for _, d := range []int{animated, s.bands} {
		if d >= 0 {
			lens[d] = 0
		}
	}
	if !slices.ContainsFunc(lens, func(n int) bool { return n > 0 }) {
		return cli.Usagef("%s: nothing is left to draw beside dimension %s", s.a.Name(), cli.DimNames(s.a)[max(animated, s.bands)])
	}
	if s.p, err = display.ChoosePlane(s.a, s.dims, lens); err != nil {
		return err
	}
	if s.kind == mapKind && s.dims == "" && s.zoom == 0 && s.hasAxes() {
		s.chooseLine()
	}
	s.flip = s.kind != linesKind && s.hasAxes() && s.p.Rows >= 0 && s.isNorthward(s.p.Rows)
	return nil
}

// chooseLine turns the scene into lines if at most one of the drawn dimensions has several indices.
func (s *Scene) chooseLine() {
	switch {
	case s.p.Rows < 0:
	case s.Sel[s.p.Rows].Len() == 1 && s.Sel[s.p.Cols].Len() > 1:
		s.p.Rows = -1
	case s.Sel[s.p.Cols].Len() == 1 && s.Sel[s.p.Rows].Len() > 1:
		s.p = display.Plane{Rows: -1, Cols: s.p.Rows}
	default:
		return
	}
	s.kind = linesKind
}

// chooseBands parses --rgb and chooses the dimension of the bands.
func (s *Scene) chooseBands() (err error) {
	if s.Options.rgb == "" {
		return nil
	}
	if s.rgb, err = display.ParseBands(s.Options.rgb); err != nil {
		return err
	}
	if s.bands, err = s.bandDim(); err != nil {
		return err
	}
	name, bounds := cli.DimNames(s.a)[s.bands], s.axes.Bounds()[s.bands]
	if s.Sel[s.bands].Len() != bounds.Len() {
		return cli.Usagef("--rgb %s chooses indices of dimension %s, and so does another flag: give one of them", s.Options.rgb, name)
	}
	var chosen cube.Indices
	for _, i := range s.rgb {
		if i < bounds.Lo || i >= bounds.Hi {
			return cli.Usagef("%s: --rgb %s: index %d of dimension %s is not in %v", s.a.Name(), s.Options.rgb, i, name, bounds)
		}
		chosen = append(chosen, nd.At(i).By(1))
	}
	s.Sel[s.bands], s.kind = chosen, compositeKind
	return nil
}

// readsOf returns the selections that a picture consists of: one, or one per band.
func (s *Scene) readsOf(sel cube.Selection) []cube.Selection {
	if s.kind != compositeKind {
		return []cube.Selection{sel}
	}
	var sels []cube.Selection
	for _, i := range s.rgb {
		one := slices.Clone(sel)
		one[s.bands] = cube.Indices{nd.At(i).By(1)}
		sels = append(sels, one)
	}
	return sels
}

// Read reads the values of a picture: a slice, or one per band, reduced to at most side values in
// each direction.
func (s *Scene) Read(ctx context.Context, sel cube.Selection, side int, bar func(bytes int64) *progress.Progress) ([]*Slice, error) {
	var parts []*Slice
	for _, one := range s.readsOf(sel) {
		part, err := readSlice(ctx, s.labels, one, s.p, s.Meaning, side, bar)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// statOf returns the counts of all parts of a picture.
func statOf(parts []*Slice) stat {
	all := NoStat()
	for _, part := range parts {
		all.merge(part.Stat)
	}
	return all
}

// isBool reports whether the elements are true or false.
func (s *Scene) isBool() bool { return s.a.DType() == dtype.Bool }
