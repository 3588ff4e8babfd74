package main

import (
	"context"
	"slices"
	"strings"

	"drx"
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

// A scene is what view draws of an array.
type scene struct {
	viewOptions
	meaning
	a      *drx.Array
	axes   *dataset.Axes
	labels *cube.Cube
	kind   kind
	sel    cube.Selection // of extent 1 except in the dimensions of the plane, of --animate and of the bands
	p      plane
	bands  int   // the dimension of --rgb, or -1
	rgb    []int // its three indices
	flip   bool  // the rows are drawn from the last to the first, so that north is up
	notes  []string
}

// newScene chooses what to draw. animated is the dimension of --animate, or -1.
func newScene(o viewOptions, a *drx.Array, animated int) (*scene, error) {
	found, err := o.of(a)
	if err != nil {
		return nil, err
	}
	s := &scene{viewOptions: o, a: a, axes: found.axes, sel: found.sel, bands: -1, kind: mapKind, meaning: meaningOf(a, o.ownColors)}
	if err := checkDrawable(a, s.sel); err != nil {
		return nil, err
	}
	if s.labels, err = found.axes.Cube(); err != nil {
		return nil, err
	}
	if err := s.chooseBands(); err != nil {
		return nil, err
	}
	if s.palette != nil && s.kind == mapKind {
		s.kind = paletteKind
	}
	if err := s.choosePlane(animated); err != nil {
		return nil, err
	}
	s.tell(indexNotes(s.labels, o.at)...)
	s.tell(found.note)
	s.tell(shownNote("", fixOthers(a, s.sel, s.p, animated, s.bands)))
	if s.kind != paletteKind {
		s.tell(s.meaning.note)
	}
	return s, nil
}

// tell adds notes for the error output.
func (s *scene) tell(notes ...string) {
	s.notes = append(s.notes, slices.DeleteFunc(notes, func(text string) bool { return text == "" })...)
}

// note returns all notes as one line.
func (s *scene) note() string { return strings.Join(s.notes, "; ") }

// choosePlane chooses the dimensions that are drawn, and lines instead of a picture one element high or wide, unless
// --dims or --zoom ask for a picture.
func (s *scene) choosePlane(animated int) (err error) {
	lens := s.sel.Shape()
	for _, d := range []int{animated, s.bands} {
		if d >= 0 {
			lens[d] = 0
		}
	}
	if !slices.ContainsFunc(lens, func(n int) bool { return n > 0 }) {
		return usagef("%s: nothing is left to draw beside dimension %s", s.a.Name(), dimNames(s.a)[max(animated, s.bands)])
	}
	if s.p, err = choosePlane(s.a, s.dims, lens); err != nil {
		return err
	}
	if s.kind == mapKind && s.dims == "" && s.zoom == 0 && s.hasAxes() {
		s.chooseLine()
	}
	s.flip = s.kind != linesKind && s.hasAxes() && s.p.rows >= 0 && s.isNorthward(s.p.rows)
	return nil
}

// chooseLine makes the scene one of lines if at most one of the dimensions drawn has several indices.
func (s *scene) chooseLine() {
	switch {
	case s.p.rows < 0:
	case s.sel[s.p.rows].Len() == 1 && s.sel[s.p.cols].Len() > 1:
		s.p.rows = -1
	case s.sel[s.p.cols].Len() == 1 && s.sel[s.p.rows].Len() > 1:
		s.p = plane{-1, s.p.rows}
	default:
		return
	}
	s.kind = linesKind
}

// hasAxes reports whether the picture gets axes: it goes to a file, and is not plain.
func (o viewOptions) hasAxes() bool { return o.out != "" && !o.plain }

// chooseBands parses --rgb and chooses the dimension of the bands.
func (s *scene) chooseBands() (err error) {
	if s.viewOptions.rgb == "" {
		return nil
	}
	if s.rgb, err = parseBands(s.viewOptions.rgb); err != nil {
		return err
	}
	if s.bands, err = s.bandDim(); err != nil {
		return err
	}
	name, bounds := dimNames(s.a)[s.bands], s.axes.Bounds()[s.bands]
	if s.sel[s.bands].Len() != bounds.Len() {
		return usagef("--rgb %s chooses indices of dimension %s, and so does another flag: give one of them", s.viewOptions.rgb, name)
	}
	var chosen cube.Indices
	for _, i := range s.rgb {
		if i < bounds.Lo || i >= bounds.Hi {
			return usagef("%s: --rgb %s: index %d of dimension %s is not in %v", s.a.Name(), s.viewOptions.rgb, i, name, bounds)
		}
		chosen = append(chosen, nd.At(i).By(1))
	}
	s.sel[s.bands], s.kind = chosen, compositeKind
	return nil
}

// readsOf returns the selections that a picture consists of: one, or one per band.
func (s *scene) readsOf(sel cube.Selection) []cube.Selection {
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

// read reads the values of a picture: a slice, or one per band, reduced to at most side values in each direction.
func (s *scene) read(ctx context.Context, sel cube.Selection, side int, bar func(bytes int64) *progress) ([]*slice, error) {
	var parts []*slice
	for _, one := range s.readsOf(sel) {
		part, err := readSlice(ctx, s.labels, one, s.p, s.meaning, side, bar)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// statOf returns the counts of all parts of a picture.
func statOf(parts []*slice) stat {
	all := noStat()
	for _, part := range parts {
		all.merge(part.stat)
	}
	return all
}

// isBool reports whether the elements are true or false.
func (s *scene) isBool() bool { return s.a.DType() == dtype.Bool }
