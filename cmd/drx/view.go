package main

import (
	"fmt"
	"image"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drx"
	"drx/cube"
	"drx/internal/picture"
	"drx/internal/plot"
	"drx/nd"
)

// viewOptions are the flags of view.
type viewOptions struct {
	selecting
	dims, out, colors string
	ownColors         bool // --colors was given
	rgb, bandsOf      string
	lines             []string
	plain             bool
	lo, hi            float64
	robust            bool
	robustGiven       bool
	zoom, width       int
	animate           string
	every             int
	delay             time.Duration
}

func newView() *cobra.Command {
	var o viewOptions
	cmd := &cobra.Command{
		Use:     "view ARRAY",
		Short:   "Draw a slice of an array",
		GroupID: groupInspect,
		Long: `Draw a part of an array: in the terminal, or with -o as a PNG or SVG picture with axes.

  drx view A                           in the terminal
  drx view A --at time=12 -o a.png     a picture with axes and a colour bar
  drx view A --animate time -o a.gif   an animation
  drx view A --at y=3,x=7 -o a.svg     a line, if one dimension is left

The last two dimensions with more than one index become rows and columns; --dims chooses
others. Of every other dimension the first index is shown, and a note says so; --at chooses
another by its index, --sel by its label or the value of its coordinate, see read.

Axes show labels, values of coordinates (times as dates) or indices. All elements of a picture
have one size: the axis of a coordinate whose steps are not equal goes by index, and its ticks
show values. Lines have their points at the values of the coordinate if it ascends or descends.
If latitudes ascend, the last row is on top. --plain leaves out axes, title and colour bar.

Values are multiplied by the attribute scale_factor and add_offset is added; complex numbers are
drawn by their modulus. Missing elements get a colour of their own: NaN, and elements equal to
the fill value of the array if that is not zero. The colours go from the least to the largest
value, or from percentile 0.5 to 99.5 if a few values would otherwise leave the rest with less
than a third of the colours; the last line says so. --lo, --hi and --robust choose.

Integers with an attribute palette, a list of [red, green, blue] or [red, green, blue, alpha],
have its colours, unless --colors is given. --rgb 29,19,9 draws three indices of a dimension as
red, green and blue: of the one that is no place, by its name, or that of --bands. Bytes are
shown as they are, other types from percentile 2 to 98 of each band.

--lines DIM draws a line per index of a dimension, --lines y=3,x=7 one section; it may be
repeated. The lines go along the last dimension that has several indices, or that of --dims.

Large slices are reduced to at most 1200 pixels in each direction, or 2048 with --zoom or
--plain; a pixel is then the mean of a block. Limits and counts are those of the elements,
percentiles those of the pixels.

With --animate each index of a dimension is a picture of an animation: a GIF or, for a name in
.png or .apng, an animated PNG. All pictures share axes and limits of the colours, which are
found in a first pass unless --lo and --hi are given. There are at most 2000 pictures, of at
most 1024 values in each direction.`,
		Example: `  drx view radar --at time=12
  drx view radar --at time=12,y=0:256 -o rain.png
  drx view radar --animate time --lo 0 --hi 50 -o rain.gif
  drx view radar --lines y=383,x=350 --lines y=100,x=200 -o series.svg
  drx view radar --section :,100,: --dims time,x -o rain.svg
  drx view anomaly --colors diverging -o anomaly.png
  drx view scene --rgb 29,19,9 --bands band -o scene.png
  drx view sales --sel date=2013-01-01..2013-12-31 --at item=0 --lines store -o sales.svg
  drx view radar --animate time --at time=0:12 --every 3 --delay 500ms -o rain.apng`,
		Args:              exactly("ARRAY"),
		ValidArgsFunction: completeArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ownColors, o.robustGiven = cmd.Flags().Changed("colors"), cmd.Flags().Changed("robust")
			if err := o.check(cmd); err != nil {
				return err
			}
			if err := checkNotJSON(cmd, o.out == "-", "-o -"); err != nil {
				return err
			}
			return withArray(args[0], false, func(a *drx.Array) error {
				switch {
				case o.animate != "":
					return o.animation(cmd, a)
				case o.lines != nil:
					s, lines, err := newLines(o, a)
					if err != nil {
						return err
					}
					return s.viewLines(cmd, lines)
				}
				return o.view(cmd, a)
			})
		},
	}
	o.flags(cmd)
	return cmd
}

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

