package plot

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"strconv"
	"strings"
)

// SVG is a canvas of SVG elements. The writer keeps the first error for Flush.
type SVG struct{ W *bufio.Writer }

// NewSVG begins a document with a background. Errors of w come from Close.
func NewSVG(w io.Writer, width, height int, title string) SVG {
	c := SVG{bufio.NewWriter(w)}
	fmt.Fprintf(c.W, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" font-family="Go, Helvetica, Arial, sans-serif">`+"\n",
		width, height)
	fmt.Fprintf(c.W, "<title>%s</title>\n", escape(title))
	c.Rect(image.Rect(0, 0, width, height), Hex(Paper))
	return c
}

// Close ends the document and returns the first error of the writer.
func (c SVG) Close() error {
	fmt.Fprint(c.W, "</svg>\n")
	if err := c.W.Flush(); err != nil {
		return fmt.Errorf("write svg: %w", err)
	}
	return nil
}

// Fill fills a rectangle.
func (c SVG) Fill(r image.Rectangle, col color.RGBA) { c.Rect(r, Hex(col)) }

// Rect fills a rectangle with a colour or a pattern, as SVG names it.
func (c SVG) Rect(r image.Rectangle, fill string) {
	fmt.Fprintf(c.W, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", r.Min.X, r.Min.Y, r.Dx(), r.Dy(), fill)
}

// Image draws an image, as a PNG within the document.
func (c SVG) Image(img image.Image, r image.Rectangle) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil { // an image without pixels, never drawn
		return
	}
	fmt.Fprintf(c.W, `<image x="%d" y="%d" width="%d" height="%d" preserveAspectRatio="none" image-rendering="optimizeSpeed" style="image-rendering:pixelated" href="data:image/png;base64,%s"/>`+"\n",
		r.Min.X, r.Min.Y, r.Dx(), r.Dy(), base64.StdEncoding.EncodeToString(b.Bytes()))
}

// Line joins points by lines with round ends, or draws a dot for a single point.
func (c SVG) Line(points []Point, width float64, col color.RGBA) {
	if len(points) == 0 {
		return
	}
	c.Path([][]Point{points}, width, col)
}

// Path draws several lines as one element.
func (c SVG) Path(lines [][]Point, width float64, col color.RGBA) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(c.W, `<path fill="none" stroke="%s" stroke-width="%s" stroke-linecap="round" stroke-linejoin="round" d="`, Hex(col), number(width))
	for _, line := range lines {
		fmt.Fprintf(c.W, "M%s %s", number(line[0].X), number(line[0].Y))
		for _, p := range line[min(1, len(line)-1):] { // a single point is a line to itself
			fmt.Fprintf(c.W, "L%s %s", number(p.X), number(p.Y))
		}
	}
	fmt.Fprint(c.W, "\"/>\n")
}

// Text writes s at a point of its baseline.
func (c SVG) Text(s string, at image.Point, t TextStyle) {
	if s == "" {
		return
	}
	anchor := [...]string{AlignLeft: "start", AlignMiddle: "middle", AlignRight: "end"}[t.Align]
	turn := ""
	if t.Up {
		turn = fmt.Sprintf(` transform="rotate(-90 %d %d)"`, at.X, at.Y)
	}
	fmt.Fprintf(c.W, `<text x="%d" y="%d" font-size="%d" text-anchor="%s" fill="%s"%s>%s</text>`+"\n",
		at.X, at.Y, t.Size, anchor, Hex(t.Color), turn, escape(s))
}

// number formats a coordinate with at most one decimal.
func number(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

// escape escapes a text for XML.
func escape(s string) string {
	var b strings.Builder
	// Writes to a strings.Builder never fail.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

// Hex returns a colour as #rrggbb.
func Hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
