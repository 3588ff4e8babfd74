package main

import (
	"context"
	"fmt"
	"image"
	"io"
	"math"

	"github.com/spf13/cobra"

	"drx"
	"drx/internal/picture"
)

// viewOptions are the flags of view.
type viewOptions struct {
	section, dims, at, out, colors string
	lo, hi                         float64
	robust                         bool
	zoom, width                    int
}

func newView() *cobra.Command {
	var o viewOptions
	cmd := &cobra.Command{
		Use:     "view ARRAY",
		Short:   "Draw a slice of an array",
		GroupID: groupLook,
		Long: `Draw a two-dimensional slice of an array, in the terminal or as a PNG picture.

The last two dimensions with more than one index become rows and columns; --dims chooses
others. Of every further dimension the first index is shown, and a note says so; --at
chooses another. An array of one dimension is drawn as a strip.

Complex numbers are drawn by their modulus. Missing, and of a colour of its own, is what is
NaN, and what equals the fill value of the array when that is not zero. Large slices are
reduced to at most 2048 pixels each way; a pixel is then the mean of a block. Limits and
counts are those of the elements; with --robust, limits are those of the pixels.`,
		Example: `  drx view radar --at time=12
  drx view radar --at time=12,y=0:256 -o rain.png --robust
  drx view radar --section :,100,: --dims time,x`,
		Args:              exactly("ARRAY"),
		ValidArgsFunction: completeArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withArray(args[0], false, func(a *drx.Array) error { return o.view(cmd, a) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.section, "section", "", "part of the array, one range per dimension: 5,:,0:100:2 (default: all)")
	f.StringVar(&o.dims, "dims", "", "dimensions drawn as rows and columns: y,x")
	f.StringVar(&o.at, "at", "", "indices of the other dimensions, or parts of any: time=3,y=0:100")
	f.StringVarP(&o.out, "output", "o", "", "PNG file to write, - for stdout (default: draw in the terminal)")
	f.Float64Var(&o.lo, "lo", math.NaN(), "value at the low end of the colours (default: the least)")
	f.Float64Var(&o.hi, "hi", math.NaN(), "value at the high end of the colours (default: the largest)")
	f.BoolVar(&o.robust, "robust", false, "leave half a percent at both ends out of the range of the colours")
	f.StringVar(&o.colors, "colors", "viridis", "colour map: viridis or grey")
	f.IntVar(&o.zoom, "zoom", 0, "pixels per element each way (default: a useful size)")
	f.IntVar(&o.width, "width", 0, "columns in the terminal (default: all, 80 if there is no terminal)")
	return cmd
}

// view draws and then says what the slice holds: on stdout, unless the picture is there.
func (o viewOptions) view(cmd *cobra.Command, a *drx.Array) error {
	if err := checkPictureName(o.out, ".png"); err != nil {
		return err
	}
	s, err := newScreen(cmd.OutOrStdout(), o.width)
	if err != nil {
		return err
	}
	side := viewSide
	if o.out == "" {
		side = max(minSide, 4*s.cols)
	}
	img, summary, note, err := o.draw(cmd.Context(), a, side)
	if err != nil {
		return err
	}
	if note != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "drx: %s: %s\n", a.Name(), note)
	}
	tell := cmd.OutOrStdout()
	switch o.out {
	case "":
		err = picture.Terminal(tell, img, s.cols, s.rows, s.mode)
	case "-":
		tell = cmd.ErrOrStderr()
		err = picture.WritePNG(cmd.OutOrStdout(), img)
	default:
		err = replaceFile(o.out, func(w io.Writer) error { return picture.WritePNG(w, img) })
	}
	if err == nil {
		_, err = fmt.Fprintln(tell, summary)
	}
	return err
}

const (
	viewSide = 2048 // the most pixels each way
	minSide  = 256  // the least that the most is set to, for a terminal
)

// draw returns the picture of the slice, a line about its values and a note about what
// was chosen to be shown.
func (o viewOptions) draw(ctx context.Context, a *drx.Array, side int) (img *image.Paletted, summary, note string, err error) {
	colors, err := picture.ParseColors(o.colors)
	if err != nil {
		return nil, "", "", usagef("--colors: %w", err)
	}
	sec, err := parseSection(a, o.section)
	if err != nil {
		return nil, "", "", err
	}
	if sec, err = narrow(a, sec, a.Bounds(), o.at); err != nil {
		return nil, "", "", err
	}
	p, err := choosePlane(a, o.dims, sec.Shape())
	if err != nil {
		return nil, "", "", err
	}
	note = fixOthers(a, sec, p, -1)
	s, err := readSlice(ctx, a, sec, p, side)
	if err != nil {
		return nil, "", "", err
	}
	heat := o.limits(s)
	heat.Colors, heat.Zoom, heat.MaxSide = colors, o.zoom, side
	if img, err = picture.Heat(s.values, s.rows, s.cols, heat); err != nil {
		return nil, "", "", fmt.Errorf("%s: %w", a.Name(), err)
	}
	lo, hi := heat.Limits(s.values)
	summary = fmt.Sprintf("%v; colours from %s to %s", &s.stat, number(lo), number(hi))
	if s.step > 1 {
		summary += fmt.Sprintf("; one in %d rows and columns was read", s.step)
	}
	return img, summary, note, nil
}

// limits returns the limits of the colours: those asked for, else those of the elements
// rather than of the means drawn.
func (o viewOptions) limits(s *slice) picture.HeatOptions {
	h := picture.HeatOptions{Lo: o.lo, Hi: o.hi, Robust: o.robust}
	if !o.robust && math.IsNaN(h.Lo) {
		h.Lo = s.stat.min
	}
	if !o.robust && math.IsNaN(h.Hi) {
		h.Hi = s.stat.max
	}
	return h
}
