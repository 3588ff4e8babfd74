package view

import (
	"image/color"
	"strconv"
	"strings"

	"drx/internal/plot"
)

// mostClasses is the largest number of colours of a palette whose key has an entry for each colour.
// Palettes of classes are that small; palettes of pictures are not.
const mostClasses = 16

// classKey returns the entries of a palette with few colours. Classes have the names of CF's
// attributes flag_values and flag_meanings, or their numbers.
func (s *Scene) classKey() (key []plot.Entry) {
	if len(s.Palette) > mostClasses {
		return nil
	}
	names := s.flagNames()
	for class, c := range s.Palette {
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

// flagNames returns the names of classes from the CF attributes flag_values and flag_meanings.
func (s *Scene) flagNames() map[int]string {
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
