package picture

import (
	"image/color"

	"drx/internal/plot"
)

// segmentColors are twelve hues of even lightness and chroma (in OKLCH: 0.86
// and 0.80 by turns, 0.095), light enough for dark text. Each hue is 150
// degrees from the one before, so neighbours in time are far apart in colour.
var segmentColors = [12]uint32{
	0xa1d6ff, 0xf3a98f, 0x81e5df, 0xe8a6d1, 0xbcde9c, 0xb1b7fa,
	0xf9c68c, 0x72cce8, 0xffb7c3, 0x85d1a9, 0xe4c0ff, 0xccc076,
}

var (
	paper    = plot.Paper
	ink      = plot.Ink      // titles, chunk numbers
	paleInk  = plot.PaleInk  // labels, numbers of unwritten chunks
	edgeInk  = rgb(0x3d444d) // lines between segments
	jumpInk  = rgb(0x7d8590) // jumps of a path
	noColors = rgb(0xb8bfc6) // the hatching in the legend
)

// segmentColor returns the colour of a segment's written chunks.
func segmentColor(segment int) color.RGBA {
	if segment < 0 {
		return noColors
	}
	return rgb(segmentColors[segment%len(segmentColors)])
}

// unwrittenColor returns the colour behind the hatching.
func unwrittenColor(segment int) color.RGBA {
	return mix(segmentColor(segment), paper, 0.7)
}
