package main

import (
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/cube"
	numbers "drx/dataset/meaning"
	"drx/dtype"
	"drx/formats/transfer"
	"drx/internal/plot"
)

// A meaning says what the elements of an array stand for: numbers, scaled as its attributes say, or the colours of a
// palette.
type meaning struct {
	decode  func([]byte) float64 // NaN for a missing element
	factor  float64              // what stored numbers are multiplied by: 1 if they are not scaled
	offset  float64              // what is added then
	palette []color.RGBA         // the colours of the values 0, 1, 2, ...; nil for numbers
	of      *numbers.Meaning     // of numbers; nil if they are as they are stored
	dim     int                  // the dimension with a scale for each index, if there is one, see perIndex
	first   int                  // the index there of the first scale
	note    string               // how numbers are scaled, or why they are not
}

// meaningOf returns the meaning of the elements of an array. Values are drawn as numbers even if there is a palette.
func meaningOf(a *drx.Array, asNumbers bool) meaning {
	m := meaning{decode: decoder(a), factor: 1}
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
		m.note = name + " is no number, values are as they are stored"
		return m
	case len(of.Scale) > 1 && of.Dim(a.Shape()) < 0:
		m.note = fmt.Sprintf("scale_factor has %d numbers, and no dimension has as many indices: values are as they are stored", len(of.Scale))
		return m
	case len(of.Scale) > 1:
		m.of, m.dim = of, of.Dim(a.Shape())
		m.first = a.Bounds()[m.dim].Lo
		m.note = "values are scaled by scale_factor and add_offset, which have a number for each index of " + dimNames(a)[m.dim]
		return m
	}
	m.decode, m.of = of.Value, of
	if of.Scale != nil {
		m.factor, m.offset = of.Scale[0], of.Offset[0]
	}
	m.note = m.noteOf()
	return m
}

// perIndex reports whether there is a scale for each index of a dimension.
func (m meaning) perIndex() bool { return m.of != nil && len(m.of.Scale) > 1 }

// at returns the meaning of the elements at an index of the dimension that has a scale for each.
func (m meaning) at(index int) meaning {
	if !m.perIndex() {
		return m
	}
	m.of = m.of.At(index - m.first)
	m.decode, m.factor, m.offset = m.of.Value, m.of.Scale[0], m.of.Offset[0]
	return m
}

// within returns the meaning of the elements of a selection. It has one scale if they have one.
func (m meaning) within(sel cube.Selection) meaning {
	if m.perIndex() && sel[m.dim].Len() == 1 {
		return m.at(sel[m.dim].At(0))
	}
	return m
}

// noteOf says how stored values become others, "" if they stay.
func (m meaning) noteOf() (note string) {
	if m.of.OtherSign() {
		note = " with the sign of _Unsigned"
	}
	if m.factor != 1 {
		note += fmt.Sprintf(" * %s (scale_factor)", formatValue(m.factor))
	}
	if m.offset != 0 {
		note += fmt.Sprintf(" + %s (add_offset)", formatValue(m.offset))
	}
	if note != "" {
		note = "values are the stored ones" + note
	}
	if m.of.Valid != nil {
		note = strings.TrimPrefix(note+"; those outside of valid_min, valid_max or valid_range are not left out", "; ")
	}
	return note
}

// paletteOf returns the colours of the attribute palette, nil if there is none: a list of [red, green, blue] or of
// [red, green, blue, alpha], 0 to 255.
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

// mostClasses is the largest number of colours of a palette whose key has an entry for each: those of classes, not of pictures.
const mostClasses = 16

// classKey returns the entries of a palette with few colours. Classes have the names of CF's attributes flag_values and flag_meanings, or
// their numbers.
func (s *scene) classKey() (key []plot.Entry) {
	if len(s.palette) > mostClasses {
		return nil
	}
	names := s.flagNames()
	for class, c := range s.palette {
		if c.A == 0 { // missing
			continue
		}
		name, named := names[class]
		if !named {
			name = strconv.Itoa(class)
		}
		key = append(key, plot.Entry{Color: color.RGBA{c.R, c.G, c.B, 255}, Text: name})
	}
	return key
}

// flagNames returns the names of classes, from attributes that are as CF has them.
func (s *scene) flagNames() map[int]string {
	var values []int
	var meanings string
	for name, to := range map[string]any{"flag_values": &values, "flag_meanings": &meanings} {
		if ok, err := s.a.Attr(name, to); !ok || err != nil {
			return nil
		}
	}
	names := map[int]string{}
	for i, text := range strings.Fields(meanings) {
		if i < len(values) {
			names[values[i]] = strings.ReplaceAll(text, "_", " ")
		}
	}
	return names
}

// withPalette returns the meaning of indices of a palette. An index without colour is missing, and so is one whose
// colour is transparent.
func withPalette(m meaning, palette []color.RGBA) meaning {
	stored := m.decode
	m.palette = palette
	m.decode = func(b []byte) float64 {
		v := stored(b)
		if !(v >= 0 && v < float64(len(palette))) || palette[int(v)].A == 0 {
			return math.NaN()
		}
		return v
	}
	return m
}

// decoder returns a function that decodes an element for drawing. A complex number becomes its modulus. An element that marks missing
// data, as the attributes say or because it is a fill value other than zero, becomes NaN.
func decoder(a *drx.Array) func([]byte) float64 {
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
