package plot

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	rasterizer "golang.org/x/image/vector"
)

// Pixels is a canvas of pixels.
type Pixels struct {
	Img   *image.RGBA
	Fonts Fonts
}

// NewPixels returns a blank canvas.
func NewPixels(width, height int, fs Fonts) Pixels {
	c := Pixels{image.NewRGBA(image.Rect(0, 0, width, height)), fs}
	c.Fill(c.Img.Rect, Paper)
	return c
}

// Fill fills a rectangle.
func (c Pixels) Fill(r image.Rectangle, col color.RGBA) {
	draw.Draw(c.Img, r, image.NewUniform(col), image.Point{}, draw.Src)
}

// Image draws an image: each pixel of the rectangle gets the colour of the nearest pixel of the
// image.
func (c Pixels) Image(img image.Image, r image.Rectangle) {
	from := img.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := from.Min.Y + (y-r.Min.Y)*from.Dy()/r.Dy()
		for x := r.Min.X; x < r.Max.X; x++ {
			c.Img.Set(x, y, img.At(from.Min.X+(x-r.Min.X)*from.Dx()/r.Dx(), row))
		}
	}
}

// Text writes s at a point of its baseline.
func (c Pixels) Text(s string, at image.Point, t TextStyle) {
	face := c.Fonts[t.Size]
	d := font.Drawer{Dst: c.Img, Src: image.NewUniform(t.Color), Face: face, Dot: fixed.P(at.X, at.Y)}
	width := d.MeasureString(s)
	shift := fixed.Int26_6(0)
	switch t.Align {
	case AlignMiddle:
		shift = width / 2
	case AlignRight:
		shift = width
	}
	if t.Up {
		c.textUp(s, at.Add(image.Pt(0, shift.Round())), t)
		return
	}
	d.Dot.X -= shift
	d.DrawString(s)
}

// textUp writes a text that begins at a point and runs upwards.
func (c Pixels) textUp(s string, at image.Point, t TextStyle) {
	flat := image.NewAlpha(image.Rect(0, -2*t.Size, c.Fonts.Width(s, t.Size)+1, t.Size))
	d := font.Drawer{Dst: flat, Src: image.NewUniform(color.Opaque), Face: c.Fonts[t.Size]}
	d.DrawString(s)
	up := image.NewAlpha(image.Rect(flat.Rect.Min.Y, -flat.Rect.Max.X, flat.Rect.Max.Y, 1))
	for y := flat.Rect.Min.Y; y < flat.Rect.Max.Y; y++ {
		for x := range flat.Rect.Max.X {
			up.SetAlpha(y, -x, flat.AlphaAt(x, y))
		}
	}
	draw.DrawMask(c.Img, up.Rect.Add(at), image.NewUniform(t.Color), image.Point{}, up, up.Rect.Min, draw.Over)
}

// Line joins points by lines with round ends, or draws a dot for a single point.
func (c Pixels) Line(points []Point, width float64, col color.RGBA) {
	if len(points) == 0 {
		return
	}
	from := points[0]
	for _, to := range points[min(1, len(points)-1):] {
		c.stroke(from, to, width/2, col)
		from = to
	}
}

// stroke fills all pixels within a radius of the line between two points.
func (c Pixels) stroke(from, to Point, radius float64, col color.RGBA) {
	const arc = 8 // segments of half a circle
	margin := int(radius) + 2
	box := image.Rect(int(from.X), int(from.Y), int(to.X), int(to.Y)).Inset(-margin).Intersect(c.Img.Bounds())
	if box.Empty() {
		return
	}
	z := rasterizer.NewRasterizer(box.Dx(), box.Dy())
	angle := math.Atan2(to.Y-from.Y, to.X-from.X)
	for i := range 2 * (arc + 1) {
		end, turn := to, float64(i)/arc-0.5
		if i > arc {
			end, turn = from, float64(i-1)/arc-0.5
		}
		sin, cos := math.Sincos(angle + turn*math.Pi)
		x := float32(end.X - float64(box.Min.X) + radius*cos)
		y := float32(end.Y - float64(box.Min.Y) + radius*sin)
		if i == 0 {
			z.MoveTo(x, y)
		} else {
			z.LineTo(x, y)
		}
	}
	z.ClosePath()
	z.DrawOp = draw.Over
	z.Draw(c.Img, box, image.NewUniform(col), image.Point{})
}

// Palette returns a palette of at most 256 colours for figures with the given colours, of which it
// selects an even subset if there are too many. The greys of text on the background and the colour
// of borders follow them.
func Palette(colors []color.RGBA) color.Palette {
	const greys = 12
	var p color.Palette
	most := 256 - greys - 1
	for i := range min(len(colors), most) {
		if len(colors) > most {
			i = int(math.Round(float64(i) * float64(len(colors)-1) / float64(most-1)))
		}
		p = append(p, colors[i])
	}
	for i := range greys {
		part := func(ink, paper uint8) uint8 { return uint8((int(ink)*(greys-1-i) + int(paper)*i) / (greys - 1)) }
		p = append(p, color.RGBA{part(Ink.R, Paper.R), part(Ink.G, Paper.G), part(Ink.B, Paper.B), 255})
	}
	return append(p, borderColor)
}

// Indexed returns an image in the colours of a palette: each pixel gets the nearest one.
func Indexed(img *image.RGBA, p color.Palette) *image.Paletted {
	out := image.NewPaletted(img.Rect, p)
	known := map[color.RGBA]uint8{}
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			c := img.RGBAAt(x, y)
			i, ok := known[c]
			if !ok {
				i = uint8(p.Index(c))
				known[c] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	return out
}
