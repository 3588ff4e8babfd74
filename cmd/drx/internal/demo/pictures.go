package demo

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"strings"

	"drx"
	"drx/cmd/drx/demodata"
	"drx/cmd/drx/internal/chunkmap"
	"drx/cmd/drx/internal/display"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/selection"
	"drx/cmd/drx/internal/view"
	"drx/internal/fileset"
	"drx/internal/picture"
	"drx/internal/plot"
	"drx/nd"
)

// rainHi is the upper limit of the colours for single images: 0.5 mm in 5 minutes is heavy rain,
// and only a few pixels have more.
const rainHi = 0.5

// radarCoverage is the part of an image within the range of the radars.
var radarCoverage = image.Rect(160, 220, 579, 637)

// draw makes the pictures of the finished array and lists the files.
func (t *tour) draw(ctx context.Context) error {
	t.next("Look at it: the last image, all rain of the %d images added up, and the chunks.", len(t.images))
	t.show("view %s --at time=23 --lo 0 --hi 0.5 -o " + shellWord(t.path("last.png")))
	if err := t.drawImage(ctx, "last.png", len(t.images)-1, 0); err != nil {
		return err
	}
	if err := t.drawSum(ctx); err != nil {
		return err
	}
	t.show("map %s -o " + shellWord(t.path("map.png")))
	fig, _, err := chunkmap.Figure(t.a, "", "")
	if err != nil {
		return err
	}
	if err := outfile.Replace(t.path("map.png"), func(w io.Writer) error { return fig.PNG(w) }); err != nil {
		return err
	}
	return t.list()
}

// drawImage draws one image into a file, and in the terminal if cols is not zero.
func (t *tour) drawImage(ctx context.Context, name string, time, cols int) error {
	s, err := t.scene(name, time)
	if err != nil {
		return err
	}
	parts, err := s.Read(ctx, s.Sel, display.FigureSide, progress.None)
	if err != nil {
		return err
	}
	k, err := s.ColorScale(parts)
	if err != nil {
		return err
	}
	f, err := s.Figure(parts, k, "26 August 2010, "+clock(time)+" UTC", true)
	if err != nil {
		return err
	}
	img, err := s.PlainPicture(parts, k, display.FigureSide)
	if err != nil {
		return err
	}
	return t.savePicture(f, img, name, cols)
}

// scene returns an image as view draws it.
func (t *tour) scene(name string, time int) (*view.Scene, error) {
	o := view.Options{Flags: selection.Flags{At: fmt.Sprintf("time=%d", time)}, Lo: 0, Hi: rainHi, Colors: "viridis", Out: t.path(name)}
	return view.NewScene(o, t.a, -1)
}

// drawSum draws the sum of the images, in mm. A pixel that is missing in one image is missing in
// the sum.
func (t *tour) drawSum(ctx context.Context) error {
	bounds := t.a.Bounds()
	shape := bounds.Shape()
	sum := make([]float64, shape[1]*shape[2])
	for i := range shape[0] {
		if err := ctx.Err(); err != nil {
			return err
		}
		bounds[0] = nd.At(i)
		values, err := drx.Read[uint16](t.a, bounds)
		if err != nil {
			return err
		}
		for j, v := range values {
			if v == demodata.Missing {
				sum[j] = math.NaN()
			}
			sum[j] += float64(v) * demodata.Scale
		}
	}
	s, err := t.scene("sum.png", 0)
	if err != nil {
		return err
	}
	s.Hi, s.Robust, s.RobustGiven = math.NaN(), true, true
	parts := []*view.Slice{{Rows: shape[1], Cols: shape[2], Values: sum, Stat: view.NoStat(), Step: 1, Down: view.Reduction{Step: 1, Block: 1}, Across: view.Reduction{Step: 1, Block: 1}}}
	for _, v := range sum {
		parts[0].Stat.Add(v)
	}
	k, err := s.ColorScale(parts)
	if err != nil {
		return err
	}
	t.printf("%s: the sum of the images, colours from 0 to %.1f mm", t.path("sum.png"), k.Heat.Hi)
	f, err := s.Figure(parts, k, fmt.Sprintf("26 August 2010, sum of %d images from %s to %s UTC", len(t.images), clock(0), clock(len(t.images)-1)), true)
	if err != nil {
		return err
	}
	f.Bar.Label = "mm in the 5 minutes of each image"
	img, err := picture.Heat(sum, shape[1], shape[2], k.Heat)
	if err != nil {
		return err
	}
	return t.savePicture(f, img.SubImage(radarCoverage), "sum.png", 48)
}

// savePicture writes a picture with axes to a file. If cols is not zero, it also shows an image,
// its elements or a part of them, in the terminal, indented and at most cols characters wide.
func (t *tour) savePicture(f plot.Figure, img image.Image, name string, cols int) error {
	pixels, err := f.Image()
	if err != nil {
		return err
	}
	if err := outfile.Replace(t.path(name), func(w io.Writer) error { return plot.WritePNG(w, pixels) }); err != nil {
		return err
	}
	if cols == 0 {
		return nil
	}
	var b bytes.Buffer
	if err := picture.Terminal(&b, img, cols, cols, t.screen.Mode); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		fmt.Fprintf(t.out, "   %s", line)
	}
	return nil
}

// list shows the files of the tour and their sizes.
func (t *tour) list() error {
	t.next("The files:")
	what := map[string]string{
		fileset.Log(TourArray): "the array's description and how it grew", fileset.Data(TourArray): "its elements",
		fileset.Table(TourArray): "checksums", fileset.Presence(TourArray): "which chunks were written",
		"first.png": "the first image, before the array grew in space", "last.png": "the last image",
		"sum.png": "the sum of all images", "map.png": "the chunks and their positions in the file",
	}
	for i := range tourFiles {
		name := tourFiles[len(tourFiles)-1-i]
		info, err := os.Stat(t.path(name))
		if err != nil {
			return err
		}
		if info.Size() == 0 { // the journal, between two commits
			continue
		}
		t.printf("%10d bytes  %-*s  %s", info.Size(), len(t.path("first.png")), t.path(name), what[name])
	}
	return nil
}
