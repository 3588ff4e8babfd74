package main

import (
	"fmt"
	"image"

	"drx"
	"drx/cmd/internal/result"
)

// A viewSummary describes the values of a picture and the limits of its colours.
type viewSummary struct {
	stat
	section string
	lo, hi  float64
	step    int // only every step-th row and column was read
}

// String returns the summary as a line.
func (s viewSummary) String() string {
	text := fmt.Sprintf("%v; colours from %s to %s", &s.stat, formatValue(s.lo), formatValue(s.hi))
	if s.step > 1 {
		text += fmt.Sprintf("; only every %d-th row and column was read", s.step)
	}
	return text
}

// A pictureResult describes a picture, or an animation, as JSON.
type pictureResult struct {
	Name     string       `json:"name"`
	Section  string       `json:"section"`
	Count    int          `json:"count"`
	Missing  int          `json:"missing"`
	Min      result.Float `json:"min"`
	Max      result.Float `json:"max"`
	ColorsLo result.Float `json:"colors_lo"`
	ColorsHi result.Float `json:"colors_hi"`
	Step     int          `json:"step"`
	Width    int          `json:"width"`
	Height   int          `json:"height"`
	Dim      *int         `json:"dim,omitempty"`
	Pictures int          `json:"pictures,omitempty"`
}

func newPictureResult(a *drx.Array, s viewSummary, size image.Point) pictureResult {
	return pictureResult{
		Name: a.Name(), Section: s.section, Count: s.count, Missing: s.missing, Min: result.Float(s.min), Max: result.Float(s.max),
		ColorsLo: result.Float(s.lo), ColorsHi: result.Float(s.hi), Step: s.step, Width: size.X, Height: size.Y,
	}
}
