package picture

import (
	"image"
	"image/color"
	"math"

	"drx/internal/plot"
)

// A Band is a part of a composite: row-major values, and those that have none and all of its
// colour.
type Band struct {
	Values []float64
	Lo, Hi float64
}

// NoData is the colour of missing values in a composite: that of paper.
var NoData = plot.Paper

// Composite draws bands as the red, green and blue of a picture with a pixel per value, which has
// NoData where a band has NaN. A part of a colour is 255*(v-Lo)/(Hi-Lo), rounded and from 0 to 255,
// or 127 if all values of the band are equal. All bands have the same shape rows x cols.
func Composite(rgb [3]Band, rows, cols int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, cols, rows))
	for i := range rows * cols {
		c := color.RGBA{A: 255}
		parts := [3]*uint8{&c.R, &c.G, &c.B}
		for k, b := range rgb {
			v := b.Values[i]
			if math.IsNaN(v) {
				c = NoData
				break
			}
			*parts[k] = b.level(v)
		}
		img.SetRGBA(i%cols, i/cols, c)
	}
	return img
}

// level returns the part of a colour that a value has.
func (b Band) level(v float64) uint8 {
	if b.Lo == b.Hi {
		switch {
		case v < b.Lo:
			return 0
		case v > b.Lo:
			return 255
		}
		return 127
	}
	share := (v/2 - b.Lo/2) / (b.Hi/2 - b.Lo/2) // halves do not overflow
	return uint8(math.Round(255 * min(max(share, 0), 1)))
}
