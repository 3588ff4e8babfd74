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
	"slices"
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
	// Diverging runs from dark blue over a pale grey to dark red, for values on
	// both sides of a middle. Its lightness falls evenly from the middle to both ends.
	Diverging
)

// colorNames are the names of the colour maps.
var colorNames = [...]string{Viridis: "viridis", Grey: "grey", Diverging: "diverging"}

// ColorNames returns the names that ParseColors accepts.
func ColorNames() []string { return slices.Clone(colorNames[:]) }

// ParseColors returns the colour map of a name of ColorNames, or of "gray",
// and an error for any other name.
func ParseColors(name string) (Colors, error) {
	if name == "gray" {
		return Grey, nil
	}
	if i := slices.Index(colorNames[:], name); i >= 0 {
		return Colors(i), nil
	}
	return 0, fmt.Errorf("colour map %q: want viridis, grey or diverging", name)
}

// Map returns the colour of a value scaled to 0..1. Values outside get the colour of the
// nearer end, NaN the colour of Missing.
func (c Colors) Map(value01 float64) color.RGBA {
	if math.IsNaN(value01) {
		return c.Missing()
	}
	i := int(math.Round(255 * min(max(value01, 0), 1)))
	switch c {
	case Grey:
		return color.RGBA{uint8(i), uint8(i), uint8(i), 255}
	case Diverging:
		return diverging(min(max(value01, 0), 1))
	}
	return rgb(viridis[i])
}

// diverging returns a colour of Diverging. In Oklch, where equal distances look equal, the
// lightness falls from the middle to both ends and the chroma rises, each at the hue of its side.
func diverging(value01 float64) color.RGBA {
	const (
		light, dark = 0.95, 0.36 // lightness in the middle and at the ends
		most        = 0.15       // chroma where it is highest
		blue, red   = 255, 28    // hues in degrees
	)
	out, hue := 1-2*value01, float64(blue)
	if out < 0 {
		out, hue = -out, red
	}
	chroma := most * math.Sin(out*0.7*math.Pi) // the darkest colours of sRGB have less chroma
	return oklch(light-(light-dark)*out, chroma, hue)
}

// oklch converts a colour of Oklch, with the hue in degrees, to sRGB. The matrices are those of the
// definition of Oklab (B. Ottosson, 2020).
func oklch(lightness, chroma, hue float64) color.RGBA {
	sin, cos := math.Sincos(hue * math.Pi / 180)
	a, b := chroma*cos, chroma*sin
	l := math.Pow(lightness+0.3963377774*a+0.2158037573*b, 3)
	m := math.Pow(lightness-0.1055613458*a-0.0638541728*b, 3)
	s := math.Pow(lightness-0.0894841775*a-1.2914855480*b, 3)
	return color.RGBA{
		gamma(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		gamma(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		gamma(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
		255,
	}
}

// gamma converts a linear channel to a channel of sRGB.
func gamma(linear float64) uint8 {
	v := 12.92 * linear
	if linear > 0.0031308 {
		v = 1.055*math.Pow(linear, 1/2.4) - 0.055
	}
	return uint8(math.Round(255 * min(max(v, 0), 1)))
}

// Missing returns the colour of NaN, which does not occur in the map itself: mid grey
// (#808080), for Grey a muted red (#b5524a), and for Diverging a green (#7fa37f).
func (c Colors) Missing() color.RGBA {
	switch c {
	case Grey:
		return rgb(0xb5524a)
	case Diverging:
		return rgb(0x7fa37f)
	}
	return rgb(0x808080)
}

// Levels returns the colours of a heat map from low to high, without the colour of missing values.
func (c Colors) Levels() []color.Color { return c.palette()[:missingLevel] }

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

// mix returns the colour between a and b at the share t from 0 (a) to 1 (b).
func mix(a, b color.RGBA, t float64) color.RGBA {
	m := func(x, y uint8) uint8 { return uint8(math.Round(float64(x)*(1-t) + float64(y)*t)) }
	return color.RGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), 255}
}
