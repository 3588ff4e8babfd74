package picture

import (
	"image"
	"image/color"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// A picture of an animation from top to bottom, in pixels:
//
//	captionHead   the title
//	              the heat map, in the middle of the width
//	captionFoot   the colours, and their limits at both ends
const (
	captionHead  = 30
	captionFoot  = 26
	captionEdge  = 8   // left and right of text
	captionWidth = 192 // at least
	barHeight    = 8
)

// Caption returns a heat map, as Heat draws it, with a line of text above it and the
// colours with their limits below. It has the palette of the heat map, whose ends
// are paper and ink. A text that is too long is cut. It returns an error if there is no font.
func Caption(img *image.Paletted, title, lo, hi string) (*image.Paletted, error) {
	fs, err := newFonts()
	if err != nil {
		return nil, err
	}
	size := img.Rect.Size()
	width := max(size.X, captionWidth)
	out := image.NewPaletted(image.Rect(0, 0, width, captionHead+size.Y+captionFoot), img.Palette)
	at := image.Pt((width-size.X)/2, captionHead)
	for y := range size.Y {
		copy(out.Pix[out.PixOffset(at.X, at.Y+y):], img.Pix[y*img.Stride:][:size.X])
	}
	c := caption{out, fs}
	c.text(fs.elide(printable(title), panelSize, width-2*captionEdge), captionEdge, captionHead-10, panelSize)
	c.bar(lo, hi)
	return out, nil
}

// caption writes on a paletted picture.
type caption struct {
	img   *image.Paletted
	fonts fonts
}

// text writes s with its left end and baseline at a point. Pixels that a letter covers partly get a
// level between paper and ink.
func (c caption) text(s string, x, y, size int) {
	mask := image.NewAlpha(image.Rect(x, y-size, x+c.fonts.width(s, size)+1, y+size/2).Intersect(c.img.Rect))
	d := font.Drawer{Dst: mask, Src: image.NewUniform(color.Opaque), Face: c.fonts[size], Dot: fixed.P(x, y)}
	d.DrawString(s)
	for y := mask.Rect.Min.Y; y < mask.Rect.Max.Y; y++ {
		for x := mask.Rect.Min.X; x < mask.Rect.Max.X; x++ {
			c.img.SetColorIndex(x, y, uint8(int(mask.AlphaAt(x, y).A)*topLevel/255))
		}
	}
}

// bar draws the colours from the low to the high end between their values.
func (c caption) bar(lo, hi string) {
	const most = captionWidth / 3 // leaves the bar a third
	lo, hi = c.fonts.elide(lo, labelSize, most-captionEdge), c.fonts.elide(hi, labelSize, most-captionEdge)
	bottom, right := c.img.Rect.Max.Y, c.img.Rect.Max.X-captionEdge-c.fonts.width(hi, labelSize)
	c.text(lo, captionEdge, bottom-9, labelSize)
	c.text(hi, right, bottom-9, labelSize)
	from, to := captionEdge+c.fonts.width(lo, labelSize)+captionEdge, right-captionEdge
	frame := image.Rect(from-1, bottom-18-1, to+1, bottom-18+barHeight+1)
	draw.Draw(c.img, frame, image.NewUniform(c.img.Palette[missingLevel]), image.Point{}, draw.Src)
	for x := from; x < to; x++ {
		for y := range barHeight {
			c.img.SetColorIndex(x, bottom-18+y, uint8((x-from)*topLevel/max(1, to-from-1)))
		}
	}
}
