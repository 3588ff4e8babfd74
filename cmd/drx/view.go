package main

import (
	"context"
	"fmt"
	"image"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drx"
	"drx/cube"
	"drx/internal/picture"
	"drx/nd"
)

// viewOptions are the flags of view.
type viewOptions struct {
	selecting
	dims, out, colors string
	lo, hi            float64
	robust            bool
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
		Long: `Draw a two-dimensional slice of an array, in the terminal or as a PNG picture.

The last two dimensions with more than one index become rows and columns; --dims chooses
others. Of every other dimension the first index is shown, and a note says so; --at chooses
another by its index, --sel by its label or the value of its coordinate, see read. An array of
one dimension is drawn as a strip.

Complex numbers are drawn by their modulus. Missing elements get a colour of their own: NaN,
and elements equal to the fill value of the array if that is not zero. Large slices are reduced
to at most 2048 pixels in each direction; a pixel is then the mean of a block. Limits and
counts are those of the elements; with --robust, limits are those of the pixels.

With --animate each index of a dimension is a picture of an animation: a GIF or, for a name in
.png or .apng, an animated PNG. All pictures share the limits of the colours, which are found
in a first pass unless --lo and --hi are given. Each picture shows its label, or else its
index. There are at most 2000 pictures, of at most 1024 pixels in each direction.`,
		Example: `  drx view radar --at time=12
  drx view radar --at time=12,y=0:256 -o rain.png --robust
  drx view radar --section :,100,: --dims time,x
  drx view sales --sel store=3,date=2013-01-01..2013-12-31
  drx view radar --animate time --lo 0 --hi 50 -o rain.gif
  drx view radar --animate time --at time=0:12 --every 3 --delay 500ms -o rain.apng`,
		Args:              exactly("ARRAY"),
		ValidArgsFunction: completeArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			if err := checkNotJSON(cmd, o.out == "-", "-o -"); err != nil {
				return err
			}
			return withArray(args[0], false, func(a *drx.Array) error {
				if o.animate != "" {
					return o.animation(cmd, a)
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
	f.StringVar(&o.dims, "dims", "", "dimensions drawn as rows and columns: y,x")
	f.StringVarP(&o.out, "output", "o", "", "PNG file to write, or GIF with --animate; - for PNG on stdout (default: draw in the terminal)")
	f.Float64Var(&o.lo, "lo", math.NaN(), "value at the low end of the colours (default: the least)")
	f.Float64Var(&o.hi, "hi", math.NaN(), "value at the high end of the colours (default: the largest)")
	f.BoolVar(&o.robust, "robust", false, "clip the colour range to the 0.5-99.5 percentiles")
	f.StringVar(&o.colors, "colors", "viridis", "colour map: viridis or grey")
	f.IntVar(&o.zoom, "zoom", 0, "pixels per element in each direction (default: chosen by size)")
	f.IntVar(&o.width, "width", 0, "columns of text to draw in, without -o (default: those of the terminal, otherwise 80)")
	f.StringVar(&o.animate, "animate", "", "make an animation with one picture per index of this `dimension`")
	f.IntVar(&o.every, "every", 1, "with --animate: use only every n-th index")
	f.DurationVar(&o.delay, "delay", 200*time.Millisecond, "with --animate: how long each picture is shown, 20ms to 1m")
	completeFlag(cmd, "animate", completeDims)
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
	if _, err := picture.ParseColors(o.colors); err != nil {
		return usagef("--colors: %w", err)
	}
	if o.animate != "" {
		return o.checkAnimation()
	}
	return checkExtension(o.out, ".png")
}

// view draws a slice and then prints a summary of its values: on stdout, or on stderr if the picture goes
// to stdout.
func (o viewOptions) view(cmd *cobra.Command, a *drx.Array) error {
	s, err := newScreen(cmd.OutOrStdout(), o.width)
	if err != nil {
		return err
	}
	side := viewSide
	if o.out == "" {
		side = max(minSide, 4*s.cols)
	}
	img, summary, aside, err := o.draw(cmd.Context(), a, side, func(bytes int64) *progress { return newProgress(cmd, bytes) })
	if err != nil {
		return err
	}
	note(cmd, a, aside)
	tell := cmd.OutOrStdout()
	switch {
	case o.out == "" && wantsJSON(cmd):
	case o.out == "":
		err = picture.Terminal(tell, img, s.cols, s.rows, s.mode)
	case o.out == "-":
		tell = cmd.ErrOrStderr()
		err = picture.WritePNG(cmd.OutOrStdout(), img)
	default:
		err = replaceFile(o.out, func(w io.Writer) error { return picture.WritePNG(w, img) })
	}
	if err != nil {
		return err
	}
	if wantsJSON(cmd) {
		return printJSON(tell, newPictureResult(a, summary, img.Rect.Size()))
	}
	if o.out != "" && isQuiet(cmd) {
		return nil
	}
	_, err = fmt.Fprintln(tell, summary)
	return err
}

const (
	viewSide = 2048 // largest number of pixels in each direction
	minSide  = 256  // smallest such limit for a terminal
)

// draw returns the picture of the slice, a summary of its values and, if not everything is shown, a note
// about what is. It calls bar with the number of bytes to read.
func (o viewOptions) draw(ctx context.Context, a *drx.Array, side int, bar func(bytes int64) *progress) (img *image.Paletted, summary viewSummary, note string, err error) {
	colors, err := picture.ParseColors(o.colors)
	if err != nil {
		return nil, summary, "", usagef("--colors: %w", err)
	}
	c, sel, p, note, err := o.choose(a, -1)
	if err != nil {
		return nil, summary, "", err
	}
	if o.out != "" { // a terminal has its own size
		if err := o.checkZoom(sel, p, side); err != nil {
			return nil, summary, "", err
		}
	}
	s, err := readSlice(ctx, c, sel, p, side, bar)
	if err != nil {
		return nil, summary, "", err
	}
	heat := o.limits(s)
	heat.Colors, heat.Zoom, heat.MaxSide = colors, o.zoom, side
	if img, err = picture.Heat(s.values, s.rows, s.cols, heat); err != nil {
		return nil, summary, "", fmt.Errorf("%s: %w", a.Name(), err)
	}
	return img, viewSummary{s.stat, formatSelection(sel), heat.Lo, heat.Hi, s.step}, note, nil
}

// choose returns the array with its labels, the selection to draw, its plane, and a note if indices were chosen by default. The selection
// has extent 1 in all dimensions except those of the plane and dimension keep, if that is not negative.
func (o viewOptions) choose(a *drx.Array, keep int) (c *cube.Cube, sel cube.Selection, p plane, note string, err error) {
	found, err := o.of(a)
	if err != nil {
		return nil, nil, p, "", err
	}
	sel = found.sel
	if err := checkDrawable(a, sel); err != nil {
		return nil, nil, p, "", err
	}
	if c, err = found.axes.Cube(); err != nil {
		return nil, nil, p, "", err
	}
	lens := sel.Shape()
	if keep >= 0 {
		lens[keep] = 0
	}
	if p, err = choosePlane(a, o.dims, lens); err != nil {
		return nil, nil, p, "", err
	}
	notes := indexNotes(c, o.at)
	if found.note != "" {
		notes = append(notes, found.note)
	}
	if note := shownNote("", fixOthers(a, sel, p, keep)); note != "" {
		notes = append(notes, note)
	}
	return c, sel, p, strings.Join(notes, "; "), nil
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

// limits returns the limits of the colours: those of the flags, otherwise those of the elements. They are
// not those of the pixels, which are means.
func (o viewOptions) limits(s *slice) picture.HeatOptions {
	h := picture.HeatOptions{Lo: o.lo, Hi: o.hi, Robust: o.robust}
	if o.robust {
		h.Lo, h.Hi = h.Limits(s.values)
	} else {
		h.Lo, h.Hi = h.Limits([]float64{s.stat.min, s.stat.max})
	}
	h.Fixed = true
	return h
}
