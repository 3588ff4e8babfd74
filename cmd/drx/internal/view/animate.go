package view

import (
	"context"
	"fmt"
	"image"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/selection"
	"drx/cube"
	"drx/internal/picture"
	"drx/internal/plot"
	"drx/nd"
)

const (
	maxPictures   = 2000    // in an animation
	animationSide = 1024    // largest number of pixels of its heat maps in each direction
	maxSampled    = 1 << 20 // largest number of pixels to compute percentiles of
)

// An animator draws the slices of an array along one dimension.
type animator struct {
	*Scene
	all      string // what all pictures show
	dim      int
	pictures []int // the indices of the pictures in the dimension
	scale    colorScale
	lines    [2]float64 // the ends of the vertical axis of lines
	counts   Slice      // the counts of all pictures
	missing  bool       // whether the key has an entry for missing elements
	size     image.Point
}

// animation draws the pictures and then prints a summary of their values.
func (o Options) animation(cmd *cobra.Command, a *drx.Array) error {
	m, err := newAnimator(o, a)
	if err != nil {
		return err
	}
	cli.Note(cmd, a, m.note())
	bar := progress.NewCount(cmd, int64(m.passes()*len(m.pictures)))
	out := cmd.OutOrStdout()
	if o.Out == "-" {
		out = cmd.ErrOrStderr()
		err = m.write(cmd.Context(), cmd.OutOrStdout(), ".png", bar)
	} else {
		err = outfile.Replace(o.Out, func(w io.Writer) error {
			return m.write(cmd.Context(), w, strings.ToLower(filepath.Ext(o.Out)), bar)
		})
	}
	bar.End()
	if err != nil {
		return err
	}
	summary := m.summary()
	if cli.WantsJSON(cmd) {
		r := newPictureResult(a, summary, m.size)
		r.Dim, r.Pictures = &m.dim, len(m.pictures)
		return cli.PrintJSON(out, r)
	}
	if cli.IsQuiet(cmd) {
		return nil
	}
	_, err = fmt.Fprintf(out, "%d pictures of %d x %d pixels; %s\n", len(m.pictures), m.size.X, m.size.Y, summary)
	return err
}

// newAnimator returns an animator.
func newAnimator(o Options, a *drx.Array) (*animator, error) {
	dim, err := cli.ParseDim(a, o.animate)
	if err != nil {
		return nil, err
	}
	if a.Rank() == 1 {
		return nil, cli.Usagef("%s: --animate %s: want an array of at least 2 dimensions", a.Name(), o.animate)
	}
	s, err := NewScene(o, a, dim)
	if err != nil {
		return nil, err
	}
	if err := o.checkZoom(s.Sel, s.p, animationSide); err != nil {
		return nil, err
	}
	s.Sel[dim] = s.Sel[dim].Every(o.every)
	if n := s.Sel[dim].Len(); n > maxPictures {
		return nil, cli.Usagef("%s: --animate %s: %d pictures, at most %d; choose with --at or --every", a.Name(), o.animate, n, maxPictures)
	}
	m := &animator{Scene: s, all: selection.FormatSelection(s.Sel), dim: dim}
	for i := range s.Sel[dim].Len() {
		m.pictures = append(m.pictures, s.Sel[dim].At(i))
	}
	return m, nil
}

// summary returns the summary of all pictures.
func (m *animator) summary() viewSummary {
	v := m.Scene.summary(m.counts.Stat, &m.counts, m.scale)
	v.section = m.all
	if m.kind == linesKind {
		v.lo, v.hi = m.lines[0], m.lines[1]
	}
	return v
}

// passes returns how many times the array is read: twice if the limits of the colours are unknown.
func (m *animator) passes() int {
	if m.kind != paletteKind && (math.IsNaN(m.Lo) || math.IsNaN(m.Hi) || m.Lo == m.Hi) {
		return 2
	}
	return 1
}

// read reads the slice at an index.
func (m *animator) read(ctx context.Context, index int) (*Slice, error) {
	m.Sel[m.dim] = cube.Indices{nd.At(index).By(1)}
	parts, err := m.Scene.Read(ctx, m.Sel, animationSide, progress.None)
	if err != nil {
		return nil, err
	}
	return parts[0], nil
}

// findLimits sets the limits of the colours. Unless both are given, it reads all pictures.
func (m *animator) findLimits(ctx context.Context, bar *progress.Progress) error {
	all := Slice{Stat: NoStat()}
	for i := 0; i < len(m.pictures) && m.passes() == 2; i++ {
		s, err := m.read(ctx, m.pictures[i])
		if err != nil {
			return err
		}
		all.Stat.merge(s.Stat)
		all.Values = append(all.Values, sampled(s.Values, maxSampled/len(m.pictures))...)
		bar.Add(1)
	}
	m.missing = m.passes() == 1 || all.Stat.missing > 0 // all pictures have the same key
	var err error
	m.scale, err = m.ColorScale([]*Slice{&all})
	m.lines[0], m.lines[1] = m.lineLimits([]*Slice{&all})
	return err
}

// write writes the animation. It holds one picture at a time.
func (m *animator) write(ctx context.Context, w io.Writer, extension string, bar *progress.Progress) error {
	if err := m.findLimits(ctx, bar); err != nil {
		return err
	}
	m.counts = Slice{Stat: NoStat()}
	var out picture.AnimationWriter
	for _, index := range m.pictures {
		img, err := m.picture(ctx, index)
		if err == nil && out == nil {
			m.size = img.Rect.Size()
			out, err = picture.NewAnimation(w, extension, picture.Animation{
				Width: m.size.X, Height: m.size.Y, Palette: img.Palette, Pictures: len(m.pictures), Delay: m.delay,
			})
		}
		if err == nil {
			err = out.Add(img)
		}
		if err != nil {
			return err
		}
		bar.Add(1)
	}
	return out.Close()
}

// picture returns the picture at an index and counts its values.
func (m *animator) picture(ctx context.Context, index int) (*image.Paletted, error) {
	part, err := m.read(ctx, index)
	if err != nil {
		return nil, err
	}
	m.counts.Stat.merge(part.Stat)
	m.counts.Step, m.counts.Down, m.counts.Across = part.Step, part.Down, part.Across
	parts := []*Slice{part}
	if m.plain {
		img, err := m.PlainPicture(parts, m.scale, animationSide)
		if err != nil {
			return nil, err
		}
		if heat, ok := img.(*image.Paletted); ok {
			return heat, nil
		}
		return plot.Indexed(img.(*image.RGBA), m.figurePalette(m.scale)), nil
	}
	var f plot.Figure
	if m.kind == linesKind {
		f, err = m.lineFigure([]lineSection{{sel: m.Sel}}, parts, m.lines[0], m.lines[1], m.subtitle(index))
	} else {
		f, err = m.Figure(parts, m.scale, m.subtitle(index), m.missing)
	}
	if err != nil {
		return nil, err
	}
	img, err := f.Image()
	if err != nil {
		return nil, err
	}
	return plot.Indexed(img, m.figurePalette(m.scale)), nil
}

// subtitle returns the label of the index of a picture, its coordinate or the index itself, and
// what all pictures share.
func (m *animator) subtitle(index int) string {
	text := m.at(m.dim, index)
	if fixed := m.fixed(m.Sel, m.dim); fixed != "" {
		text += ", " + fixed
	}
	return text
}
