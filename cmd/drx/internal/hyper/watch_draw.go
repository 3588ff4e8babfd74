package hyper

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"strings"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/outfile"
	"drx/hyper"
	hyperscene "drx/hyper/scene"
	"drx/hyper/scene/array"
	"drx/internal/picture"
	"drx/internal/plot"
)

// picture draws the state after an update, and keeps it for the animation.
func (w *sceneWatch) picture(r *hyper.Report) error {
	if w.draw == "" && w.animate == "" || len(r.Bands) == 0 {
		return nil
	}
	if w.out == "" {
		c := w.session.Cube()
		waves, unit := c.Wavelengths()
		var rgb [3]int
		for i, b := range hyperscene.Composite(c.Bands(), waves, unit) {
			rgb[i] = c.SourceBands()[b]
		}
		return drawComposite(w.cmd, &hyperCube{c, w.name, c.Options().Memory}, rgb, w.draw)
	}
	if last := r.Results[len(r.Results)-1]; last.Standing == hyper.NoResult {
		return nil
	}
	plane, err := w.abundancePlane()
	if err != nil {
		return err
	}
	names := w.names
	if names == nil {
		found, err := w.session.Found(0)
		if err != nil {
			return err
		}
		set, err := found.Set()
		if err != nil {
			return err
		}
		names = set.Names
	}
	if w.animate != "" {
		w.pictures, w.labels = append(w.pictures, plane), append(w.labels, names)
	}
	if w.draw == "" {
		return nil
	}
	return drawMaps(w.title(), "abundance", plane, names, [2]float64{0, 1}, w.draw)
}

func (w *sceneWatch) title() string {
	return fmt.Sprintf("Abundances in %s, %s", plot.Printable(filepath.Base(w.name)), w.abundance)
}

// abundancePlane reads the abundances.
func (w *sceneWatch) abundancePlane() (plane *hyperscene.Plane, err error) {
	a, err := drx.Open(w.out, drx.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	src, err := array.New(a, array.Dims{Line: 0, Sample: 1, Band: 2})
	if err != nil {
		return nil, err
	}
	b := src.Bounds()
	size, limit := 8*int64(b.Pixels())*int64(src.Bands()), w.session.Cube().Options().Memory
	if w.animate != "" {
		w.bytes += size
		size = w.bytes
	}
	if size > limit {
		return nil, fmt.Errorf("the pictures of the abundances need %s of memory, --memory is %s", cli.ByteSize(size), cli.ByteSize(limit))
	}
	values := make([]float64, b.Pixels()*src.Bands())
	if err := src.Read(w.cmd.Context(), b, values); err != nil {
		return nil, err
	}
	if plane, err = hyperscene.NewPlane(b, src.Bands()); err != nil {
		return nil, err
	}
	return plane, plane.Write(context.Background(), b, values)
}

// writeAnimation writes the pictures of all updates. Each covers the union of the bounds of all
// updates, because the pictures of an animation have one size.
func (w *sceneWatch) writeAnimation() error {
	if len(w.pictures) == 0 {
		printNote(w.cmd, w.name, "no animation: there are no abundances yet")
		return nil
	}
	all := w.pictures[0].Bounds()
	for _, p := range w.pictures {
		b := p.Bounds()
		all.Lo.Line, all.Lo.Sample = min(all.Lo.Line, b.Lo.Line), min(all.Lo.Sample, b.Lo.Sample)
		all.Hi.Line, all.Hi.Sample = max(all.Hi.Line, b.Hi.Line), max(all.Hi.Sample, b.Hi.Sample)
	}
	return outfile.Replace(w.animate, func(to io.Writer) error {
		var out picture.AnimationWriter
		for i := range w.pictures {
			img, err := w.wholePicture(i, all)
			if err == nil && out == nil {
				size := img.Rect.Size()
				out, err = picture.NewAnimation(to, strings.ToLower(filepath.Ext(w.animate)), picture.Animation{
					Width: size.X, Height: size.Y, Palette: img.Palette, Pictures: len(w.pictures), Delay: w.delay,
				})
			}
			if err == nil {
				err = out.Add(img)
			}
			if err != nil {
				return err
			}
		}
		return out.Close()
	})
}

// wholePicture draws the abundances of an update within the bounds of all pictures.
func (w *sceneWatch) wholePicture(i int, all hyperscene.Block) (*image.Paletted, error) {
	p := w.pictures[i]
	b := p.Bounds()
	wide, err := hyperscene.NewPlane(all, p.Values())
	if err != nil {
		return nil, err
	}
	for k := range b.Pixels() {
		copy(wide.At(b.At(k)), p.At(b.At(k)))
	}
	f, levels, err := mapsFigure(w.title(), "abundance", wide, w.labels[i], [2]float64{0, 1})
	if err != nil {
		return nil, err
	}
	f.Subtitle = fmt.Sprintf("lines %d:%d, samples %d:%d", b.Lo.Line, b.Hi.Line, b.Lo.Sample, b.Hi.Sample)
	img, err := f.Image()
	if err != nil {
		return nil, err
	}
	return plot.Indexed(img, plot.Palette(opaque(levels))), nil
}

// opaque returns colours without transparency.
func opaque(levels []color.Color) []color.RGBA {
	var list []color.RGBA
	for _, c := range levels {
		x := color.RGBAModel.Convert(c).(color.RGBA)
		x.A = math.MaxUint8
		list = append(list, x)
	}
	return list
}
