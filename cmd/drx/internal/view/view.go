// Package view has the verb view, which draws an array as a picture, as lines, or as an animation.
package view

import (
	"fmt"
	"image"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/display"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/drx/internal/progress"
	"drx/internal/picture"
	"drx/internal/plot"
)

// New returns the verb view.
func New() *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:     "view ARRAY",
		Short:   "Draw a slice of an array",
		GroupID: cli.GroupFirst,
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
than half of the colours; the last line says so. --lo, --hi and --robust choose.

Integers with an attribute palette, a list of [red, green, blue] or [red, green, blue, alpha],
have its colours, unless --colors is given; up to 16 of them are classes, named in the key by the
attributes flag_values and flag_meanings of the CF conventions, or else by number. --rgb 29,19,9
draws three indices of a dimension as red, green and blue: of --bands, or of the one dimension whose
name is not that of a place, as x, lat and row are. Bytes are shown as they are, other types from
percentile 2 to 98 of each band.

--lines DIM draws a line per index of a dimension, --lines y=3,x=7 one section; it may be
repeated. The lines go along the last dimension that has several indices, or that of --dims.

Large slices are reduced to at most 1200 pixels in each direction, or 2048 with --zoom or
--plain; a pixel is then the mean of a block. A direction that fits keeps all its elements where the
other has more than twice as many, and labels are never averaged. Lines go through the least and the
greatest element of each block. Limits and counts are those of the elements, percentiles those of
the pixels.

--diff OTHER draws the values of ARRAY minus those of another array with the same bounds, in the
units of ARRAY, in diverging colours around zero; drx diff says in numbers where they differ.

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
  drx view monday --diff tuesday -o change.png
  drx view scene --rgb 29,19,9 --bands band -o scene.png
  drx view sales --sel date=2013-01-01..2013-12-31 --at item=0 --lines store -o sales.svg
  drx view radar --animate time --at time=0:12 --every 3 --delay 500ms -o rain.apng`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ownColors, o.RobustGiven = cmd.Flags().Changed("colors"), cmd.Flags().Changed("robust")
			if err := o.check(cmd); err != nil {
				return err
			}
			if err := cli.CheckNotJSON(cmd, o.Out == "-", "-o -"); err != nil {
				return err
			}
			o.colorsGiven = o.ownColors
			return arrays.With(args[0], false, func(a *drx.Array) error {
				return o.withDiff(a, func(o Options) error { return o.draw(cmd, a) })
			})
		},
	}
	o.flags(cmd)
	return cmd
}

// draw draws an array in the way that the flags choose.
func (o Options) draw(cmd *cobra.Command, a *drx.Array) error {
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
}

// view draws a slice and then prints a summary of its values: on stdout, or on stderr if the
// picture goes to stdout.
func (o Options) view(cmd *cobra.Command, a *drx.Array) error {
	screen, err := display.NewScreen(cmd.OutOrStdout(), o.width)
	if err != nil {
		return err
	}
	s, err := NewScene(o, a, -1)
	if err != nil {
		return err
	}
	if s.kind == linesKind {
		return s.viewLines(cmd, []lineSection{{sel: s.Sel}})
	}
	side := o.side(screen.Cols)
	if o.Out != "" { // not for a terminal, whose size limits the picture
		if err := o.checkZoom(s.Sel, s.p, side); err != nil {
			return err
		}
	}
	parts, err := s.Read(cmd.Context(), s.Sel, side, func(bytes int64) *progress.Progress { return progress.New(cmd, bytes*int64(max(1, len(s.rgb)))) })
	if err != nil {
		return err
	}
	k, err := s.ColorScale(parts)
	if err != nil {
		return err
	}
	cli.Note(cmd, a, s.note())
	summary := s.summary(statOf(parts), parts[0], k)
	if s.hasAxes() {
		f, err := s.Figure(parts, k, s.fixed(s.Sel, s.bands), summary.missing > 0)
		if err != nil {
			return err
		}
		return s.write(cmd, f, summary)
	}
	img, err := s.PlainPicture(parts, k, side)
	if err != nil {
		return err
	}
	if o.Out == "" && !cli.WantsJSON(cmd) {
		if err := picture.Terminal(cmd.OutOrStdout(), img, screen.Cols, screen.Rows, screen.Mode); err != nil {
			return err
		}
	}
	return s.output(cmd, img.Bounds().Size(), summary, func(w io.Writer) error { return picture.WritePNG(w, img) })
}

// write writes a figure in the format of -o, and prints the summary.
func (s *Scene) write(cmd *cobra.Command, f plot.Figure, summary viewSummary) error {
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
func (s *Scene) output(cmd *cobra.Command, size image.Point, summary viewSummary, picture func(w io.Writer) error) error {
	out := cmd.OutOrStdout()
	var err error
	switch s.Out {
	case "":
	case "-":
		out = cmd.ErrOrStderr()
		err = picture(cmd.OutOrStdout())
	default:
		err = outfile.Replace(s.Out, picture)
	}
	if err != nil {
		return err
	}
	if cli.WantsJSON(cmd) {
		return cli.PrintJSON(out, newPictureResult(s.a, summary, size))
	}
	if s.Out != "" && cli.IsQuiet(cmd) {
		return nil
	}
	_, err = fmt.Fprintln(out, summary)
	return err
}

// viewLines draws lines and prints a summary of their values.
func (s *Scene) viewLines(cmd *cobra.Command, lines []lineSection) error {
	n := int64(len(lines))
	parts, err := s.readLines(cmd.Context(), lines, func(bytes int64) *progress.Progress { return progress.New(cmd, n*bytes) })
	if err != nil {
		return err
	}
	lo, hi := s.lineLimits(parts)
	cli.Note(cmd, s.a, s.note())
	f, err := s.lineFigure(lines, parts, lo, hi, s.fixedOf(lines))
	if err != nil {
		return err
	}
	return s.write(cmd, f, s.lineSummary(lines, parts, lo, hi))
}

// fixedOf describes the dimensions with one index that is the same in all lines.
func (s *Scene) fixedOf(lines []lineSection) string {
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
