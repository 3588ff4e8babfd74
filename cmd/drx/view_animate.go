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
	"drx/nd"
)

const (
	maxPictures   = 2000    // in an animation
	animationSide = 1024    // largest number of pixels of its heat maps in each direction
	maxSampled    = 1 << 20 // largest number of pixels that --robust uses
)

// An animator draws the slices of an array along one dimension.
type animator struct {
	viewOptions
	a        *drx.Array
	labels   *cube.Cube
	all      string // what all pictures show
	sel      cube.Selection
	p        plane
	dim      int
	pictures []int // their indices in the dimension
	heat     picture.HeatOptions
	counts   slice // the counts of all pictures
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
	m, aside, err := newAnimator(o, a)
	if err != nil {
		return err
	}
	note(cmd, a, aside)
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
	summary := viewSummary{m.counts.stat, m.all, m.heat.Lo, m.heat.Hi, m.counts.step}
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

// newAnimator returns an animator, and a note if indices were chosen by default.
func newAnimator(o viewOptions, a *drx.Array) (*animator, string, error) {
	dim, err := parseDim(a, o.animate)
	if err != nil {
		return nil, "", err
	}
	if a.Rank() == 1 {
		return nil, "", usagef("%s: --animate %s: want an array of at least 2 dimensions", a.Name(), o.animate)
	}
	c, sel, p, note, err := o.choose(a, dim)
	if err != nil {
		return nil, "", err
	}
	if err := o.checkZoom(sel, p, animationSide); err != nil {
		return nil, "", err
	}
	sel[dim] = sel[dim].Every(o.every)
	if n := sel[dim].Len(); n > maxPictures {
		return nil, "", usagef("%s: --animate %s: %d pictures, at most %d; choose with --at or --every", a.Name(), o.animate, n, maxPictures)
	}
	m := &animator{viewOptions: o, a: a, labels: c, all: formatSelection(sel), sel: sel, p: p, dim: dim}
	for i := range sel[dim].Len() {
		m.pictures = append(m.pictures, sel[dim].At(i))
	}
	return m, note, nil
}

// passes returns how many times the array is read: twice if the limits of the colours are unknown.
func (m *animator) passes() int {
	if math.IsNaN(m.lo) || math.IsNaN(m.hi) || m.lo == m.hi {
		return 2
	}
	return 1
}

// read reads the slice at an index.
func (m *animator) read(ctx context.Context, index int) (*slice, error) {
	m.sel[m.dim] = cube.Indices{nd.At(index).By(1)}
	return readSlice(ctx, m.labels, m.sel, m.p, animationSide, noProgress)
}

// findLimits sets the limits of the colours. Unless both are given, it reads all pictures.
func (m *animator) findLimits(ctx context.Context, bar *progress) error {
	all := slice{stat: stat{min: math.NaN(), max: math.NaN()}}
	for i := 0; i < len(m.pictures) && m.passes() == 2; i++ {
		s, err := m.read(ctx, m.pictures[i])
		if err != nil {
			return err
		}
		all.stat.merge(s.stat)
		if m.robust {
			all.values = append(all.values, sampled(s.values, maxSampled/len(m.pictures))...)
		}
		bar.add(1)
	}
	m.heat = m.limits(&all)
	m.heat.Zoom, m.heat.MaxSide = m.zoom, animationSide
	var err error
	m.heat.Colors, err = picture.ParseColors(m.colors)
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
	m.counts = slice{stat: stat{min: math.NaN(), max: math.NaN()}}
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
	s, err := m.read(ctx, index)
	if err != nil {
		return nil, err
	}
	m.counts.stat.merge(s.stat)
	m.counts.step = s.step
	img, err := picture.Heat(s.values, s.rows, s.cols, m.heat)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.a.Name(), err)
	}
	return picture.Caption(img, m.title(index), formatValue(m.heat.Lo), formatValue(m.heat.Hi))
}

// title returns a title with the label of an index, or the index itself if it has none.
func (m *animator) title(index int) string {
	return fmt.Sprintf("%s = %s", dimNames(m.a)[m.dim], m.labels.Label(m.dim, index))
}
