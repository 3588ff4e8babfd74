package main

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
	"drx/cube"
	"drx/internal/picture"
	"drx/internal/plot"
	"drx/nd"
)

const (
	maxPictures   = 2000    // in an animation
	animationSide = 1024    // largest number of pixels of its heat maps in each direction
	maxSampled    = 1 << 20 // largest number of pixels of which percentiles are taken
)

// An animator draws the slices of an array along one dimension.
type animator struct {
	*scene
	all      string // what all pictures show
	dim      int
	pictures []int // their indices in the dimension
	look     look
	lines    [2]float64 // the ends of the vertical axis of lines
	counts   slice      // the counts of all pictures
	missing  bool       // whether the key has an entry for missing elements
	size     image.Point
}

// checkAnimation returns an error for flag values that are wrong for every array.
func (o viewOptions) checkAnimation() error {
	switch {
	case o.out == "":
		return usagef("--animate needs -o; see 'drx view --help'")
	case o.every < 1:
		return usagef("--every %d: want at least 1", o.every)
	}
	if err := picture.CheckDelay(o.delay); err != nil {
		return usagef("--%w", err)
	}
	return checkExtension(o.out, ".gif", ".png", ".apng")
}

// animation draws the pictures and then prints a summary of their values.
func (o viewOptions) animation(cmd *cobra.Command, a *drx.Array) error {
	m, err := newAnimator(o, a)
	if err != nil {
		return err
	}
	note(cmd, a, m.note())
	bar := newCount(cmd, int64(m.passes()*len(m.pictures)))
	tell := cmd.OutOrStdout()
	if o.out == "-" {
		tell = cmd.ErrOrStderr()
		err = m.write(cmd.Context(), cmd.OutOrStdout(), ".png", bar)
	} else {
		err = replaceFile(o.out, func(w io.Writer) error {
			return m.write(cmd.Context(), w, strings.ToLower(filepath.Ext(o.out)), bar)
		})
	}
	bar.end()
	if err != nil {
		return err
	}
	summary := m.summary()
	if wantsJSON(cmd) {
		r := newPictureResult(a, summary, m.size)
		r.Dim, r.Pictures = &m.dim, len(m.pictures)
		return printJSON(tell, r)
	}
	if isQuiet(cmd) {
		return nil
	}
	_, err = fmt.Fprintf(tell, "%d pictures of %d x %d pixels; %s\n", len(m.pictures), m.size.X, m.size.Y, summary)
	return err
}

// newAnimator returns an animator.
func newAnimator(o viewOptions, a *drx.Array) (*animator, error) {
	dim, err := parseDim(a, o.animate)
	if err != nil {
		return nil, err
	}
	if a.Rank() == 1 {
		return nil, usagef("%s: --animate %s: want an array of at least 2 dimensions", a.Name(), o.animate)
	}
	s, err := newScene(o, a, dim)
	if err != nil {
		return nil, err
	}
	if err := o.checkZoom(s.sel, s.p, animationSide); err != nil {
		return nil, err
	}
	s.sel[dim] = s.sel[dim].Every(o.every)
	if n := s.sel[dim].Len(); n > maxPictures {
		return nil, usagef("%s: --animate %s: %d pictures, at most %d; choose with --at or --every", a.Name(), o.animate, n, maxPictures)
	}
	m := &animator{scene: s, all: formatSelection(s.sel), dim: dim}
	for i := range s.sel[dim].Len() {
		m.pictures = append(m.pictures, s.sel[dim].At(i))
	}
	return m, nil
}

// summary returns the summary of all pictures.
func (m *animator) summary() viewSummary {
	v := m.scene.summary(m.counts.stat, &m.counts, m.look)
	v.section = m.all
	if m.kind == linesKind {
		v.lo, v.hi = m.lines[0], m.lines[1]
	}
	return v
}

