package picture

import (
	"fmt"
	"image"
	"image/color"
	"io"

	"drx/internal/plot"
)

// maxShapes is the largest number of rectangles in an SVG. Viewers stall with more.
const maxShapes = 300_000

// SVG writes the figure as a self-contained SVG document with the same layout as PNG. It returns
// the errors of PNG, and an error if the figure has more than 300000 rectangles.
func (f Figure) SVG(w io.Writer) error {
	f, err := f.checked()
	if err != nil {
		return err
	}
	l, err := newLayout(f)
	if err != nil {
		return fmt.Errorf("svg: %w", err)
	}
	var n shapeCounter
	l.draw(f, &n)
	if n > maxShapes {
		return fmt.Errorf("svg: chunk map of %d rectangles, at most %d can be drawn", n, maxShapes)
	}
	c := vector{plot.NewSVG(w, l.width, l.height, f.Title)}
	if _, _, unwritten := f.census(); unwritten {
		c.hatchings()
	}
	l.draw(f, c)
	return c.Close()
}

// shapeCounter is a canvas that counts rectangles.
type shapeCounter int

func (n *shapeCounter) cell(image.Rectangle, int, bool)          { *n++ }
func (n *shapeCounter) Fill(image.Rectangle, color.RGBA)         { *n++ }
func (n *shapeCounter) Image(image.Image, image.Rectangle)       { *n++ }
func (n *shapeCounter) path([][]image.Point, int, color.RGBA)    {}
func (n *shapeCounter) lines([]image.Rectangle)                  {}
func (n *shapeCounter) Line([]plot.Point, float64, color.RGBA)   {}
func (n *shapeCounter) Text(string, image.Point, plot.TextStyle) {}

// vector is a canvas of SVG elements.
type vector struct{ plot.SVG }

// hatchings defines a pattern per segment colour.
func (c vector) hatchings() {
	fmt.Fprint(c.W, "<defs>\n")
	for i := noSegment; i < len(segmentColors); i++ {
		fmt.Fprintf(c.W, `<pattern id="%s" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0H5V5H0Z" fill="%s"/><path d="M0 0H1.5V5H0Z" fill="%s"/></pattern>`+"\n",
			hatchName(i), plot.Hex(unwrittenColor(i)), plot.Hex(segmentColor(i)))
	}
	fmt.Fprint(c.W, "</defs>\n")
}

// hatchName returns the id of the pattern for a segment's unwritten chunks.
func hatchName(segment int) string {
	if segment < 0 {
		return "hatch"
	}
	return fmt.Sprintf("hatch%d", segment%len(segmentColors))
}

func (c vector) cell(r image.Rectangle, segment int, written bool) {
	fill := plot.Hex(cellColor(segment, written))
	if !written && hatched(r) {
		fill = "url(#" + hatchName(segment) + ")"
	}
	c.Rect(r, fill)
}

func (c vector) path(lines [][]image.Point, width int, col color.RGBA) {
	c.Path(points(lines), float64(width), col)
}

func (c vector) lines(ls []image.Rectangle) {
	if len(ls) == 0 {
		return
	}
	fmt.Fprintf(c.W, `<path stroke="%s" stroke-width="%d" stroke-linecap="square" d="`, plot.Hex(edgeInk), 2*inset)
	for _, l := range ls {
		fmt.Fprintf(c.W, "M%d %dL%d %d", l.Min.X, l.Min.Y, l.Max.X, l.Max.Y)
	}
	fmt.Fprint(c.W, "\"/>\n")
}
