package picture

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"io"
	"strings"
)

// maxShapes is the largest number of rectangles in an SVG; viewers stall with more.
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
	c := vector{bufio.NewWriter(w)}
	c.head(l, f)
	l.draw(f, c)
	fmt.Fprint(c.w, "</svg>\n")
	if err := c.w.Flush(); err != nil {
		return fmt.Errorf("write svg: %w", err)
	}
	return nil
}

// shapeCounter is a canvas that counts rectangles.
type shapeCounter int

func (n *shapeCounter) cell(image.Rectangle, int, bool)                  { *n++ }
func (n *shapeCounter) fill(image.Rectangle, color.RGBA)                 { *n++ }
func (n *shapeCounter) path([][]image.Point, int, color.RGBA)            {}
func (n *shapeCounter) lines([]image.Rectangle)                          {}
func (n *shapeCounter) text(string, image.Point, int, align, color.RGBA) {}

// vector is a canvas of SVG elements. The writer keeps the first error for
// Flush.
type vector struct{ w *bufio.Writer }

// head opens the document: size, title, the hatchings if any are needed, paper.
func (c vector) head(l *layout, f Figure) {
	fmt.Fprintf(c.w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" font-family="Go, Helvetica, Arial, sans-serif">`+"\n",
		l.width, l.height)
	fmt.Fprintf(c.w, "<title>%s</title>\n", escape(f.Title))
	if _, _, unwritten := f.census(); unwritten {
		c.hatchings()
	}
	fmt.Fprintf(c.w, `<rect width="%d" height="%d" fill="%s"/>`+"\n", l.width, l.height, hex(paper))
}

// hatchings defines a pattern per segment colour.
func (c vector) hatchings() {
	fmt.Fprint(c.w, "<defs>\n")
	for i := noSegment; i < len(segmentColors); i++ {
		fmt.Fprintf(c.w, `<pattern id="%s" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0H5V5H0Z" fill="%s"/><path d="M0 0H1.5V5H0Z" fill="%s"/></pattern>`+"\n",
			hatchName(i), hex(unwrittenColor(i)), hex(segmentColor(i)))
	}
	fmt.Fprint(c.w, "</defs>\n")
}

// hatchName returns the id of the pattern for a segment's unwritten chunks.
func hatchName(segment int) string {
	if segment < 0 {
		return "hatch"
	}
	return fmt.Sprintf("hatch%d", segment%len(segmentColors))
}

func (c vector) cell(r image.Rectangle, segment int, written bool) {
	fill := hex(cellColor(segment, written))
	if !written && hatched(r) {
		fill = "url(#" + hatchName(segment) + ")"
	}
	c.rect(r, fill)
}

func (c vector) fill(r image.Rectangle, col color.RGBA) { c.rect(r, hex(col)) }

func (c vector) rect(r image.Rectangle, fill string) {
	fmt.Fprintf(c.w, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", r.Min.X, r.Min.Y, r.Dx(), r.Dy(), fill)
}

func (c vector) path(lines [][]image.Point, width int, col color.RGBA) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(c.w, `<path fill="none" stroke="%s" stroke-width="%d" stroke-linecap="round" stroke-linejoin="round" d="`, hex(col), width)
	for _, line := range lines {
		fmt.Fprintf(c.w, "M%d %d", line[0].X, line[0].Y)
		for _, p := range targets(line) {
			fmt.Fprintf(c.w, "L%d %d", p.X, p.Y)
		}
	}
	fmt.Fprint(c.w, "\"/>\n")
}

func (c vector) lines(ls []image.Rectangle) {
	if len(ls) == 0 {
		return
	}
	fmt.Fprintf(c.w, `<path stroke="%s" stroke-width="%d" stroke-linecap="square" d="`, hex(edgeInk), 2*inset)
	for _, l := range ls {
		fmt.Fprintf(c.w, "M%d %dL%d %d", l.Min.X, l.Min.Y, l.Max.X, l.Max.Y)
	}
	fmt.Fprint(c.w, "\"/>\n")
}

func (c vector) text(s string, at image.Point, size int, a align, col color.RGBA) {
	if s == "" {
		return
	}
	anchor := [...]string{alignLeft: "start", alignMiddle: "middle", alignRight: "end"}[a]
	fmt.Fprintf(c.w, `<text x="%d" y="%d" font-size="%d" text-anchor="%s" fill="%s">%s</text>`+"\n",
		at.X, at.Y, size, anchor, hex(col), escape(s))
}

// escape escapes a text for XML.
func escape(s string) string {
	var b strings.Builder
	// Writes to a strings.Builder never fail.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

// hex returns a colour as #rrggbb.
func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
