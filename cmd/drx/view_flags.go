package main

import (
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drx/internal/picture"
)

func (o *viewOptions) flags(cmd *cobra.Command) {
	o.selecting.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.dims, "dims", "", "dimensions drawn as rows and columns: y,x; for --lines the dimension that lines go along")
	f.StringVarP(&o.out, "output", "o", "", "PNG or SVG `file` to write, or GIF with --animate; - for PNG on stdout (default: draw in the terminal)")
	f.BoolVar(&o.plain, "plain", false, "only the elements, without axes, title and colour bar")
	f.Float64Var(&o.lo, "lo", math.NaN(), "value at the low end of the colours, or of the lines (default: the least)")
	f.Float64Var(&o.hi, "hi", math.NaN(), "value at the high end of the colours, or of the lines (default: the largest)")
	f.BoolVar(&o.robust, "robust", false, "clip the colour range to the 0.5-99.5 percentiles (default: if a few values would leave little for the rest)")
	f.StringVar(&o.colors, "colors", "viridis", "colour map: viridis, grey, or diverging for values around zero")
	f.StringVar(&o.rgb, "rgb", "", "three `indices` of a dimension, drawn as red, green and blue: 29,19,9")
	f.StringVar(&o.bandsOf, "bands", "", "`dimension` of the indices of --rgb")
	f.StringArrayVar(&o.lines, "lines", nil, "draw a line per index of this dimension, or one at these `indices`: y=3,x=7; may be repeated")
	f.IntVar(&o.zoom, "zoom", 0, "pixels per element in each direction (default: chosen by size)")
	f.IntVar(&o.width, "width", 0, "columns of text to draw in, without -o (default: those of the terminal, otherwise 80)")
	f.StringVar(&o.animate, "animate", "", "make an animation with one picture per index of this `dimension`")
	f.IntVar(&o.every, "every", 1, "with --animate: use only every n-th index")
	f.DurationVar(&o.delay, "delay", 200*time.Millisecond, "with --animate: how long each picture is shown, 20ms to 1m")
	completeFlag(cmd, "colors", cobra.FixedCompletions(picture.ColorNames(), cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"animate", "bands", "lines"} {
		completeFlag(cmd, name, completeDims)
	}
}

// check returns an error for flag values that are wrong for every array.
func (o viewOptions) check(cmd *cobra.Command) error {
	switch {
	case math.IsInf(o.lo, 0) || math.IsInf(o.hi, 0):
		return usagef("--lo %v --hi %v: want finite values", o.lo, o.hi)
	case o.lo >= o.hi:
		return usagef("--lo %v --hi %v: --lo must be below --hi", o.lo, o.hi)
	case o.zoom < 0 || o.zoom > viewSide:
		return usagef("--zoom %d: want 1 to %d pixels, or 0 for the default", o.zoom, viewSide)
	}
	if o.out != "" && cmd.Flags().Changed("width") {
		return usagef("view: --width is for drawing in the terminal, -o %s makes a picture: leave one of them out, or set its size with --zoom", o.out)
	}
	for _, name := range []string{"every", "delay"} {
		if o.animate == "" && cmd.Flags().Changed(name) {
			return usagef("--%s goes with --animate; see 'drx view --help'", name)
		}
	}
	if err := o.checkTogether(); err != nil {
		return err
	}
	if _, err := picture.ParseColors(o.colors); err != nil {
		return usagef("--colors: %w", err)
	}
	if o.animate != "" {
		return o.checkAnimation()
	}
	return checkExtension(o.out, ".png", ".svg")
}

// checkTogether returns an error for flags that exclude each other.
func (o viewOptions) checkTogether() error {
	switch {
	case o.bandsOf != "" && o.rgb == "":
		return usagef("--bands goes with --rgb; see 'drx view --help'")
	case o.rgb != "" && o.animate != "":
		return usagef("--rgb and --animate exclude each other: an animation has 256 colours")
	case o.lines != nil && o.out == "":
		return usagef("--lines needs -o; see 'drx view --help'")
	case o.lines != nil && (o.rgb != "" || o.animate != "" || o.plain || o.zoom > 0):
		return usagef("--lines excludes --rgb, --animate, --plain and --zoom")
	case o.plain && o.isSVG():
		return usagef("--plain -o %s: plain pictures are PNG: choose a name in .png, or leave out --plain", o.out)
	}
	return nil
}

// isSVG reports whether the output is an SVG document.
func (o viewOptions) isSVG() bool { return strings.EqualFold(filepath.Ext(o.out), ".svg") }

const (
	viewSide = 2048 // largest number of pixels in each direction
	minSide  = 256  // smallest such limit for a terminal
)

// side returns the largest number of values of a picture in each direction.
func (o viewOptions) side(columns int) int {
	switch {
	case o.out == "":
		return max(minSide, 4*columns)
	case o.hasAxes() && o.zoom == 0:
		return figureSide
	}
	return viewSide
}
