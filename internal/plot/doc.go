// Package plot draws figures with axes: pictures of values beside a colour bar, and lines with a
// legend. One description, a Figure, becomes pixels or an SVG document with the same layout. The
// package opens no files: every result goes to an io.Writer.
//
// All lengths are pixels. A figure from top to bottom:
//
//	title
//	subtitle
//	y ticks | the plot: a picture or lines | colour bar, or the names of the lines
//	          x ticks                        key: colours of single values
//	          label of x
//	notes
//
// Canvas, Pixels, SVG and Fonts are the means of drawing. Other drawings use them, too.
//
// # Invariants
//
//  1. The labels of an axis do not overlap, and no tick is outside of its axis.
//  2. The size of a figure depends on neither its title nor its subtitle, so that the pictures of
//     an animation have one size.
package plot

import (
	"image"
	"image/color"
	"slices"
)

// Point is a position on a canvas, in pixels to the right of and below its upper left corner.
type Point struct{ X, Y float64 }

// A Canvas is the target of a drawing: Pixels or SVG.
type Canvas interface {
	// Fill fills a rectangle.
	Fill(r image.Rectangle, c color.RGBA)
	// Image draws an image, scaled to a rectangle without smoothing.
	Image(img image.Image, r image.Rectangle)
	// Line joins points by lines with round ends, or draws a dot for a single point.
	Line(points []Point, width float64, c color.RGBA)
	// Text writes s at a point of its baseline.
	Text(s string, at image.Point, t TextStyle)
}

// TextStyle describes how a text is written. Size is one of the sizes of the Fonts.
type TextStyle struct {
	Size  int // pixels per em
	Align Align
	Color color.RGBA
	Up    bool // the text runs upwards
}

// Align says which point of a text is at the given position.
type Align int

// The alignments.
const (
	AlignLeft Align = iota
	AlignMiddle
	AlignRight
)

// RGB unpacks 0xrrggbb.
func RGB(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

// The colours of the background and of texts.
var (
	Paper       = RGB(0xffffff)
	Ink         = RGB(0x1f2328) // titles, numbers
	PaleInk     = RGB(0x59636e) // labels
	grid        = RGB(0xe3e6ea)
	borderColor = RGB(0x7d8590)
)

// lineColors are the colours of Okabe and Ito for the colour-blind, without yellow, which is too
// pale on white, and two more.
var lineColors = []color.RGBA{
	RGB(0x0072b2), RGB(0xd55e00), RGB(0x009e73), RGB(0xcc79a7), RGB(0x56b4e9), RGB(0xe69f00), RGB(0x222222), RGB(0x6a3d9a),
}

// LineColors returns the colours of lines, in the order of their use.
func LineColors() []color.RGBA { return slices.Clone(lineColors) }
