package plot

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
)

// A Figure is a picture or lines, with axes. It has either a Raster or Lines.
type Figure struct {
	Title    string
	Subtitle string
	X, Y     Axis
	Raster   *Raster
	Lines    []Line
	Bar      *Bar
	Key      []Entry  // below the colour bar
	Notes    []string // sentences below the figure
}

// Axis maps positions of a figure to values.
type Axis struct {
	Label string
	// From and To are the values at the left and right end, or at the lower and upper end. For a
	// picture the ends are the outer edges of its first and last elements. If From is above To, the
	// axis is reversed.
	From, To float64
	Scale    Scale // nil for Numbers
}

// A Raster is a picture of elements.
type Raster struct {
	Image         image.Image // a pixel per element
	Width, Height int         // size in the figure in pixels
}

// Line connects points in the given order, with a gap where X or Y is NaN or infinite. X and Y have
// equal lengths.
type Line struct {
	Name string // in the legend; "" for none
	X, Y []float64
}

// A Bar shows which colour a value has.
type Bar struct {
	Label  string
	Lo, Hi float64       // values at the lower and the upper end
	Colors []color.Color // from low to high
}

// An Entry of the key is a colour and what it stands for.
type Entry struct {
	Color color.Color
	Text  string
}

// mostSide is the largest side of a Raster in a figure, in pixels.
const mostSide = 16384

// check returns an error for a figure that cannot be drawn.
func (f Figure) check() error {
	for _, axis := range []Axis{f.X, f.Y} {
		if !finite(axis.From) || !finite(axis.To) {
			return fmt.Errorf("figure %q: axis %q from %v to %v: want finite values", f.Title, axis.Label, axis.From, axis.To)
		}
	}
	if r := f.Raster; r != nil && (r.Image.Bounds().Empty() || min(r.Width, r.Height) < 1 || max(r.Width, r.Height) > mostSide) {
		return fmt.Errorf("figure %q: picture of %d x %d pixels: want 1 to %d each way", f.Title, r.Width, r.Height, mostSide)
	}
	for _, l := range f.Lines {
		if len(l.X) != len(l.Y) {
			return fmt.Errorf("figure %q: line %q with %d and %d coordinates", f.Title, l.Name, len(l.X), len(l.Y))
		}
	}
	return nil
}

// printable returns the figure without control characters in its texts.
func (f Figure) printable() Figure {
	f.Title, f.Subtitle, f.X.Label, f.Y.Label = Printable(f.Title), Printable(f.Subtitle), Printable(f.X.Label), Printable(f.Y.Label)
	lines, key, notes := f.Lines, f.Key, f.Notes
	f.Lines, f.Key, f.Notes = nil, nil, nil
	for _, l := range lines {
		l.Name = Printable(l.Name)
		f.Lines = append(f.Lines, l)
	}
	for _, e := range key {
		e.Text = Printable(e.Text)
		f.Key = append(f.Key, e)
	}
	for _, s := range notes {
		f.Notes = append(f.Notes, Printable(s))
	}
	if f.Bar != nil {
		bar := *f.Bar
		bar.Label = Printable(bar.Label)
		f.Bar = &bar
	}
	return f
}

// Image draws the figure as pixels. The error says what cannot be drawn.
func (f Figure) Image() (*image.RGBA, error) {
	l, err := newLayout(f)
	if err != nil {
		return nil, err
	}
	c := NewPixels(l.width, l.height, l.fonts)
	l.draw(c)
	return c.Img, nil
}

// SVG writes the figure as a self-contained SVG document with the layout of Image. The error is
// that of Image or of w.
func (f Figure) SVG(w io.Writer) error {
	l, err := newLayout(f)
	if err != nil {
		return err
	}
	c := NewSVG(w, l.width, l.height, l.Title)
	l.draw(c)
	return c.Close()
}

// Size returns the size of the figure in pixels. The error is that of Image.
func (f Figure) Size() (image.Point, error) {
	l, err := newLayout(f)
	if err != nil {
		return image.Point{}, err
	}
	return image.Pt(l.width, l.height), nil
}

// WritePNG writes an image as PNG with the best compression. Errors come from w.
func WritePNG(w io.Writer, img image.Image) error {
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(w, img); err != nil {
		return fmt.Errorf("write png: %w", err)
	}
	return nil
}

// finite reports whether v is neither NaN nor infinite.
func finite(v float64) bool { return v-v == 0 }

// Around returns the ends of an axis that shows all finite values, with a margin above and below.
// If all values are equal the ends are on both sides of the value; without values they are 0 and 1.
func Around(values ...[]float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, list := range values {
		for _, v := range list {
			if finite(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	switch {
	case lo > hi:
		return 0, 1
	case lo == hi:
		air := max(math.Abs(lo)/10, 1e-300)
		if lo == 0 {
			air = 1
		}
		return clamp(lo - air), clamp(hi + air)
	}
	air := hi/25 - lo/25
	return clamp(lo - air), clamp(hi + air)
}

// clamp limits a value to the finite range.
func clamp(v float64) float64 { return min(max(v, -math.MaxFloat64), math.MaxFloat64) }
