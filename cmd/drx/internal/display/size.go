package display

import (
	"image"

	"drx/nd"
)

const (
	// largest number of pixels of a picture with axes in each direction, unless --zoom is given
	FigureSide = 1200
	GoodSide   = 480 // a smaller picture with axes is enlarged to about this
	leastSide  = 160 // and its shorter side to this
)

// RasterSize returns the pixels of a picture of rows x cols values in a figure.
func RasterSize(rows, cols, zoom int) image.Point {
	if zoom > 0 {
		return image.Pt(cols*zoom, rows*zoom)
	}
	longer := max(rows, cols)
	zoom = max(1, (GoodSide+longer/2)/longer)
	stretch := func(n int) int { return n * max(zoom, nd.CeilDiv(leastSide, n)) }
	return image.Pt(stretch(cols), stretch(rows))
}