// view draws a slice and then prints a summary of its values: on stdout, or on stderr if the picture goes
// to stdout.
func (o viewOptions) view(cmd *cobra.Command, a *drx.Array) error {
	screen, err := newScreen(cmd.OutOrStdout(), o.width)
	if err != nil {
		return err
	}
	s, err := newScene(o, a, -1)
	if err != nil {
		return err
	}
	if s.kind == linesKind {
		return s.viewLines(cmd, []lineSection{{sel: s.sel}})
	}
	side := o.side(screen.cols)
	if o.out != "" { // a terminal has its own size
		if err := o.checkZoom(s.sel, s.p, side); err != nil {
			return err
		}
	}
	parts, err := s.read(cmd.Context(), s.sel, side, func(bytes int64) *progress { return newProgress(cmd, bytes*int64(max(1, len(s.rgb)))) })
	if err != nil {
		return err
	}
	k, err := s.lookOf(parts)
	if err != nil {
		return err
	}
	note(cmd, a, s.note())
	summary := s.summary(statOf(parts), parts[0], k)
	if s.hasAxes() {
		f, err := s.figure(parts, k, s.fixed(s.sel, s.bands), summary.missing > 0)
		if err != nil {
			return err
		}
		return s.write(cmd, f, summary)
	}
	img, err := s.plainPicture(parts, k, side)
	if err != nil {
		return err
	}
	if o.out == "" && !wantsJSON(cmd) {
		if err := picture.Terminal(cmd.OutOrStdout(), img, screen.cols, screen.rows, screen.mode); err != nil {
			return err
		}
	}
	return s.output(cmd, img.Bounds().Size(), summary, func(w io.Writer) error { return picture.WritePNG(w, img) })
}

// write writes a figure in the format of -o, and prints the summary.
func (s *scene) write(cmd *cobra.Command, f plot.Figure, summary viewSummary) error {
	size, err := f.Size()
	if err != nil {
		return err
	}
	return s.output(cmd, size, summary, func(w io.Writer) error {
		if s.isSVG() {
			return f.SVG(w)
		}
		img, err := f.Image()
		if err != nil {
			return err
		}
		return plot.WritePNG(w, img)
	})
}

// output writes a picture to the output, if there is one, and prints the summary.
func (s *scene) output(cmd *cobra.Command, size image.Point, summary viewSummary, picture func(w io.Writer) error) error {
	tell := cmd.OutOrStdout()
	var err error
	switch s.out {
	case "":
	case "-":
		tell = cmd.ErrOrStderr()
		err = picture(cmd.OutOrStdout())
	default:
		err = replaceFile(s.out, picture)
	}
	if err != nil {
		return err
	}
	if wantsJSON(cmd) {
		return printJSON(tell, newPictureResult(s.a, summary, size))
	}
	if s.out != "" && isQuiet(cmd) {
		return nil
	}
	_, err = fmt.Fprintln(tell, summary)
	return err
}

// viewLines draws lines and prints a summary of their values.
func (s *scene) viewLines(cmd *cobra.Command, lines []lineSection) error {
	n := int64(len(lines))
	parts, err := s.readLines(cmd.Context(), lines, func(bytes int64) *progress { return newProgress(cmd, n*bytes) })
	if err != nil {
		return err
	}
	lo, hi := s.lineLimits(parts)
	note(cmd, s.a, s.note())
	f, err := s.lineFigure(lines, parts, lo, hi, s.fixedOf(lines))
	if err != nil {
		return err
	}
	return s.write(cmd, f, s.lineSummary(lines, parts, lo, hi))
}

// fixedOf returns what the dimensions of one index are, if all lines have the same one.
func (s *scene) fixedOf(lines []lineSection) string {
	var differ []int
	for d, x := range lines[0].sel {
		for _, l := range lines {
			if !slices.Equal(l.sel[d], x) {
				differ = append(differ, d)
			}
		}
	}
	return s.fixed(lines[0].sel, differ...)
}

// checkZoom returns an error if a picture with the zoom of --zoom had more than side pixels in a direction.
func (o viewOptions) checkZoom(sel cube.Selection, p plane, side int) error {
	most := sel[p.cols].Len()
	if p.rows >= 0 {
		most = max(most, sel[p.rows].Len())
	}
	if n, ok := nd.Mul(o.zoom, most); o.zoom > 1 && (!ok || n > side) {
		return usagef("--zoom %d: %d elements would be more than %d pixels; give at most %d", o.zoom, most, side, max(1, side/most))
	}
	return nil
}
