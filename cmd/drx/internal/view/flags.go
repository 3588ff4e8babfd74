package view

import (
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/display"
	"drx/cmd/drx/internal/scaled"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
	"drx/internal/picture"
	"drx/nd"
)

// Options are the flags of view.
type Options struct {
	selection.Flags
	dims, Out, Colors string
	ownColors         bool // --colors was given
	rgb, bandsOf      string
	lines             []string
	plain             bool
	Lo, Hi            float64
	Robust            bool
	RobustGiven       bool
	zoom, width       int
	diff              string        // array that is subtracted
	minus             *scaled.Minus // the same, open
	colorsGiven       bool
	animate           string
	every             int
	delay             time.Duration
}

func (o *Options) flags(cmd *cobra.Command) {
	o.Flags.AddTo(cmd)
	f := cmd.Flags()
	f.StringVar(&o.dims, "dims", "", "`dimensions` drawn as rows and columns: y,x; for --lines the dimension that lines go along")
	f.StringVarP(&o.Out, "output", "o", "", "PNG or SVG `file` to write, or GIF with --animate; - for PNG on stdout (default: draw in the terminal)")
	f.BoolVar(&o.plain, "plain", false, "only the elements, without axes, title and colour bar")
	f.Float64Var(&o.Lo, "lo", math.NaN(), "`value` at the low end of the colours, or of the lines (default: the least)")
	f.Float64Var(&o.Hi, "hi", math.NaN(), "`value` at the high end of the colours, or of the lines (default: the largest)")
	f.BoolVar(&o.Robust, "robust", false, "clip the colour range to the 0.5-99.5 percentiles (default: if a few values would leave little for the rest)")
	f.StringVar(&o.Colors, "colors", "viridis", "colour `map`: viridis, grey, or diverging for values around zero")
	f.StringVar(&o.rgb, "rgb", "", "three `indices` of a dimension, drawn as red, green and blue: 29,19,9")
	f.StringVar(&o.bandsOf, "bands", "", "`dimension` of the indices of --rgb")
	f.StringArrayVar(&o.lines, "lines", nil, "draw a line per index of this dimension, or one at these `indices`: y=3,x=7; may be repeated")
	f.IntVar(&o.zoom, "zoom", 0, "`pixels` per element in each direction (default: chosen by size)")
	f.IntVar(&o.width, "width", 0, "`columns` of text to draw in, without -o (default: those of the terminal, otherwise 80)")
	f.StringVar(&o.diff, "diff", "", "draw the difference: ARRAY minus this other `array`")
	f.StringVar(&o.animate, "animate", "", "make an animation with one picture per index of this `dimension`")
	f.IntVar(&o.every, "every", 1, "with --animate: use only every `n`-th index")
	f.DurationVar(&o.delay, "delay", 200*time.Millisecond, "with --animate: how long each picture is shown, 20ms to 1m")
	cli.CompleteFlag(cmd, "colors", cobra.FixedCompletions(picture.ColorNames(), cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"animate", "bands", "lines"} {
		cli.CompleteFlag(cmd, name, arrays.CompleteDims)
	}
}

// check returns an error for flag values that are wrong for every array.
func (o Options) check(cmd *cobra.Command) error {
	switch {
	case math.IsInf(o.Lo, 0) || math.IsInf(o.Hi, 0):
		return cli.Usagef("--lo %v --hi %v: want finite values", o.Lo, o.Hi)
	case o.Lo >= o.Hi:
		return cli.Usagef("--lo %v --hi %v: --lo must be below --hi", o.Lo, o.Hi)
	case o.zoom < 0 || o.zoom > viewSide:
		return cli.Usagef("--zoom %d: want 1 to %d pixels, or 0 for the default", o.zoom, viewSide)
	}
	if o.Out != "" && cmd.Flags().Changed("width") {
		return cli.Usagef("view: --width is for drawing in the terminal, -o %s makes a picture: leave one of them out, or set its size with --zoom", o.Out)
	}
	for _, name := range []string{"every", "delay"} {
		if o.animate == "" && cmd.Flags().Changed(name) {
			return cli.Usagef("--%s goes with --animate; see 'drx view --help'", name)
		}
	}
	if err := o.checkTogether(); err != nil {
		return err
	}
	if _, err := picture.ParseColors(o.Colors); err != nil {
		return cli.Usagef("--colors: %w", err)
	}
	if o.animate != "" {
		return o.checkAnimation()
	}
	return cli.CheckExtension(o.Out, ".png", ".svg")
}

// checkTogether returns an error for flags that exclude each other.
func (o Options) checkTogether() error {
	switch {
	case o.bandsOf != "" && o.rgb == "":
		return cli.Usagef("--bands goes with --rgb; see 'drx view --help'")
	case o.rgb != "" && o.animate != "":
		return cli.Usagef("--rgb and --animate exclude each other: an animation has 256 colours")
	case o.lines != nil && o.Out == "":
		return cli.Usagef("--lines needs -o; see 'drx view --help'")
	case o.lines != nil && (o.rgb != "" || o.animate != "" || o.plain || o.zoom > 0):
		return cli.Usagef("--lines excludes --rgb, --animate, --plain and --zoom")
	case o.plain && o.isSVG():
		return cli.Usagef("--plain -o %s: plain pictures are PNG: choose a name in .png, or leave out --plain", o.Out)
	}
	return nil
}

// isSVG reports whether the output is an SVG document.
func (o Options) isSVG() bool { return strings.EqualFold(filepath.Ext(o.Out), ".svg") }

const (
	viewSide = 2048 // largest number of pixels in each direction
	minSide  = 256  // smallest such limit for a terminal
)

// side returns the largest number of values of a picture in each direction.
func (o Options) side(columns int) int {
	switch {
	case o.Out == "":
		return max(minSide, 4*columns)
	case o.hasAxes() && o.zoom == 0:
		return display.FigureSide
	}
	return viewSide
}

// checkZoom returns an error if a picture with the zoom of --zoom had more than side pixels in a
// direction.
func (o Options) checkZoom(sel cube.Selection, p display.Plane, side int) error {
	most := sel[p.Cols].Len()
	if p.Rows >= 0 {
		most = max(most, sel[p.Rows].Len())
	}
	if n, ok := nd.Mul(o.zoom, most); o.zoom > 1 && (!ok || n > side) {
		return cli.Usagef("--zoom %d: %d elements would be more than %d pixels; give at most %d", o.zoom, most, side, max(1, side/most))
	}
	return nil
}

// hasAxes reports whether the picture gets axes: it goes to a file, and is not plain.
func (o Options) hasAxes() bool { return o.Out != "" && !o.plain }

// checkAnimation returns an error for flag values that are wrong for every array.
func (o Options) checkAnimation() error {
	switch {
	case o.Out == "":
		return cli.Usagef("--animate needs -o; see 'drx view --help'")
	case o.every < 1:
		return cli.Usagef("--every %d: want at least 1", o.every)
	}
	if err := picture.CheckDelay(o.delay); err != nil {
		return cli.Usagef("--%w", err)
	}
	return cli.CheckExtension(o.Out, ".gif", ".png", ".apng")
}
