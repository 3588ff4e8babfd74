package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/dtype"
	"drx/internal/plot"
)

// A meaning says what the elements of an array stand for: numbers, scaled as its attributes say, or the colours of a
// palette.
type meaning struct {
	decode  func([]byte) float64 // NaN for a missing element
	factor  float64              // what stored numbers are multiplied by: 1 if they are not scaled
	offset  float64              // what is added then
	palette []color.RGBA         // the colours of the values 0, 1, 2, ...; nil for numbers
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
	factor, offset := 1.0, 0.0
	for _, attr := range []struct {
		name string
		to   *float64
	}{{"scale_factor", &factor}, {"add_offset", &offset}} {
		if _, err := a.Attr(attr.name, attr.to); err != nil || math.IsNaN(*attr.to) || math.IsInf(*attr.to, 0) {
			m.note = fmt.Sprintf("%s is no number, values are as they are stored", attr.name)
			return m
		}
	}
	if factor == 1 && offset == 0 {
		return m
	}
	stored := m.decode
	m.factor, m.offset = factor, offset
	m.decode = func(b []byte) float64 { return stored(b)*factor + offset }
	m.note = "values are the stored ones"
	if factor != 1 {
		m.note += fmt.Sprintf(" * %s (scale_factor)", formatValue(factor))
	}
	if offset != 0 {
		m.note += fmt.Sprintf(" + %s (add_offset)", formatValue(offset))
	}
	return m
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

// decoder returns a function that decodes an element for drawing. A complex number becomes its modulus. An
// element that equals the fill value becomes NaN if the fill value is not zero, because such a value was
// chosen to mark missing data.
func decoder(a *drx.Array) func([]byte) float64 {
	t, fill := a.DType(), a.FillValue()
	if t == dtype.Bool || t.Float64(fill) == 0 {
		return t.Float64
	}
	return func(b []byte) float64 {
		if bytes.Equal(b, fill) {
			return math.NaN()
		}
		return t.Float64(b)
	}
}
