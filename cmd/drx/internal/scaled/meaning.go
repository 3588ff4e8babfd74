// Package scaled decodes the elements of an array: numbers scaled as its attributes say, or the
// colours of a palette.
package scaled

import (
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strings"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cube"
	numbers "drx/dataset/meaning"
	"drx/dtype"
	"drx/formats/transfer"
)

// A Meaning says what the elements of an array stand for: numbers, scaled as its attributes say, or
// the colours of a palette.
type Meaning struct {
	Decode  func([]byte) float64 // NaN for a missing element
	factor  float64              // multiplies stored numbers; 1 if they are not scaled
	offset  float64              // is added to the product
	Palette []color.RGBA         // the colours of the values 0, 1, 2, ...; nil for numbers
	of      *numbers.Meaning     // nil if numbers stand for themselves
	// the dimension with a scale for each index, if PerIndex
	Dim   int
	first int    // the index of the first scale in that dimension
	Note  string // how numbers are scaled, or why they are not
	Minus *Minus // what is subtracted from each value; nil for nothing
}

// A Minus is an array with the same bounds whose values are subtracted.
type Minus struct {
	Cube   *cube.Cube
	Decode func(element []byte) float64
}

// MeaningOf returns the meaning of the elements of an array. With asNumbers a palette is ignored.
// If the attributes cannot be used, elements stand for themselves and Note says why.
func MeaningOf(a *drx.Array, asNumbers bool) Meaning {
	m := Meaning{Decode: Decoder(a), factor: 1}
	if t := a.DType(); t == dtype.Bool || t.IsComplex() {
		return m
	} else if palette := paletteOf(a); palette != nil && !t.IsFloat() && !asNumbers {
		return withPalette(m, palette)
	}
	of, err := transfer.Meaning(a)
	switch {
	case err != nil:
		name, x := "scale_factor", 0.0
		if _, err := a.Attr(name, &x); err == nil {
			name = "add_offset"
		}
		m.Note = name + " is no number, values are as they are stored"
		return m
	case of.Indices() > 0 && of.Dim(a.Shape(), a.Dims()) < 0:
		m.Note = fmt.Sprintf("scale_factor or nodata has %d numbers, and no dimension has as many indices: values are as they are stored", of.Indices())
		return m
	case of.Indices() > 0:
		m.of, m.Dim = of, of.Dim(a.Shape(), a.Dims())
		m.first = a.Bounds()[m.Dim].Lo
		if !of.IsPacked() {
			m.Note = "missing values have another mark at each index of " + cli.DimNames(a)[m.Dim] + " (nodata)"
			return m
		}
		m.Note = "values are scaled by scale_factor and add_offset, which have a number for each index of " + cli.DimNames(a)[m.Dim]
		return m
	}
	m.Decode, m.of = of.Value, of
	if of.Scale != nil {
		m.factor, m.offset = of.Scale[0], of.Offset[0]
	}
	m.Note = m.noteOf()
	return m
}

// PerIndex reports whether elements have a meaning for each index of a dimension.
func (m Meaning) PerIndex() bool { return m.of != nil && m.of.Indices() > 0 }

// At returns the meaning of the elements at an index of dimension Dim, if PerIndex; otherwise m.
func (m Meaning) At(index int) Meaning {
	if !m.PerIndex() {
		return m
	}
	m.of = m.of.At(index - m.first)
	m.Decode = m.of.Value
	if m.of.Scale != nil {
		m.factor, m.offset = m.of.Scale[0], m.of.Offset[0]
	}
	return m
}

// Within returns the meaning of the elements of a selection: a single scale if the selection has
// one index of Dim.
func (m Meaning) Within(sel cube.Selection) Meaning {
	if m.PerIndex() && sel[m.Dim].Len() == 1 {
		return m.At(sel[m.Dim].At(0))
	}
	return m
}

// noteOf says how values follow from the stored ones, "" if they are equal.
func (m Meaning) noteOf() (note string) {
	if m.of.OtherSign() {
		note = " with the sign of _Unsigned"
	}
	if m.factor != 1 {
		note += fmt.Sprintf(" * %s (scale_factor)", FormatValue(m.factor))
	}
	if m.offset != 0 {
		note += fmt.Sprintf(" + %s (add_offset)", FormatValue(m.offset))
	}
	if note != "" {
		note = "values are the stored ones" + note
	}
	if m.of.Valid != nil {
		note = strings.TrimPrefix(note+"; those outside of valid_min, valid_max or valid_range are not left out", "; ")
	}
	return note
}

// paletteOf returns the colours of the attribute palette, nil if there is none: a list of [red,
// green, blue] or of [red, green, blue, alpha], 0 to 255.
func paletteOf(a *drx.Array) []color.RGBA {
	var list [][]int
	if ok, err := a.Attr("palette", &list); !ok || err != nil {
		return nil
	}
	palette := make([]color.RGBA, len(list))
	for i, c := range list {
		if len(c) == 3 {
			c = append(c, 255)
		}
		if len(c) != 4 || slices.Min(c) < 0 || slices.Max(c) > 255 {
			return nil
		}
		palette[i] = color.RGBA{uint8(c[0]), uint8(c[1]), uint8(c[2]), uint8(c[3])}
	}
	return palette
}

// withPalette returns the meaning of indices of a palette. An index that is not in the palette is
// missing, and so is one whose colour is transparent.
func withPalette(m Meaning, palette []color.RGBA) Meaning {
	stored := m.Decode
	m.Palette = palette
	m.Decode = func(b []byte) float64 {
		v := stored(b)
		if !(v >= 0 && v < float64(len(palette))) || palette[int(v)].A == 0 {
			return math.NaN()
		}
		return v
	}
	return m
}

// Decoder returns a function that decodes an element for drawing. A complex number becomes its
// modulus. An element that marks missing data, as the attributes say or because it is a fill value
// other than zero, becomes NaN.
func Decoder(a *drx.Array) func([]byte) float64 {
	if a.DType() == dtype.Bool {
		return a.DType().Float64
	}
	attrs := maps.Clone(a.Attrs())
	delete(attrs, "scale_factor")
	delete(attrs, "add_offset")
	if m, err := numbers.Of(a.DType(), a.FillValue(), attrs, nil); err == nil {
		return m.Value
	}
	return a.DType().Float64
}