// passes returns how many times the array is read: twice if the limits of the colours are unknown.
func (m *animator) passes() int {
	if m.kind != paletteKind && (math.IsNaN(m.lo) || math.IsNaN(m.hi) || m.lo == m.hi) {
		return 2
	}
	return 1
}

// read reads the slice at an index.
func (m *animator) read(ctx context.Context, index int) (*slice, error) {
	m.sel[m.dim] = cube.Indices{nd.At(index).By(1)}
	parts, err := m.scene.read(ctx, m.sel, animationSide, noProgress)
	if err != nil {
		return nil, err
	}
	return parts[0], nil
}

// findLimits sets the limits of the colours. Unless both are given, it reads all pictures.
func (m *animator) findLimits(ctx context.Context, bar *progress) error {
	all := slice{stat: noStat()}
	for i := 0; i < len(m.pictures) && m.passes() == 2; i++ {
		s, err := m.read(ctx, m.pictures[i])
		if err != nil {
			return err
		}
		all.stat.merge(s.stat)
		all.values = append(all.values, sampled(s.values, maxSampled/len(m.pictures))...)
		bar.add(1)
	}
	m.missing = m.passes() == 1 || all.stat.missing > 0 // all pictures have the same key
	var err error
	m.look, err = m.lookOf([]*slice{&all})
	m.lines[0], m.lines[1] = m.lineLimits([]*slice{&all})
	return err
}

// sampled returns at most n of the values, evenly spread.
func sampled(values []float64, n int) []float64 {
	var some []float64
	for i := 0; i < len(values); i += nd.CeilDiv(len(values), n) {
		some = append(some, values[i])
	}
	return some
}

// write writes the animation. It holds one picture at a time.
func (m *animator) write(ctx context.Context, w io.Writer, extension string, bar *progress) error {
	if err := m.findLimits(ctx, bar); err != nil {
		return err
	}
	m.counts = slice{stat: noStat()}
	var frames picture.Frames
	for _, index := range m.pictures {
		img, err := m.frame(ctx, index)
		if err == nil && frames == nil {
			m.size = img.Rect.Size()
			frames, err = picture.NewFrames(w, extension, picture.Animation{
				Width: m.size.X, Height: m.size.Y, Palette: img.Palette, Frames: len(m.pictures), Delay: m.delay,
			})
		}
		if err == nil {
			err = frames.Add(img)
		}
		if err != nil {
			return err
		}
		bar.add(1)
	}
	return frames.Close()
}

// frame returns the picture at an index and counts its values.
func (m *animator) frame(ctx context.Context, index int) (*image.Paletted, error) {
	part, err := m.read(ctx, index)
	if err != nil {
		return nil, err
	}
	m.counts.stat.merge(part.stat)
	m.counts.step, m.counts.down, m.counts.across = part.step, part.down, part.across
	parts := []*slice{part}
	if m.plain {
		img, err := m.plainPicture(parts, m.look, animationSide)
		if err != nil {
			return nil, err
		}
		if heat, ok := img.(*image.Paletted); ok {
			return heat, nil
		}
		return plot.Indexed(img.(*image.RGBA), m.framePalette(m.look)), nil
	}
	var f plot.Figure
	if m.kind == linesKind {
		f, err = m.lineFigure([]lineSection{{sel: m.sel}}, parts, m.lines[0], m.lines[1], m.subtitle(index))
	} else {
		f, err = m.figure(parts, m.look, m.subtitle(index), m.missing)
	}
	if err != nil {
		return nil, err
	}
	img, err := f.Image()
	if err != nil {
		return nil, err
	}
	return plot.Indexed(img, m.framePalette(m.look)), nil
}

// subtitle returns the label of the index of a picture, its coordinate or the index itself, and what all pictures share.
func (m *animator) subtitle(index int) string {
	text := m.at(m.dim, index)
	if fixed := m.fixed(m.sel, m.dim); fixed != "" {
		text += ", " + fixed
	}
	return text
}
