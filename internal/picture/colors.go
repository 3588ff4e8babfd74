// Package picture draws the pictures of the command line: heat maps of 2-D slices, alone or
// as animations; any image as text for a terminal; and maps of the chunk grid with the number
// of each chunk and the colour of its segment, or with the path of the numbers. It opens no
// files: every result goes to an io.Writer.
//
// All lengths are pixels, or character cells for a terminal. Rows run
// downwards and columns to the right, as in a printed matrix.
package picture

import (
	"fmt"
	"image/color"
	"math"
)

// Colors names a colour map, a path of colours from the lowest value to the
// highest. The zero value is Viridis.
type Colors int

// The colour maps.
const (
	// Viridis runs from dark violet over teal to yellow. Its lightness rises
	// evenly, so it also reads in grey and for the colour-blind.
	Viridis Colors = iota
	// Grey runs from black to white.
	Grey
)

// ParseColors returns the colour map of the name "viridis", "grey" or "gray",
// and an error for any other name.
func ParseColors(name string) (Colors, error) {
	switch name {
	case "viridis":
		return Viridis, nil
	case "grey", "gray":
		return Grey, nil
	}
	return 0, fmt.Errorf("colour map %q: want viridis or grey", name)
}

// Map returns the colour of a value scaled to 0..1. Values outside get the colour of the
// nearer end, NaN the colour of Missing.
func (c Colors) Map(value01 float64) color.RGBA {
	if math.IsNaN(value01) {
		return c.Missing()
	}
	i := int(math.Round(255 * min(max(value01, 0), 1)))
	if c == Grey {
		return color.RGBA{uint8(i), uint8(i), uint8(i), 255}
	}
	return rgb(viridis[i])
}

// Missing returns the colour of NaN, which does not occur in the map itself: mid grey
// (#808080), or for Grey a muted red (#b5524a).
func (c Colors) Missing() color.RGBA {
	if c == Grey {
		return rgb(0xb5524a)
	}
	return rgb(0x808080)
}

// A heat map's palette has 256 entries, the most a paletted image can hold:
// levels 0 to topLevel from the lowest value to the highest, then missing.
const (
	topLevel     = 254
	missingLevel = 255
)

// palette samples the map at its levels, both ends exactly.
func (c Colors) palette() color.Palette {
	p := make(color.Palette, 256)
	for i := range topLevel + 1 {
		p[i] = c.Map(float64(i) / topLevel)
	}
	p[missingLevel] = c.Missing()
	return p
}

// rgb unpacks 0xrrggbb.
func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

// mix returns a moved towards b by the share t, 0..1.
func mix(a, b color.RGBA, t float64) color.RGBA {
	m := func(x, y uint8) uint8 { return uint8(math.Round(float64(x)*(1-t) + float64(y)*t)) }
	return color.RGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), 255}
}
