package view

import (
	"fmt"
	"image"

	"drx"
	"drx/cmd/drx/internal/scaled"
	"drx/cmd/drx/internal/selection"
	"drx/cmd/internal/result"
)

// A viewSummary describes the values of a picture and the limits of its colours, or of the vertical
// axis of lines.
type viewSummary struct {
	stat
	kind    kind
	section string
	lo, hi  float64
	robust  bool // the limits are percentiles
	auto    bool // robust was chosen without --robust
	bands   []bandResult
	bandDim int
	dimName string
	lines   []string
	step    int // only every step-th row and column was read
}

// A bandResult is a band of a composite, as JSON.
type bandResult struct {
	Index int          `json:"index"`
	Lo    result.Float `json:"lo"`
	Hi    result.Float `json:"hi"`
}

// summary returns the summary of a picture.
func (s *Scene) summary(all stat, part *Slice, k colorScale) viewSummary {
	v := viewSummary{stat: all, kind: s.kind, section: selection.FormatSelection(s.Sel), lo: k.Heat.Lo, hi: k.Heat.Hi, step: part.Step}
	switch s.kind {
	case mapKind:
		v.robust, v.auto = k.Heat.Robust, !s.RobustGiven
	case compositeKind:
		v.bandDim, v.dimName = s.bands, s.dimLabel(s.bands)
		for i, index := range s.rgb {
			v.bands = append(v.bands, bandResult{index, result.Float(k.bands[i][0]), result.Float(k.bands[i][1])})
		}
	}
	return v
}

// lineSummary returns the summary of lines.
func (s *Scene) lineSummary(lines []lineSection, parts []*Slice, lo, hi float64) viewSummary {
	v := viewSummary{stat: statOf(parts), kind: linesKind, section: selection.FormatSelection(s.Sel), lo: lo, hi: hi, step: parts[0].Step}
	for _, l := range lines {
		if l.name != "" {
			v.lines = append(v.lines, l.name)
		}
	}
	return v
}

// String returns the summary as a line.
func (s viewSummary) String() string {
	text := s.stat.String()
	switch s.kind {
	case paletteKind:
		text += "; in the colours of its palette"
	case compositeKind:
		for i, b := range s.bands {
			text += fmt.Sprintf("; %s is %s = %d from %s to %s", [...]string{"red", "green", "blue"}[i], s.dimName, b.Index, scaled.FormatValue(float64(b.Lo)), scaled.FormatValue(float64(b.Hi)))
		}
	case linesKind:
		if s.lines != nil {
			text = fmt.Sprintf("%d lines; %s", len(s.lines), text)
		}
	default:
		text += fmt.Sprintf("; colours from %s to %s", scaled.FormatValue(s.lo), scaled.FormatValue(s.hi))
	}
	if s.robust {
		text += ", the percentiles 0.5 and 99.5"
	}
	if s.robust && s.auto {
		text += ", as a few values would leave little for the rest: --robust=false for all"
	}
	switch {
	case s.step > 1 && s.kind == linesKind:
		text += fmt.Sprintf("; only every %d-th element was read", s.step)
	case s.step > 1:
		text += fmt.Sprintf("; only every %d-th row and column was read", s.step)
	}
	return text
}

// A pictureResult describes a picture, or an animation, as JSON.
type pictureResult struct {
	Name     string       `json:"name"`
	Kind     kind         `json:"kind"`
	Section  string       `json:"section"`
	Count    int          `json:"count"`
	Missing  int          `json:"missing"`
	Min      result.Float `json:"min"`
	Max      result.Float `json:"max"`
	ColorsLo result.Float `json:"colors_lo"`
	ColorsHi result.Float `json:"colors_hi"`
	Robust   bool         `json:"robust"`
	Step     int          `json:"step"`
	Width    int          `json:"width"`
	Height   int          `json:"height"`
	Bands    []bandResult `json:"bands,omitempty"`
	Lines    []string     `json:"lines,omitempty"`
	Dim      *int         `json:"dim,omitempty"`
	Pictures int          `json:"pictures,omitempty"`
}

func newPictureResult(a *drx.Array, s viewSummary, size image.Point) pictureResult {
	r := pictureResult{
		Name: a.Name(), Kind: s.kind, Section: s.section, Count: s.count, Missing: s.missing, Min: result.Float(s.min), Max: result.Float(s.max),
		ColorsLo: result.Float(s.lo), ColorsHi: result.Float(s.hi), Robust: s.robust, Step: s.step, Width: size.X, Height: size.Y,
		Bands: s.bands, Lines: s.lines,
	}
	if s.kind == compositeKind {
		r.Dim = &s.bandDim
	}
	return r
}
