package main

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
	"drx/internal/fileset"
	"drx/internal/picture"
	"drx/nd"
)

// rainHi is the upper limit of the colours for single frames, in counts: 0.5 mm in 5 minutes is
// heavy rain, and only a few pixels have more.
const rainHi = 50

// radarCoverage is the part of a frame within the range of the radars.
var radarCoverage = image.Rect(160, 220, 579, 637)

// draw makes the pictures of the finished array and lists the files.
func (t *tour) draw(ctx context.Context) error {
	t.next("Look at it: the last frame, all rain of the %d frames added up, and the chunks.", len(t.frames))
	t.show("view %s --at time=23 --hi 50 -o " + shellWord(t.path("last.png")))
	if err := t.drawFrame(ctx, "last.png", "time=23", 0); err != nil {
		return err
	}
	if err := t.drawSum(ctx); err != nil {
		return err
	}
	t.show("map %s -o " + shellWord(t.path("map.png")))
	fig, _, err := mapFigure(t.a, "", "")
	if err != nil {
		return err
	}
	if err := replaceFile(t.path("map.png"), func(w io.Writer) error { return fig.PNG(w) }); err != nil {
		return err
	}
	return t.list()
}

// drawFrame draws one frame into a file, and in the terminal if cols is not zero.
func (t *tour) drawFrame(ctx context.Context, name, at string, cols int) error {
	o := viewOptions{selecting: selecting{at: at}, lo: 0, hi: rainHi, colors: "viridis"}
	img, _, _, err := o.draw(ctx, t.a, viewSide, noProgress)
	if err != nil {
		return err
	}
	return t.savePicture(img, img, name, cols)
}

// drawSum draws the sum of the frames, in mm. A pixel that is missing in one frame is missing in the sum.
func (t *tour) drawSum(ctx context.Context) error {
	bounds := t.a.Bounds()
	shape := bounds.Shape()
	sum := make([]float64, shape[1]*shape[2])
	for i := range shape[0] {
		if err := ctx.Err(); err != nil {
			return err
		}
		bounds[0] = nd.At(i)
		frame, err := drx.Read[uint16](t.a, bounds)
		if err != nil {
			return err
		}
		for j, v := range frame {
			if v == demodata.Missing {
				sum[j] = math.NaN()
			}
			sum[j] += float64(v) * demodata.Scale
		}
	}
	o := picture.HeatOptions{Lo: 0, Hi: math.NaN(), Robust: true}
	_, hi := o.Limits(sum)
	t.say("%s: the sum of the frames, colours from 0 to %.1f mm", t.path("sum.png"), hi)
	img, err := picture.Heat(sum, shape[1], shape[2], o)
	if err != nil {
		return err
	}
	return t.savePicture(img, img.SubImage(radarCoverage), "sum.png", 48)
}

// savePicture writes a picture to a file. If cols is not zero, it also shows part of the picture in the
// terminal, indented and at most cols characters wide.
func (t *tour) savePicture(img, part image.Image, name string, cols int) error {
	if err := replaceFile(t.path(name), func(w io.Writer) error { return picture.WritePNG(w, img) }); err != nil {
		return err
	}
	if cols == 0 {
		return nil
	}
	var b bytes.Buffer
	if err := picture.Terminal(&b, part, cols, cols, t.screen.mode); err != nil {
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
		fileset.Log(tourArray): "the array's description and how it grew", fileset.Data(tourArray): "its elements",
		fileset.Table(tourArray): "checksums", fileset.Presence(tourArray): "which chunks were written",
		"first.png": "the first frame, before the array grew in space", "last.png": "the last frame",
		"sum.png": "the sum of all frames", "map.png": "the chunks and their positions in the file",
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
		t.say("%10d bytes  %-*s  %s", info.Size(), len(t.path("first.png")), t.path(name), what[name])
	}
	return nil
}
