package picture

import (
	"fmt"
	"image"
	"image/png"
	"io"
	"math"

	"drx/nd"
)

const (
	defaultSide = 2048  // default of MaxSide
	largestSide = 16384 // the largest MaxSide: 256 MiB of pixels
	smallSide   = 256   // an automatic zoom makes the longer side at least this
	stripeSide  = 16    // and the shorter one at least this, so that a single row is visible
)

// HeatOptions determines the colours of values and the size of elements. The zero value colours
// the whole range of the values in viridis, with a size that depends on the number of elements.
type HeatOptions struct {
	// Lo and Hi are the values at the two ends of the colour map. Values outside, including
	// infinities, get the colour of the nearer end. Lo above Hi reverses the colours. A limit
	// that is NaN is computed from the values, and both are if they are equal: see Limits.
	Lo, Hi float64
	// Fixed uses Lo and Hi even if they are equal, for pictures with common limits. Neither
	// may be NaN.
	Fixed bool
	// Robust computes limits as the percentiles 0.5 and 99.5 of the values, so that a few
	// outliers do not widen the range of the colours.
	Robust bool
	// Colors is the colour map.
	Colors Colors
	// Zoom is the side in pixels of the square that shows an element. 0 makes
	// the longer side of a small slice at least 256 pixels, and stretches a
	// side of less than 16 to that. It gives way to MaxSide.
	Zoom int
	// MaxSide is the longest side of the picture, 2048 when 0, at most 16384.
	// A longer slice is reduced: a pixel is then the mean of a square block
	// of elements, NaN left out.
	MaxSide int
}

// Heat draws the row-major values of a slice of the shape rows x cols, one
// palette index per pixel: 0 to 254 from low to high, 255 for NaN. Equal
// values all get the middle colour. It returns an error when the slice has no
// elements, when the shape and the number of values differ, or when an option
// is out of its range.
func Heat(values []float64, rows, cols int, o HeatOptions) (*image.Paletted, error) {
	if err := o.check(len(values), rows, cols); err != nil {
		return nil, err
	}
	scale := newScale(o.Limits(values))
	block, zoomY, zoomX := o.sizes(rows, cols)
	h, w := nd.CeilDiv(rows, block), nd.CeilDiv(cols, block)
	img := image.NewPaletted(image.Rect(0, 0, w*zoomX, h*zoomY), o.Colors.palette())
	mean := newBlockMean(w)
	for y := range h {
		for r := y * block; r < min(rows, (y+1)*block); r++ {
			mean.add(values[r*cols:(r+1)*cols], block, scale)
		}
		first := img.Pix[y*zoomY*img.Stride:][:img.Stride]
		mean.levels(first, zoomX)
		for i := 1; i < zoomY; i++ {
			copy(img.Pix[(y*zoomY+i)*img.Stride:], first)
		}
	}
	return img, nil
}

// Size returns the size in pixels of the picture that Heat draws of a slice of the shape rows x
// cols. Composites are scaled to the same size.
func (o HeatOptions) Size(rows, cols int) image.Point {
	block, zoomY, zoomX := o.sizes(rows, cols)
	return image.Pt(nd.CeilDiv(cols, block)*zoomX, nd.CeilDiv(rows, block)*zoomY)
}

// WritePNG writes the image as PNG, fast rather than small. Errors come from w.
func WritePNG(w io.Writer, img image.Image) error {
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := e.Encode(w, img); err != nil {
		return fmt.Errorf("write png: %w", err)
	}
	return nil
}

// check returns an error for arguments that cannot be drawn.
func (o HeatOptions) check(n, rows, cols int) error {
	if rows < 1 || cols < 1 {
		return fmt.Errorf("heat map of %d x %d elements: nothing to draw", rows, cols)
	}
	if want, err := nd.Product(rows, cols); err != nil || want != n {
		return fmt.Errorf("heat map of %d x %d elements: got %d values", rows, cols, n)
	}
	if math.IsInf(o.Lo, 0) || math.IsInf(o.Hi, 0) || o.Fixed && (math.IsNaN(o.Lo) || math.IsNaN(o.Hi)) {
		return fmt.Errorf("heat map limits %v to %v: want finite values", o.Lo, o.Hi)
	}
	if o.Zoom < 0 {
		return fmt.Errorf("zoom %d: want at least 1, or 0 for automatic", o.Zoom)
	}
	if o.MaxSide < 0 || o.MaxSide > largestSide {
		return fmt.Errorf("longest side %d: want 1 to %d pixels, or 0 for %d", o.MaxSide, largestSide, defaultSide)
	}
	return nil
}

// sizes returns the side, in elements, of the block that a pixel averages, and the height and width
// of a block in pixels. Along the longer side at most one of the two exceeds 1.
func (o HeatOptions) sizes(rows, cols int) (block, zoomY, zoomX int) {
	limit := o.MaxSide
	if limit == 0 {
		limit = defaultSide
	}
	block = nd.CeilDiv(max(rows, cols), limit)
	h, w := nd.CeilDiv(rows, block), nd.CeilDiv(cols, block)
	zoom := o.Zoom
	if zoom == 0 {
		zoom = nd.CeilDiv(smallSide, max(h, w))
	}
	zoom = min(zoom, limit/max(h, w))
	if o.Zoom != 0 {
		return block, zoom, zoom
	}
	stripe := min(stripeSide, limit/stripeSide)
	stretch := func(n int) int { return max(zoom, nd.CeilDiv(stripe, n)) }
	return block, stretch(h), stretch(w)
}
