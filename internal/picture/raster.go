package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
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
	img := image.NewRGBA(image.Rect(0, 0, l.width, l.height))
	draw.Draw(img, img.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	l.draw(f, raster{img, l.fonts})
	if err := png.Encode(w, img); err != nil {
		return fmt.Errorf("write png: %w", err)
	}
	return nil
}

// raster is a canvas of pixels.
type raster struct {
	img   *image.RGBA
	fonts fonts
}

func (c raster) cell(r image.Rectangle, segment int, written bool) {
	if written || !hatched(r) {
		c.fill(r, cellColor(segment, written))
		return
	}
	// Diagonals rising to the right: a full line every hatchStep pixels, its
	// two neighbours half as strong to smooth it.
	pale, strong := unwrittenColor(segment), segmentColor(segment)
	stripe := [hatchStep]color.RGBA{strong, mix(strong, pale, 0.5)}
	for i := 2; i < hatchStep; i++ {
		stripe[i] = pale
	}
	stripe[hatchStep-1] = stripe[1]
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c.img.SetRGBA(x, y, stripe[(x+y)%hatchStep])
		}
	}
}

const hatchStep = 7

// hatched reports whether the rectangle is large enough for hatching.
func hatched(r image.Rectangle) bool { return min(r.Dx(), r.Dy()) >= framed-2*inset }

// cellColor returns the colour of a cell without hatching.
func cellColor(segment int, written bool) color.RGBA {
	if written {
		return segmentColor(segment)
	}
	return unwrittenColor(segment)
}

func (c raster) fill(r image.Rectangle, col color.RGBA) {
	draw.Draw(c.img, r, image.NewUniform(col), image.Point{}, draw.Src)
}

func (c raster) lines(ls []image.Rectangle) {
	for _, l := range ls {
		c.fill(l.Inset(-inset), edgeInk)
	}
}

func (c raster) text(s string, at image.Point, size int, a align, col color.RGBA) {
	face := c.fonts[size]
	d := font.Drawer{Dst: c.img, Src: image.NewUniform(col), Face: face, Dot: fixed.P(at.X, at.Y)}
	switch width := d.MeasureString(s); a {
	case alignMiddle:
		d.Dot.X -= width / 2
	case alignRight:
		d.Dot.X -= width
	}
	d.DrawString(s)
}
