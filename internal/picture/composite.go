package picture

import (
	"image"
	"image/color"
	"math"

	"drx/internal/plot"
)

// Band is one channel of a composite: row-major values, and the values Lo and Hi of its darkest and
// brightest shade.
type Band struct {
	Values []float64
	Lo, Hi float64
}

// NoData is the colour of missing values in a composite: that of the background.
var NoData = plot.Paper

// Composite draws bands as the red, green and blue channels of a picture, one pixel per value. A
// pixel has the colour NoData if one of the bands has NaN there. A channel is 255*(v-Lo)/(Hi-Lo),
// rounded and limited to 0..255, or 127 if all values of the band are equal. All bands have the
// shape rows x cols.
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

// level returns the channel for a value.
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
	share := (v/2 - b.Lo/2) / (b.Hi/2 - b.Lo/2) // with halves the difference does not overflow
	return uint8(math.Round(255 * min(max(share, 0), 1)))
}
