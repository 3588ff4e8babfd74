package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"

	"drx/internal/plot"
)

// PNG writes the figure as a PNG image of at most 4000 x 4000 pixels. It omits numbers if the
// cells are too small for them. It returns an error if a panel's rows or labels do not match, if
// not even one pixel per chunk fits (the message names the limit), or if w fails.
func (f Figure) PNG(w io.Writer) error {
	f, err := f.checked()
	if err != nil {
		return err
	}
	l, err := newLayout(f)
	if err != nil {
		return fmt.Errorf("png: %w", err)
	}
	c := raster{plot.NewPixels(l.width, l.height, l.fonts)}
	l.draw(f, c)
	if err := png.Encode(w, c.Img); err != nil {
		return fmt.Errorf("write png: %w", err)
	}
	return nil
}

// raster is a canvas of pixels.
type raster struct{ plot.Pixels }

func (c raster) cell(r image.Rectangle, segment int, written bool) {
	if written || !hatched(r) {
		c.Fill(r, cellColor(segment, written))
		return
	}
	// The hatching is diagonals that rise to the right: a full line every hatchStep pixels, with
	// its two neighbours at half strength to smooth it.
	pale, strong := unwrittenColor(segment), segmentColor(segment)
	stripe := [hatchStep]color.RGBA{strong, mix(strong, pale, 0.5)}
	for i := 2; i < hatchStep; i++ {
		stripe[i] = pale
	}
	stripe[hatchStep-1] = stripe[1]
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c.Img.SetRGBA(x, y, stripe[(x+y)%hatchStep])
		}
	}
}

const hatchStep = 7

// hatched reports whether the rectangle is large enough for hatching.
func hatched(r image.Rectangle) bool { return min(r.Dx(), r.Dy()) >= leastLined-2*inset }

// cellColor returns the colour of a cell without hatching.
func cellColor(segment int, written bool) color.RGBA {
	if written {
		return segmentColor(segment)
	}
	return unwrittenColor(segment)
}

func (c raster) lines(ls []image.Rectangle) {
	for _, l := range ls {
		c.Fill(l.Inset(-inset), edgeInk)
	}
}

func (c raster) path(lines [][]image.Point, width int, col color.RGBA) {
	for _, line := range points(lines) {
		c.Line(line, float64(width), col)
	}
}
